// SPDX-License-Identifier: GPL-2.0-or-later
/* What was done to an edited profile: its journal read forwards. */
#include "perfdata/edits.h"

#include <errno.h>

#include "base/diag.h"

static bool is_inserted_type(uint32_t type)
{
	return type == PERFDATA_MMAP2 || type == PERFDATA_COMM || type == PERFDATA_HEADER_BUILD_ID;
}

bool change__is_records(const struct change *change, const struct perfdata *edited)
{
	enum byte_order order = edited->order;
	uint64_t at = 0, size = 0;

	if (change->removed || !change->put.size)
		return false;
	for (; change->put.size - at >= PERFDATA_RECORD_HEADER_SIZE; at += size) {
		size = get_u16(change->put.data + at + 6, order);
		if (size < PERFDATA_RECORD_HEADER_SIZE || size > change->put.size - at ||
		    !is_inserted_type(get_u32(change->put.data + at, order)))
			return false;
	}
	return at == change->put.size;
}

struct changes {
	const struct perfdata *original, *edited;
	int (*visit)(void *context, const struct change *change);
	void *context;
};

/* back: the splices that turn this part into the original's. */
static int visit_splices(const struct changes *changes, size_t nth, const struct splices *back)
{
	const struct perfdata_part *from = &changes->edited->source.parts.items[nth];
	const struct perfdata_part *to = &changes->original->source.parts.items[nth];
	uint64_t moved = 0;
	int err = 0;

	array__for_each(splice, &back->list) {
		struct change change = {
			.offset = to->start + splice->offset - moved,
			.removed = splice->size,
			.put = { changes->edited->source.bytes.data + from->start + splice->offset,
				 splice->removed },
		};

		moved += splice->removed - splice->size;
		err = changes->visit(changes->context, &change);
		if (err)
			break;
	}
	return err;
}

static int visit_part(const struct changes *changes, size_t nth)
{
	const struct perfdata_part *part = &changes->edited->source.parts.items[nth];
	struct bytes bytes = { changes->edited->source.bytes.data + part->start, part->size };
	struct splices back = { 0 };
	uint64_t size;
	int err = journal__read(bytes, &back, &size);

	if (!err)
		err = visit_splices(changes, nth, &back);
	else if (err == -ENOENT)
		err = -EINVAL;
	splices__free(&back);
	return err;
}

int perfdata__for_each_change(const struct perfdata *original, const struct perfdata *edited,
			      int (*visit)(void *context, const struct change *change),
			      void *context)
{
	const struct changes changes = { original, edited, visit, context };
	int err = 0;

	if (original->source.parts.count != edited->source.parts.count)
		return -EINVAL;
	for (size_t i = 0; !err && i < edited->source.parts.count; i++)
		err = visit_part(&changes, i);
	return err;
}

struct edit_visitor {
	const struct perfdata *edited;
	int (*visit)(void *context, const struct perfdata_edit *edit);
	void *context;
	int stopped; /* what visit returned */
};

static int pass_on(struct edit_visitor *visitor, uint64_t offset,
		   const struct perfdata_record *record)
{
	const struct perfdata_edit edit = { offset, record };

	visitor->stopped = visitor->visit(visitor->context, &edit);
	return visitor->stopped;
}

static int visit_change(void *context, const struct change *change)
{
	struct edit_visitor *visitor = context;
	const struct perfdata *edited = visitor->edited;
	uint64_t at = (uint64_t)(change->put.data - edited->source.bytes.data);
	uint64_t end = at + change->put.size;
	struct perfdata_record record;
	int err = 0;

	if (!change__is_records(change, edited))
		return pass_on(visitor, change->offset, NULL);
	for (; !err && at < end; at = record.end) {
		perfdata__read_record(edited, at, end, &record);
		if (record.type != PERFDATA_HEADER_BUILD_ID)
			err = pass_on(visitor, change->offset, &record);
	}
	return err;
}

int perfdata__for_each_edit(const struct perfdata *original, const struct perfdata *edited,
			    int (*visit)(void *context, const struct perfdata_edit *edit),
			    void *context, struct diag *diag)
{
	struct edit_visitor visitor = { edited, visit, context, 0 };
	int err = perfdata__for_each_change(original, edited, visit_change, &visitor);

	if (err && !visitor.stopped && err != -ENOMEM)
		diag__report(diag, DIAG_ERROR, "perfdata.bad-journal", edited->path, DIAG_NO_OFFSET,
			     "what was put into it can't be read: the file was changed");
	return err;
}
