// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PERF_RECORD_SAMPLE without the fields that an older perf does not know. It would read what
 * stands behind them in their place. The order of fields: include/uapi/linux/perf_event.h.
 */
#include "perfdata/abi_convert.h"

#include "base/diag.h"

#define BODY PERFDATA_RECORD_HEADER_SIZE

/* Newer than the installed header may be. */
#define FORMAT_LOST_BIT          4
#define FORMAT_LOST              (1u << FORMAT_LOST_BIT)
#define SAMPLE_DATA_PAGE         (1u << 22)
#define SAMPLE_CODE_PAGE         (1u << 23)
#define SAMPLE_WEIGHT_STRUCT_BIT 24
#define SAMPLE_WEIGHT_STRUCT     (1u << SAMPLE_WEIGHT_STRUCT_BIT)
#define BRANCH_COUNTERS_BIT      19
#define BRANCH_COUNTERS          (1u << BRANCH_COUNTERS_BIT)
#define BRANCH_ENTRY_SIZE        24

/* PERF_CONTEXT_USER_DEFERRED: a cookie follows, and nothing else. */
#define USER_DEFERRED ((uint64_t)-640)
#define DEFERRED_SIZE 16
/* perf refuses call chains that take more of a record than there can be. */
#define RECORD_SIZE_MAX (UINT16_MAX & ~7u)

/* One record, field by field. */
struct fields {
	const struct abi *abi;
	const struct perfdata_record *record;
	struct splices *splices;
	uint64_t offset; /* of the record in what is changed */
	struct cursor cur;
	size_t size; /* that the record will have */
	bool baked;
	struct bytes chain; /* to be put in, if baked */
	struct bytes regs;  /* that were taken out */
	size_t cut;         /* bytes that will at least be taken out behind the chain */
};

static uint64_t here(const struct fields *fields)
{
	return fields->offset + (uint64_t)(fields->cur.pos - fields->record->data);
}

/* Passes over count elements, of which there may be fewer. */
static const uint8_t *skip(struct fields *fields, uint64_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX;
	return cursor__take(&fields->cur, bytes);
}

static void replace(struct fields *fields, uint64_t at, uint64_t removed, struct bytes bytes)
{
	if (fields->cur.overrun || (!removed && !bytes.size))
		return;
	splices__add(fields->splices, SPLICE_STRUCTURE, at, removed, bytes.data, bytes.size);
	fields->size = fields->size - removed + bytes.size;
}

static void cut(struct fields *fields, uint64_t count, size_t size)
{
	uint64_t at = here(fields);

	if (count && skip(fields, count, size))
		replace(fields, at, count * size, (struct bytes){ NULL, 0 });
}

/*
 * struct read_format: the value of the event, or the number of events of its group; times; the
 * event's id and lost samples, or for each event of the group its value too.
 */
static void change_counts(struct fields *fields, uint64_t format)
{
	uint64_t times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	bool group = format & PERF_FORMAT_GROUP, lost = format & FORMAT_LOST;
	bool known = fields->abi->level->read_bits > FORMAT_LOST_BIT;
	size_t each = (size_t)8 * (group + ((format & PERF_FORMAT_ID) != 0) + (lost && known));
	uint64_t first = cursor__u64(&fields->cur);

	skip(fields, (uint64_t)__builtin_popcountll(times), 8);
	for (uint64_t i = 0; i < (group ? first : 1) && !fields->cur.overrun; i++) {
		if (each)
			skip(fields, 1, each);
		if (lost && !known)
			cut(fields, 1, 8);
	}
}

static uint32_t thread_of(const struct abi *abi, const struct perfdata_record *record,
			  uint64_t sample_type)
{
	uint64_t before = sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	size_t at = BODY + 8 * (size_t)__builtin_popcountll(before) + 4;

	if (!(sample_type & PERF_SAMPLE_TID) || at + 4 > record->size)
		return 0;
	return get_u32(record->data + at, abi->perfdata->order);
}

static bool is_user_context(uint64_t ip)
{
	return ip == (uint64_t)PERF_CONTEXT_USER || ip == USER_DEFERRED;
}

/* A chain that ends in a promise: what was promised takes its place, if it was kept. */
static void change_callchain(struct fields *fields, uint64_t sample_type)
{
	const struct abi *abi = fields->abi;
	enum byte_order order = abi->perfdata->order;
	uint64_t at = here(fields), count = cursor__u64(&fields->cur);
	const uint8_t *ips = skip(fields, count, 8);
	struct bytes chain;
	uint8_t new_count[8];

	if (!abi->defers_callchains || !ips || count < 2 ||
	    get_u64(ips + 8 * (count - 2), order) != USER_DEFERRED)
		return;
	chain = abi__chain(abi, thread_of(abi, fields->record, sample_type),
			   get_u64(ips + 8 * (count - 1), order));
	if (fields->size - DEFERRED_SIZE + chain.size > RECORD_SIZE_MAX)
		chain.size = (RECORD_SIZE_MAX + DEFERRED_SIZE - fields->size) & ~(size_t)7;
	set_u64(new_count, count - 2 + chain.size / 8, order);
	splices__add(fields->splices, SPLICE_STRUCTURE, at, 8, new_count, 8);
	replace(fields, at + 8 * (count - 1), DEFERRED_SIZE, chain);
}

static void change_branches(struct fields *fields, uint64_t branch_type)
{
	uint64_t count = cursor__u64(&fields->cur);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor__u64(&fields->cur);
	skip(fields, count, BRANCH_ENTRY_SIZE);
	if (!(branch_type & BRANCH_COUNTERS))
		return;
	if (fields->abi->level->branch_bits > BRANCH_COUNTERS_BIT)
		skip(fields, count, 8);
	else
		cut(fields, count, 8);
}

/* How much there is room for of a chain of so many bytes, behind its number and its context. */
static size_t room_for(const struct fields *fields, size_t size)
{
	size_t most = RECORD_SIZE_MAX + fields->cut, others = fields->size + 16;

	if (others + size <= most)
		return size;
	return others < most ? (most - others) & ~(size_t)7 : 0;
}

/*
 * The user part of the chain that was recorded gives way to the one that was found. The field may
 * not have been there.
 */
static void bake_callchain(struct fields *fields, bool recorded)
{
	const struct abi *abi = fields->abi;
	enum byte_order order = abi->perfdata->order;
	uint64_t at = here(fields), count = recorded ? cursor__u64(&fields->cur) : 0, kept = 0;
	const uint8_t *ips = skip(fields, count, 8);
	struct bytes chain = fields->chain;
	uint8_t head[8], context[8];

	if (fields->cur.overrun)
		return;
	while (kept < count && !is_user_context(get_u64(ips + 8 * kept, order)))
		kept++;
	chain.size = room_for(fields, chain.size);
	set_u64(head, kept + (chain.size ? 1 + chain.size / 8 : 0), order);
	set_u64(context, (uint64_t)PERF_CONTEXT_USER, order);
	replace(fields, at, recorded ? 8 : 0, (struct bytes){ head, sizeof(head) });
	at += recorded ? 8 * (1 + kept) : 0;
	replace(fields, at, 8 * (count - kept), (struct bytes){ NULL, 0 });
	if (!chain.size)
		return;
	replace(fields, at + 8 * (count - kept), 0, (struct bytes){ context, sizeof(context) });
	replace(fields, at + 8 * (count - kept), 0, chain);
}

/* What begins at an offset of the record, up to the cursor, becomes one number. */
static void replace_by_zero(struct fields *fields, size_t begin)
{
	static const uint8_t zero[8];
	const uint8_t *data = fields->record->data + begin;

	if (!fields->cur.overrun)
		replace(fields, fields->offset + begin, (size_t)(fields->cur.pos - data),
			(struct bytes){ zero, sizeof(zero) });
}

static void cut_from(struct fields *fields, size_t begin)
{
	const uint8_t *data = fields->record->data + begin;

	if (!fields->cur.overrun)
		replace(fields, fields->offset + begin, (size_t)(fields->cur.pos - data),
			(struct bytes){ NULL, 0 });
}

/*
 * Puts bytes behind the field that ends here, by way of its last number: what is put in at the
 * record's end might come behind records that are inserted there.
 */
static void put_behind(struct fields *fields, struct bytes bytes)
{
	const uint8_t *last = fields->cur.pos - 8;
	struct buf *made = &fields->splices->bytes;
	size_t begin;

	if (fields->cur.overrun)
		return;
	begin = splices__add(fields->splices, SPLICE_STRUCTURE, here(fields) - 8, 8, NULL,
			     8 + bytes.size);
	if (made->failed)
		return;
	memcpy(made->data + begin, last, 8);
	memcpy(made->data + begin + 8, bytes.data, bytes.size);
	fields->size += bytes.size;
}

static size_t place(const struct fields *fields)
{
	return (size_t)(fields->cur.pos - fields->record->data);
}

static void skip_regs(struct fields *fields, uint64_t mask)
{
	struct bytes regs;

	perfdata__read_regs(&fields->cur, mask, &regs);
}

static void skip_stack(struct fields *fields)
{
	uint64_t room = cursor__u64(&fields->cur);

	if (room && skip(fields, room, 1))
		cursor__u64(&fields->cur);
}

static void bake_regs_and_stack(struct fields *fields, const struct perf_event_attr *attr)
{
	enum perfdata_bake_stacks stacks = fields->abi->bake->stacks;
	size_t begin = place(fields);

	skip_regs(fields, attr->sample_regs_user);
	if (fields->cur.overrun)
		return;
	fields->regs = (struct bytes){ fields->record->data + begin, place(fields) - begin };
	if (stacks == PERFDATA_STACKS_OF_OTHERS)
		replace_by_zero(fields, begin);
	else
		cut_from(fields, begin);
	begin = place(fields);
	skip_stack(fields);
	if (stacks == PERFDATA_STACKS_OF_OTHERS)
		replace_by_zero(fields, begin);
	else if (stacks == PERFDATA_STACKS_DROPPED)
		cut_from(fields, begin);
}

/* Of a weight in parts the first, u32, is what one number would be. */
static void change_weight(struct fields *fields, uint64_t sample_type)
{
	uint64_t at = here(fields), weight = cursor__u64(&fields->cur);
	uint8_t bytes[8];

	if (!(sample_type & SAMPLE_WEIGHT_STRUCT) ||
	    fields->abi->level->sample_bits > SAMPLE_WEIGHT_STRUCT_BIT)
		return;
	set_u64(bytes, weight & UINT32_MAX, fields->abi->perfdata->order);
	replace(fields, at, sizeof(bytes), (struct bytes){ bytes, sizeof(bytes) });
}

/* One number each: skipped if it is known, else cut. */
static void change_numbers(struct fields *fields, uint64_t sample_type, uint64_t which)
{
	uint64_t known = (1ull << fields->abi->level->sample_bits) - 1;

	skip(fields, (uint64_t)__builtin_popcountll(sample_type & which & known), 8);
	cut(fields, (uint64_t)__builtin_popcountll(sample_type & which & ~known), 8);
}

static void change_tail(struct fields *fields, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	if (fields->baked)
		bake_regs_and_stack(fields, attr);
	else if (type & PERF_SAMPLE_REGS_USER)
		skip_regs(fields, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER && !fields->baked)
		skip_stack(fields);
	if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		change_weight(fields, type);
	change_numbers(fields, type, PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION);
	if (fields->baked && bake__moves_registers(fields->abi->bake, type, attr->size))
		put_behind(fields, fields->regs);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(fields, attr->sample_regs_intr);
	/* those known to all come first */
	change_numbers(fields, type,
		       PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | SAMPLE_DATA_PAGE |
			       SAMPLE_CODE_PAGE);
	if (type & PERF_SAMPLE_AUX)
		skip(fields, cursor__u64(&fields->cur), 1);
}

static void change_fields(struct fields *fields, const struct perf_event_attr *attr)
{
	const uint64_t numbers = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	uint64_t type = attr->sample_type;

	skip(fields, (uint64_t)__builtin_popcountll(type & numbers), 8);
	if (type & PERF_SAMPLE_READ)
		change_counts(fields, attr->read_format);
	if (fields->baked)
		bake_callchain(fields, type & PERF_SAMPLE_CALLCHAIN);
	else if (type & PERF_SAMPLE_CALLCHAIN)
		change_callchain(fields, type);
	if (type & PERF_SAMPLE_RAW)
		skip(fields, cursor__u32(&fields->cur), 1);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		change_branches(fields, attr->branch_sample_type);
	change_tail(fields, attr);
}

/* Whether anything of such samples may have to change: mostly nothing does. */
static bool differs(const struct abi *abi, const struct perf_event_attr *attr)
{
	const struct perfdata_abi *level = abi->level;
	uint64_t type = attr->sample_type;

	return type >> level->sample_bits ||
	       (type & PERF_SAMPLE_READ && attr->read_format >> level->read_bits) ||
	       (type & PERF_SAMPLE_BRANCH_STACK &&
		attr->branch_sample_type >> level->branch_bits) ||
	       (type & PERF_SAMPLE_CALLCHAIN && abi->defers_callchains) ||
	       (abi->bake && perfdata_bake__concerns(attr));
}

/* What was changed of a record that ends too early is taken back. */
static void finish(struct fields *fields, size_t nr_splices)
{
	if (fields->cur.overrun || fields->size > UINT16_MAX) {
		fields->splices->list.count = nr_splices;
		diag__report(fields->abi->diag, DIAG_WARNING, "perfdata.bad-record",
			     fields->abi->perfdata->path, fields->record->offset,
			     "a record is too short for the fields it should have: left as it is");
	} else if (fields->size != fields->record->size) {
		abi__change_size(fields->abi, fields->offset, fields->size, fields->splices);
	}
}

static struct fields open_fields(const struct abi *abi, const struct perfdata_record *record,
				 uint64_t offset, size_t end, struct splices *splices)
{
	struct bytes body = { record->data + BODY, end - BODY };

	return (struct fields){
		.abi = abi,
		.record = record,
		.splices = splices,
		.offset = offset,
		.cur = cursor__at(body, abi->perfdata->order),
		.size = record->size,
	};
}

/* Where others keep their stacks, a sample without a chain is one of those. */
static void open_bake(struct fields *fields, const struct perf_event_attr *attr)
{
	const struct perfdata_bake *bake = fields->abi->bake;
	bool found;

	if (!bake || !perfdata_bake__concerns(attr))
		return;
	found = bake->chain(bake->context, fields->record->nth, &fields->chain);
	if (!found)
		fields->chain = (struct bytes){ NULL, 0 };
	fields->baked = found || bake->stacks != PERFDATA_STACKS_OF_OTHERS;
	/* nothing of what will be cut counts against what may be put in */
	if (fields->baked && bake->stacks != PERFDATA_STACKS_KEPT)
		fields->cut = attr->sample_stack_user;
}

void abi__change_sample(const struct abi *abi, const struct perfdata_record *record,
			uint64_t offset, struct splices *splices)
{
	const struct perf_event_attr *attr = &perfdata__attr_of_record(abi->perfdata, record)->attr;
	size_t nr_splices = splices->list.count;
	struct fields fields;

	if (!differs(abi, attr))
		return;
	fields = open_fields(abi, record, offset, record->size, splices);
	open_bake(&fields, attr);
	change_fields(&fields, attr);
	finish(&fields, nr_splices);
}

/* pid, tid, counts, and the trailer. */
void abi__change_read(const struct abi *abi, const struct perfdata_record *record, uint64_t offset,
		      struct splices *splices)
{
	const struct perfdata_attr *attr = perfdata__attr_of_record(abi->perfdata, record);
	size_t trailer = perfdata__trailer_size(abi->perfdata, attr);
	size_t nr_splices = splices->list.count;
	struct fields fields;

	if (!(attr->attr.read_format >> abi->level->read_bits) || record->size < BODY + trailer)
		return;
	fields = open_fields(abi, record, offset, record->size - trailer, splices);
	skip(&fields, 1, 8);
	change_counts(&fields, attr->attr.read_format);
	finish(&fields, nr_splices);
}
