// SPDX-License-Identifier: GPL-2.0-or-later
/* How baking changes attrs. Samples are changed by abi_sample.c. */
#include "perfdata/bake.h"

#include "perfdata/abi_convert.h"

/* Where fields of struct perf_event_attr stand. */
#define AT_SAMPLE_TYPE 24
#define AT_FLAGS       40
#define AT_REGS_USER   80
#define AT_STACK_USER  88
#define AT_REGS_INTR   96
#define STACK_USER_END 92
#define REGS_INTR_END  104
/* exclude_callchain_user, in the bit fields of attr */
#define FLAG_NO_USER_CHAIN 22

#define NEEDED (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

bool perfdata_bake__concerns(const struct perf_event_attr *attr)
{
	return (attr->sample_type & NEEDED) == NEEDED && attr->size >= STACK_USER_END;
}

bool bake__moves_registers(const struct perfdata_bake *bake, uint64_t sample_type,
			   uint32_t attr_size)
{
	return bake->stacks == PERFDATA_STACKS_KEPT && attr_size >= REGS_INTR_END &&
	       !(sample_type & PERF_SAMPLE_REGS_INTR);
}

/* Big-endian compilers fill bit fields from the other end of each byte. */
static void clear_flag(uint8_t *data, unsigned int flag, enum byte_order order)
{
	unsigned int bit = order == ORDER_LITTLE ? flag % 8 : 7 - flag % 8;

	data[AT_FLAGS + flag / 8] &= (uint8_t) ~(1u << bit);
}

void bake__change_attr(const struct perfdata_bake *bake, uint8_t *data, uint32_t size,
		       enum byte_order order)
{
	uint64_t type;

	if (!bake || size < STACK_USER_END)
		return;
	type = get_u64(data + AT_SAMPLE_TYPE, order);
	if ((type & NEEDED) != NEEDED)
		return;
	clear_flag(data, FLAG_NO_USER_CHAIN, order);
	if (bake->stacks != PERFDATA_STACKS_OF_OTHERS) {
		if (bake__moves_registers(bake, type, size)) {
			memcpy(data + AT_REGS_INTR, data + AT_REGS_USER, sizeof(uint64_t));
			type |= PERF_SAMPLE_REGS_INTR;
		}
		memset(data + AT_REGS_USER, 0, sizeof(uint64_t));
		type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	}
	if (bake->stacks == PERFDATA_STACKS_DROPPED) {
		memset(data + AT_STACK_USER, 0, sizeof(uint32_t));
		type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	}
	set_u64(data + AT_SAMPLE_TYPE, type | PERF_SAMPLE_CALLCHAIN, order);
}

void perfdata_edits__set_bake(struct perfdata_edits *edits, const struct perfdata_bake *bake)
{
	edits->bake = bake;
}
