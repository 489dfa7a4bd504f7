// SPDX-License-Identifier: GPL-2.0-or-later
/* Header features: found by a table behind the records, or in records of their own. */
#include "perfdata/internal.h"

#include <elf.h>

#include "base/diag.h"

#define MAX_INFLATED (64ull << 20)

/* Why a section can't be a feature's, or NULL. Nothing else may be within what edits take apart. */
static const char *misplaced(const struct perfdata *perfdata, struct perfdata_section section)
{
	const struct perfdata_section header = { 0, perfdata->header_size };

	if (!perfdata__contains(perfdata, section))
		return "outside the file";
	if (perfdata_section__overlap(section, header))
		return "within the header";
	if (perfdata_section__overlap(section, perfdata->attrs_section))
		return "among the events";
	if (perfdata_section__overlap(section, perfdata->data))
		return "among the records";
	return NULL;
}

/* A section of the table for each bit that is set, in the order of the bits. */
int perfdata__read_features(struct perfdata *perfdata)
{
	struct perfdata_section table = { perfdata->data.offset + perfdata->data.size, 0 };
	struct cursor cur;

	perfdata->feature_table = table.offset;
	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++)
		table.size += perfdata__feature_bit(perfdata->features, i) ? sizeof(table) : 0;
	if (!perfdata__contains(perfdata, table)) {
		diag__report(perfdata->diag, DIAG_WARNING, "perfdata.cut-features", perfdata->path,
			     table.offset, "the table of header features is cut off");
		memset(perfdata->features, 0, sizeof(perfdata->features));
		return 0;
	}
	cur = cursor__at(perfdata__slice(perfdata, table), perfdata->order);
	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++) {
		struct perfdata_section section;
		const char *problem;

		if (!perfdata__feature_bit(perfdata->features, i))
			continue;
		section.offset = cursor__u64(&cur);
		section.size = cursor__u64(&cur);
		if (!section.size)
			continue;
		problem = misplaced(perfdata, section);
		if (!problem) {
			perfdata->feature_bytes[i] = perfdata__slice(perfdata, section);
			continue;
		}
		perfdata->lost_features[i / 64] |= UINT64_C(1) << i % 64;
		diag__report(perfdata->diag, DIAG_WARNING,
			     perfdata__contains(perfdata, section) ? "perfdata.bad-features"
								   : "perfdata.cut-features",
			     perfdata->path, table.offset, "header feature %u lies %s", i, problem);
	}
	return 0;
}

bool perfdata__has_feature(const struct perfdata *perfdata, unsigned int feature)
{
	return feature < PERFDATA_FEAT_BITS && perfdata__feature_bit(perfdata->features, feature);
}

struct bytes perfdata__feature(const struct perfdata *perfdata, unsigned int feature)
{
	if (!perfdata__has_feature(perfdata, feature))
		return (struct bytes){ NULL, 0 };
	return perfdata->feature_bytes[feature];
}

/* False when the feature is not there, or empty. */
static bool open_feature(const struct perfdata *perfdata, unsigned int feature, struct cursor *cur)
{
	struct bytes bytes = perfdata__feature(perfdata, feature);

	if (!bytes.size)
		return false;
	*cur = cursor__at(bytes, perfdata->order);
	return true;
}

/* A string in a feature: its length with padding, then the bytes. NULL when it is cut off. */
static const char *read_string(struct cursor *cur)
{
	uint32_t size = cursor__u32(cur);
	const uint8_t *text = cursor__take(cur, size);

	return text && memchr(text, 0, size) ? (const char *)text : NULL;
}

const char *perfdata__feature_string(const struct perfdata *perfdata, unsigned int feature)
{
	struct cursor cur;

	return open_feature(perfdata, feature, &cur) ? read_string(&cur) : NULL;
}

char *perfdata__command(const struct perfdata *perfdata)
{
	struct buf words = BUF(perfdata->order);
	struct cursor cur;
	uint32_t count = 0;

	if (open_feature(perfdata, PERFDATA_FEAT_CMDLINE, &cur))
		count = cursor__u32(&cur);
	for (uint32_t i = 0; i < count; i++) {
		const char *word = read_string(&cur);

		if (!word)
			break;
		if (i)
			buf__put_u8(&words, ' ');
		buf__put(&words, word, strlen(word));
	}
	buf__put_u8(&words, '\0');
	if (words.failed)
		buf__free(&words);
	return (char *)words.data;
}

static struct perfdata_attr *attr_of_id(struct perfdata *perfdata, uint64_t id)
{
	const struct perfdata_attr *attr = perfdata__attr_of_id(perfdata, id);

	return attr ? &perfdata->attrs.items[attr - perfdata->attrs.items] : NULL;
}

/* The event that EVENT_DESC describes at this place of its list, told by ids where it has any. */
static struct perfdata_attr *described_attr(struct perfdata *perfdata, uint32_t nth, uint32_t count,
					    uint32_t nr_ids, const uint8_t *ids)
{
	struct perfdata_attr *attr = NULL;

	if (nr_ids)
		attr = attr_of_id(perfdata, get_u64(ids, perfdata->order));
	if (attr)
		return attr;
	return count == perfdata->attrs.count ? &perfdata->attrs.items[nth] : NULL;
}

/* Of several names the last counts. */
static void name_updated_attrs(struct perfdata *perfdata)
{
	array__for_each(update, &perfdata->event_names) {
		struct perfdata_attr *attr = attr_of_id(perfdata, update->id);

		if (attr)
			attr->name = update->name;
	}
}

static void name_attrs(struct perfdata *perfdata)
{
	uint32_t count, attr_size;
	struct cursor cur;

	if (!open_feature(perfdata, PERFDATA_FEAT_EVENT_DESC, &cur))
		return;
	count = cursor__u32(&cur);
	attr_size = cursor__u32(&cur);
	for (uint32_t i = 0; i < count && !cur.overrun; i++) {
		struct perfdata_attr *attr;
		uint32_t nr_ids;
		const char *name;
		const uint8_t *ids;

		cursor__take(&cur, attr_size);
		nr_ids = cursor__u32(&cur);
		name = read_string(&cur);
		ids = cursor__take(&cur, 8 * (size_t)nr_ids);
		if (!ids || !name)
			break;
		attr = described_attr(perfdata, i, count, nr_ids, ids);
		if (attr && !attr->name)
			attr->name = name;
	}
}

/*
 * What one compressed record may inflate to: the recorder's buffer, or what no recorder's buffer
 * is smaller than in practice, so that a damaged file can't take forever.
 */
static void read_compression(struct perfdata *perfdata)
{
	uint64_t buffer_size = 0;
	struct cursor cur;

	perfdata->compressed = open_feature(perfdata, PERFDATA_FEAT_COMPRESSED, &cur);
	if (perfdata->compressed) {
		/* version, type, level, ratio */
		cursor__take(&cur, 4 * sizeof(uint32_t));
		buffer_size = cursor__u32(&cur);
	}
	perfdata->max_inflated = buffer_size > MAX_INFLATED ? buffer_size : MAX_INFLATED;
}

void perfdata__digest_features(struct perfdata *perfdata)
{
	name_updated_attrs(perfdata);
	name_attrs(perfdata);
	read_compression(perfdata);
}

/* As uname -m says it on the recording machine. */
static const struct arch {
	const char *name; /* a prefix */
	uint16_t machine;
	uint8_t elf_class;
} archs[] = {
	{ "x86_64", EM_X86_64, ELFCLASS64 },   { "amd64", EM_X86_64, ELFCLASS64 },
	{ "i386", EM_386, ELFCLASS32 },        { "i486", EM_386, ELFCLASS32 },
	{ "i586", EM_386, ELFCLASS32 },        { "i686", EM_386, ELFCLASS32 },
	{ "aarch64", EM_AARCH64, ELFCLASS64 }, { "arm64", EM_AARCH64, ELFCLASS64 },
	{ "arm", EM_ARM, ELFCLASS32 },         { "ppc64", EM_PPC64, ELFCLASS64 },
	{ "ppc", EM_PPC, ELFCLASS32 },         { "s390x", EM_S390, ELFCLASS64 },
	{ "s390", EM_S390, ELFCLASS32 },       { "riscv64", EM_RISCV, ELFCLASS64 },
	{ "riscv32", EM_RISCV, ELFCLASS32 },   { "loongarch64", EM_LOONGARCH, ELFCLASS64 },
	{ "mips64", EM_MIPS, ELFCLASS64 },     { "mips", EM_MIPS, ELFCLASS32 },
	{ "sparc64", EM_SPARCV9, ELFCLASS64 }, { "sparc", EM_SPARC, ELFCLASS32 },
};

static const struct arch *find_arch(const struct perfdata *perfdata)
{
	const char *name = perfdata__feature_string(perfdata, PERFDATA_FEAT_ARCH);

	for (size_t i = 0; name && i < sizeof(archs) / sizeof(archs[0]); i++)
		if (strncmp(name, archs[i].name, strlen(archs[i].name)) == 0)
			return &archs[i];
	return NULL;
}

uint16_t perfdata__machine(const struct perfdata *perfdata)
{
	const struct arch *arch = find_arch(perfdata);

	return arch ? arch->machine : 0;
}

uint8_t perfdata__elf_class(const struct perfdata *perfdata)
{
	const struct arch *arch = find_arch(perfdata);

	return arch ? arch->elf_class : 0;
}
