// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/text.h"
#include "dso/image.h"

/* Sets the hash that fills the last 4 bytes apart from the one that fills the first 16. */
#define TAIL_SEED UINT64_C(0x6a69742d64736f31)

_Static_assert(sizeof(XXH128_canonical_t) + sizeof(uint32_t) == DSO_BUILD_ID_SIZE,
	       "128 and 32 bits fill a build-id");

/* Both hashes over the same bytes; fields are put together in a buffer, little-endian always. */
struct hasher {
	XXH3_state_t *head;
	XXH3_state_t *tail;
	struct buf fields;
};

static void hash(struct hasher *hasher, struct bytes bytes)
{
	if (!bytes.size)
		return;
	XXH3_128bits_update(hasher->head, bytes.data, bytes.size);
	XXH3_64bits_update(hasher->tail, bytes.data, bytes.size);
}

static void hash_fields(struct hasher *hasher)
{
	hash(hasher, buf__bytes(&hasher->fields));
	hasher->fields.size = 0;
}

/* Each preceded by its size, so that what is before and behind can't be taken for its part. */
static void put_bytes(struct buf *fields, struct bytes bytes)
{
	buf__put_u64(fields, bytes.size);
	buf__put(fields, bytes.data, bytes.size);
}

static void put_name(struct buf *fields, const char *name)
{
	size_t size = fields->size;

	buf__put_u64(fields, 0);
	text__put_printable(fields, name);
	if (!fields->failed)
		set_u64(fields->data + size, fields->size - size - 8, fields->order);
}

static void put_cfi(struct buf *fields, const struct cfi_entry *entry)
{
	const struct cfi_cie *cie = entry->cie;

	buf__put_u64(fields, entry->addr);
	buf__put_u64(fields, entry->size);
	buf__put_u64(fields, cie->code_align);
	buf__put_u64(fields, (uint64_t)cie->data_align);
	buf__put_u64(fields, cie->ra_register);
	buf__put_u8(fields, cie->signal_frame);
	buf__put_u8(fields, cie->pauth_b_key);
	put_bytes(fields, cie->instructions);
	put_bytes(fields, entry->instructions);
}

static void put_lines(struct buf *fields, const struct dso_function *function)
{
	const struct code_lines *lines = function->record->lines;

	buf__put_u8(fields, lines != NULL);
	if (!lines)
		return;
	buf__put_u64(fields, lines->nr_rows);
	buf__put_u64(fields, lines->nr_files);
	buf__put_u64(fields, lines->nr_inlined);
	for (size_t i = 0; i < lines->nr_rows; i++) {
		const struct code_line *row = &lines->rows[i];

		/* As it moves along with the code, so does its hash. */
		buf__put_u64(fields, row->addr - function->record->addr);
		buf__put_u32(fields, row->line);
		buf__put_u32(fields, row->column);
		buf__put_u32(fields, row->file);
		buf__put_u32(fields, row->inlined);
	}
	for (size_t i = 0; i < lines->nr_files; i++)
		put_name(fields, lines->files[i]);
	for (size_t i = 0; i < lines->nr_inlined; i++) {
		const struct code_inlined *inlined = &lines->inlined[i];

		put_name(fields, inlined->name);
		buf__put_u32(fields, inlined->caller);
		buf__put_u32(fields, inlined->call_file);
		buf__put_u32(fields, inlined->call_line);
		buf__put_u32(fields, inlined->call_column);
	}
}

static void hash_function(struct hasher *hasher, const struct dso_spec *spec,
			  const struct dso_function *function)
{
	struct bytes code = image__function_code(function);

	buf__put_u64(&hasher->fields, function->addr);
	buf__put_u64(&hasher->fields, function->size);
	put_name(&hasher->fields, function->record->name);
	if (spec->lines)
		put_lines(&hasher->fields, function);
	buf__put_u64(&hasher->fields, code.size);
	hash_fields(hasher);
	hash(hasher, code);
}

static void hash_spec(struct hasher *hasher, const struct dso_spec *spec)
{
	buf__put_u16(&hasher->fields, spec->target.machine);
	buf__put_u8(&hasher->fields, spec->target.class);
	buf__put_u8(&hasher->fields, spec->target.order);
	buf__put_u8(&hasher->fields, (uint8_t)spec->headers);
	buf__put_u64(&hasher->fields, spec->base);
	buf__put_u64(&hasher->fields, spec->text_end);
	buf__put_u64(&hasher->fields, spec->unwind);
	buf__put_u64(&hasher->fields, spec->memory_end);
	buf__put_u8(&hasher->fields, spec->lines);
	buf__put_u8(&hasher->fields, spec->bare);
	put_bytes(&hasher->fields, spec->identity);
	buf__put_u64(&hasher->fields, spec->nr_functions);
	for (size_t i = 0; i < spec->nr_functions; i++)
		hash_function(hasher, spec, &spec->functions[i]);
	buf__put_u64(&hasher->fields, spec->nr_cfi);
	for (size_t i = 0; i < spec->nr_cfi; i++) {
		put_cfi(&hasher->fields, &spec->cfi[i]);
		hash_fields(hasher);
	}
}

int dso__build_id(const struct dso_spec *spec, uint8_t build_id[DSO_BUILD_ID_SIZE])
{
	struct hasher hasher = { XXH3_createState(), XXH3_createState(), BUF(ORDER_LITTLE) };
	bool done = hasher.head && hasher.tail;
	XXH128_canonical_t head;

	if (done) {
		XXH3_128bits_reset(hasher.head);
		XXH3_64bits_reset_withSeed(hasher.tail, TAIL_SEED);
		hash_spec(&hasher, spec);
		XXH128_canonicalFromHash(&head, XXH3_128bits_digest(hasher.head));
		memcpy(build_id, head.digest, sizeof(head.digest));
		set_u32(build_id + sizeof(head.digest), (uint32_t)XXH3_64bits_digest(hasher.tail),
			ORDER_BIG);
	}
	done = done && !hasher.fields.failed;
	XXH3_freeState(hasher.head);
	XXH3_freeState(hasher.tail);
	buf__free(&hasher.fields);
	return done ? 0 : -ENOMEM;
}
