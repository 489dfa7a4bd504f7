// SPDX-License-Identifier: GPL-2.0-or-later
/* The file header: which form, which byte order, where things are. */
#include "perfdata/internal.h"

#include <errno.h>

#include "base/diag.h"

static int refuse(struct perfdata *perfdata, uint64_t offset, const char *kind, const char *text)
{
	diag__report(perfdata->diag, DIAG_ERROR, kind, perfdata->path, offset, "%s", text);
	return -EINVAL;
}

static struct perfdata_section read_section(struct cursor *cur)
{
	struct perfdata_section section;

	section.offset = cursor__u64(cur);
	section.size = cursor__u64(cur);
	return section;
}

static void swap_halves(uint64_t *features)
{
	for (size_t i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
}

/*
 * The bitmap is written as an array of the producer's longs: on a big-endian 32-bit machine the
 * two halves of each 64 bits are exchanged. The host name tells, which every perf writes.
 */
static void read_feature_bits(struct perfdata *perfdata, struct cursor *cur)
{
	uint64_t *features = perfdata->features;

	for (size_t i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		features[i] = cursor__u64(cur);
	perfdata->short_longs = perfdata->order == ORDER_BIG &&
				!perfdata__feature_bit(features, PERFDATA_FEAT_HOSTNAME) &&
				perfdata__feature_bit(features, PERFDATA_FEAT_HOSTNAME + 32);
	if (perfdata->short_longs)
		swap_halves(features);
}

void perfdata__encode_features(const struct perfdata *perfdata, const uint64_t *features,
			       uint8_t *bytes)
{
	uint64_t encoded[PERFDATA_FEAT_BITS / 64];

	memcpy(encoded, features, sizeof(encoded));
	if (perfdata->short_longs)
		swap_halves(encoded);
	for (size_t i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		set_u64(bytes + 8 * i, encoded[i], perfdata->order);
}

static bool known_header_size(uint64_t size)
{
	return size == PERFDATA_HEADER_SIZE || size == PERFDATA_HEADER_SIZE_NO_FEATURES ||
	       size == PERFDATA_PIPE_HEADER_SIZE;
}

bool perfdata_header__is_magic(const uint8_t *data)
{
	return memcmp(data, PERFDATA_MAGIC_V2, 8) == 0 ||
	       memcmp(data, PERFDATA_MAGIC_V2_BIG, 8) == 0 ||
	       memcmp(data, PERFDATA_MAGIC_V1, 8) == 0;
}

/* Magic of version 2 is a number, of version 1 a text: there the header's size tells. */
static int detect_order(struct perfdata *perfdata, const uint8_t *data)
{
	if (memcmp(data, PERFDATA_MAGIC_V2, 8) == 0) {
		perfdata->order = ORDER_LITTLE;
		return 0;
	}
	if (memcmp(data, PERFDATA_MAGIC_V2_BIG, 8) == 0) {
		perfdata->order = ORDER_BIG;
		return 0;
	}
	if (memcmp(data, PERFDATA_MAGIC_V1, 8) != 0)
		return -EINVAL;
	perfdata->form = PERFDATA_FORM_V1;
	perfdata->order = ORDER_LITTLE;
	if (known_header_size(get_u64(data + 8, ORDER_LITTLE)))
		return 0;
	perfdata->order = ORDER_BIG;
	return known_header_size(get_u64(data + 8, ORDER_BIG)) ? 0 : -EINVAL;
}

/*
 * A recorder that was killed leaves data.size 0, and feature bits without features. A file that
 * was cut off has lost its features too. Either may end within a record.
 */
static void accept_unfinished(struct perfdata *perfdata)
{
	uint64_t end = perfdata->source.parts.items[0].size;

	diag__report(perfdata->diag, DIAG_WARNING,
		     perfdata->data.size ? "perfdata.truncated" : "perfdata.unfinished",
		     perfdata->path, end, "%s: its whole records are used, header features are not",
		     perfdata->data.size ? "the file ends before its records do"
					 : "the recording was not finished");
	perfdata->data.size = perfdata__whole_records(perfdata, perfdata->data.offset, end);
	memset(perfdata->features, 0, sizeof(perfdata->features));
}

static bool plausible_attr_size(uint64_t size)
{
	uint64_t least = PERFDATA_ATTR_SIZE_FIRST + sizeof(struct perfdata_section);

	return size >= least && size <= 4096;
}

static int check_sections(struct perfdata *perfdata)
{
	uint64_t size = perfdata->source.parts.items[0].size;

	if (!perfdata__contains(perfdata, perfdata->attrs_section) ||
	    !plausible_attr_size(perfdata->file_attr_size) || perfdata->attrs_section.size == 0)
		return refuse(perfdata, 16, "perfdata.bad-header",
			      "the header's event section cannot be");
	if (perfdata->data.offset < perfdata->header_size || perfdata->data.offset > size)
		return refuse(perfdata, 40, "perfdata.bad-header",
			      "the records would begin outside the file");
	if (perfdata->data.size == 0 || !perfdata__contains(perfdata, perfdata->data))
		accept_unfinished(perfdata);
	if (perfdata_section__overlap(perfdata->attrs_section, perfdata->data))
		return refuse(perfdata, 24, "perfdata.bad-header",
			      "the header's event section lies among the records");
	return 0;
}

static int read_seekable(struct perfdata *perfdata)
{
	struct cursor cur = cursor__at(perfdata->source.bytes, perfdata->order);
	uint64_t header_size;

	cursor__take(&cur, 8);
	header_size = cursor__u64(&cur);
	perfdata->file_attr_size = cursor__u64(&cur);
	perfdata->attrs_section = read_section(&cur);
	perfdata->data = read_section(&cur);
	perfdata->event_types = read_section(&cur);
	if (header_size == PERFDATA_HEADER_SIZE)
		read_feature_bits(perfdata, &cur);
	else if (header_size != PERFDATA_HEADER_SIZE_NO_FEATURES)
		return refuse(perfdata, 8, "perfdata.bad-header",
			      "the header's size is that of no known version");
	if (cur.overrun)
		return refuse(perfdata, 0, "perfdata.bad-header", "the file ends in its header");
	perfdata->header_size = header_size;
	return check_sections(perfdata);
}

int perfdata__read_header(struct perfdata *perfdata)
{
	struct bytes bytes = perfdata->source.bytes;
	bool directory = perfdata->source.is_directory;

	if (bytes.size < PERFDATA_PIPE_HEADER_SIZE || detect_order(perfdata, bytes.data) < 0)
		return refuse(perfdata, DIAG_NO_OFFSET, "perfdata.not-perf-data",
			      bytes.size ? "is no perf.data file" : "is empty");
	if (get_u64(bytes.data + 8, perfdata->order) != PERFDATA_PIPE_HEADER_SIZE) {
		if (directory)
			perfdata->form = PERFDATA_FORM_DIRECTORY;
		return read_seekable(perfdata);
	}
	if (directory)
		return refuse(perfdata, DIAG_NO_OFFSET, "perfdata.bad-header",
			      "the directory's data file is in pipe form");
	perfdata->form = PERFDATA_FORM_PIPE;
	return 0;
}
