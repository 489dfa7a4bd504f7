// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a seekable file says about itself, and must say otherwise when records were inserted: its
 * header, the attrs with the places of their ids, the table of features.
 *
 * First every change is added with its size but without values, because sizes decide where
 * everything comes to lie; then the values are filled in.
 */
#include "perfdata/edits.h"

#include <errno.h>

#include "base/diag.h"

/* Where auxiliary trace data are: u64 offset in the file, u64 size. */
#define AUX_INDEX_ENTRY 16
/* The step in which the kernel copies, and from how long a span on that is worth the zeros. */
#define COPY_UNIT      (UINT64_C(64) << 10)
#define WORTH_ALIGNING (UINT64_C(16) << 20)

struct structure {
	struct perfdata_edits *edits;
	uint32_t attr_size; /* in the output */
	uint64_t features[PERFDATA_FEAT_BITS / 64];
	/* where the values are to be filled in, in splices.bytes */
	size_t header, attrs, table, aux_index;
};

static size_t feature_count(const uint64_t *features)
{
	size_t count = 0;

	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		count += (size_t)__builtin_popcountll(features[i]);
	return count;
}

uint64_t perfdata__build_ids_end(const struct perfdata *perfdata)
{
	const struct bytes *bytes = &perfdata->feature_bytes[PERFDATA_FEAT_BUILD_ID];

	if (!bytes->data)
		return perfdata->source.parts.items[0].size;
	return (uint64_t)(bytes->data - perfdata->source.bytes.data) + bytes->size;
}

/* For each attr its new size, if that changes, and the offset of its ids. */
static void reserve_attrs(struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	struct splices *splices = &structure->edits->splices;

	structure->attrs = splices->bytes.size;
	for (size_t i = 0; i < perfdata->attrs.count; i++) {
		uint64_t offset = perfdata->attr_places.items[i].offset;
		uint32_t size = perfdata->attrs.items[i].recorded_size;

		if (structure->attr_size != size) {
			splices__add(splices, SPLICE_STRUCTURE, offset + 4, 4, NULL, 4);
			splices__add(splices, SPLICE_STRUCTURE, offset + structure->attr_size,
				     size - structure->attr_size, NULL, 0);
		}
		splices__add(splices, SPLICE_STRUCTURE, offset + size, 8, NULL, 8);
	}
}

/*
 * HEADER_AUXTRACE says where AUXTRACE records are: their number, then for each its offset and the
 * size of its data. Returns the number, 0 when there is no index or it can't be.
 */
static uint64_t aux_index_count(const struct perfdata *perfdata, struct bytes *entries)
{
	struct bytes bytes = perfdata__feature(perfdata, PERFDATA_FEAT_AUXTRACE);
	uint64_t count;

	if (bytes.size < sizeof(count))
		return 0;
	count = get_u64(bytes.data, perfdata->order);
	*entries = (struct bytes){ bytes.data + sizeof(count), bytes.size - sizeof(count) };
	return count <= entries->size / AUX_INDEX_ENTRY ? count : 0;
}

static void reserve_aux_index(struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	struct bytes entries;
	uint64_t size = AUX_INDEX_ENTRY * aux_index_count(perfdata, &entries);

	if (size)
		structure->aux_index = splices__add(
			&structure->edits->splices, SPLICE_STRUCTURE,
			(uint64_t)(entries.data - perfdata->source.bytes.data), size, NULL, size);
}

static void reserve(struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	const struct buf *build_ids = &structure->edits->build_ids;
	struct splices *splices = &structure->edits->splices;
	size_t entry = sizeof(struct perfdata_section);

	structure->header = splices__add(splices, SPLICE_STRUCTURE, 8, perfdata->header_size - 8,
					 NULL, perfdata->header_size - 8);
	reserve_attrs(structure);
	reserve_aux_index(structure);
	structure->table = splices__add(splices, SPLICE_STRUCTURE, perfdata->feature_table,
					feature_count(perfdata->features) * entry, NULL,
					feature_count(structure->features) * entry);
	if (build_ids->size)
		splices__add(splices, SPLICE_STRUCTURE, perfdata__build_ids_end(perfdata), 0,
			     build_ids->data, build_ids->size);
}

/* An empty section keeps the place it says it has. */
static struct perfdata_section moved(const struct splices *splices, struct perfdata_section section)
{
	if (section.size)
		section.offset = splices__map_behind(splices, section.offset);
	return section;
}

static uint8_t *put_u64(uint8_t *at, uint64_t value, enum byte_order order)
{
	set_u64(at, value, order);
	return at + sizeof(value);
}

static uint8_t *put_section(uint8_t *at, struct perfdata_section section, enum byte_order order)
{
	return put_u64(put_u64(at, section.offset, order), section.size, order);
}

/* By how much the records of the file that has the header grow. */
static uint64_t grown_by(const struct splices *splices, struct perfdata_section data)
{
	uint64_t end = data.offset + data.size, size = 0;

	array__for_each(splice, &splices->list)
		if (splice->offset >= data.offset &&
		    (splice->offset < end ||
		     (splice->offset == end && splice->class == SPLICE_RECORDS)))
			size += splice->size - splice->removed;
	return size;
}

static void fill_header(const struct structure *structure)
{
	const struct perfdata_edits *edits = structure->edits;
	const struct perfdata *perfdata = edits->perfdata;
	const struct splices *splices = &edits->splices;
	uint64_t file_attr_size = perfdata->file_attr_size;
	struct perfdata_section attrs = moved(splices, perfdata->attrs_section);
	struct perfdata_section data = perfdata->data;
	uint8_t *at = splices->bytes.data + structure->header;

	/* what is left over would be one more of the smaller attrs */
	if (structure->attr_size != perfdata->attrs.items[0].recorded_size) {
		file_attr_size = structure->attr_size + sizeof(struct perfdata_section);
		attrs.size = perfdata->attrs.count * file_attr_size;
	}
	data.size += grown_by(splices, data);
	data.offset = splices__map_before(splices, data.offset);
	at = put_u64(at, perfdata->header_size, perfdata->order);
	at = put_u64(at, file_attr_size, perfdata->order);
	at = put_section(at, attrs, perfdata->order);
	at = put_section(at, data, perfdata->order);
	at = put_section(at, moved(splices, perfdata->event_types), perfdata->order);
	if (perfdata->header_size == PERFDATA_HEADER_SIZE)
		perfdata__encode_features(perfdata, structure->features, at);
}

static void fill_attrs(const struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	const struct splices *splices = &structure->edits->splices;
	uint8_t *at = splices->bytes.data + structure->attrs;

	for (size_t i = 0; i < perfdata->attrs.count; i++) {
		if (structure->attr_size != perfdata->attrs.items[i].recorded_size) {
			set_u32(at, structure->attr_size, perfdata->order);
			at += sizeof(uint32_t);
		}
		at = put_u64(at, moved(splices, perfdata->attr_places.items[i].ids).offset,
			     perfdata->order);
	}
}

/* HEADER_BUILD_ID begins before what is added to it, or is all that is added. */
static struct perfdata_section build_id_section(const struct structure *structure,
						struct perfdata_section section)
{
	const struct perfdata_edits *edits = structure->edits;
	const struct splices *splices = &edits->splices;
	uint64_t input_size = edits->perfdata->source.parts.items[0].size;
	uint64_t added = edits->build_ids.size;

	if (!added)
		return moved(splices, section);
	if (edits->perfdata->feature_bytes[PERFDATA_FEAT_BUILD_ID].data)
		return (struct perfdata_section){ splices__map_before(splices, section.offset),
						  section.size + added };
	return (struct perfdata_section){ splices__map_behind(splices, input_size) - added, added };
}

static void fill_table(const struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	const struct splices *splices = &structure->edits->splices;
	const uint8_t *from = perfdata->source.bytes.data + perfdata->feature_table;
	uint8_t *at = splices->bytes.data + structure->table;

	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++) {
		struct perfdata_section section = { 0 };

		if (perfdata__has_feature(perfdata, i)) {
			section.offset = get_u64(from, perfdata->order);
			section.size = get_u64(from + 8, perfdata->order);
			from += sizeof(section);
		}
		if (!perfdata__feature_bit(structure->features, i))
			continue;
		section = i == PERFDATA_FEAT_BUILD_ID ? build_id_section(structure, section)
						      : moved(splices, section);
		at = put_section(at, section, perfdata->order);
	}
}

static void fill_aux_index(const struct structure *structure)
{
	const struct perfdata *perfdata = structure->edits->perfdata;
	const struct splices *splices = &structure->edits->splices;
	struct bytes entries;
	uint64_t count = aux_index_count(perfdata, &entries);
	uint8_t *at = splices->bytes.data + structure->aux_index;

	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *from = entries.data + AUX_INDEX_ENTRY * i;
		struct perfdata_section aux = { get_u64(from, perfdata->order),
						get_u64(from + 8, perfdata->order) };

		aux.offset = splices__map_behind(splices, aux.offset);
		at = put_section(at, aux, perfdata->order);
	}
}

/* By how much the longest span that stays as it is moves; 0 if all are short. */
static uint64_t longest_move(const struct splices *splices, uint64_t end)
{
	uint64_t at = 0, moved = 0, longest = WORTH_ALIGNING, answer = 0;

	array__for_each(splice, &splices->list) {
		if (splice->offset >= at && splice->offset - at > longest) {
			longest = splice->offset - at;
			answer = moved;
		}
		at = splice->offset + splice->removed;
		moved += splice->size - splice->removed;
	}
	return end >= at && end - at > longest ? moved : answer;
}

/*
 * Most of a big file is copied as it is, which takes a fifth less time if the kernel can do it by
 * whole pages: zeros behind the header, where nothing is looked for, see to that.
 */
static void align(struct perfdata_edits *edits)
{
	const struct perfdata *perfdata = edits->perfdata;
	uint64_t end = perfdata->source.parts.items[0].size;
	uint64_t moved = longest_move(&edits->splices, end);

	if (moved % COPY_UNIT == 0 || perfdata->data.offset <= perfdata->header_size)
		return;
	splices__add(&edits->splices, SPLICE_STRUCTURE, perfdata->header_size, 0, NULL,
		     COPY_UNIT - moved % COPY_UNIT);
	splices__sort(&edits->splices);
}

static int add_seekable(struct perfdata_edits *edits)
{
	const struct perfdata *perfdata = edits->perfdata;
	struct structure structure = { .edits = edits };

	structure.attr_size =
		edits->attr_size ? edits->attr_size : perfdata->attrs.items[0].recorded_size;
	for (size_t i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		structure.features[i] = perfdata->features[i] & ~edits->dropped_features[i] &
					~perfdata->lost_features[i]; /* perf 7 refuses these */
	if (perfdata->header_size != PERFDATA_HEADER_SIZE)
		edits->build_ids.size = 0; /* the oldest files have no features */
	if (edits->build_ids.size)
		structure.features[0] |= 1ull << PERFDATA_FEAT_BUILD_ID;
	reserve(&structure);
	splices__sort(&edits->splices);
	align(edits);
	if (edits->splices.bytes.failed)
		return -ENOMEM;
	fill_header(&structure);
	fill_attrs(&structure);
	fill_aux_index(&structure);
	fill_table(&structure);
	return 0;
}

/*
 * A stream says nothing about where things are. Attrs keep their sizes: perf before 6.5 looks for
 * ids behind an attr of the size that it knows itself. A record that the stream breaks off in
 * would swallow what comes behind it.
 */
static int add_pipe(struct perfdata_edits *edits)
{
	const struct perfdata *perfdata = edits->perfdata;
	uint64_t end = perfdata->data.offset + perfdata->data.size;
	uint64_t left = perfdata->source.bytes.size - end;

	if (edits->build_ids.size)
		splices__add(&edits->splices, SPLICE_RECORDS, perfdata->first_event, 0,
			     edits->build_ids.data, edits->build_ids.size);
	if (left && left <= UINT16_MAX)
		splices__add(&edits->splices, SPLICE_STRUCTURE, end, left, NULL, 0);
	splices__sort(&edits->splices);
	return edits->splices.bytes.failed ? -ENOMEM : 0;
}

int perfdata__add_structure(struct perfdata_edits *edits)
{
	int err = 0;

	if (edits->structured)
		return 0;
	err = edits->perfdata->form == PERFDATA_FORM_PIPE ? add_pipe(edits) : add_seekable(edits);
	edits->structured = !err;
	return err;
}
