// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains of user space that the kernel recorded when the thread went back there
 * (CALLCHAIN_DEFERRED), for the samples that promised them by a cookie.
 */
#include "perfdata/abi_convert.h"

#include <errno.h>

#define BODY PERFDATA_RECORD_HEADER_SIZE

/* u64 cookie, u64 count, that many addresses, the trailer */
int abi__note_chain(struct abi *abi, const struct perfdata_record *record)
{
	struct bytes body = { record->data + BODY, record->size - BODY };
	struct cursor cur = cursor__at(body, abi->perfdata->order);
	struct abi_chain chain = { .begin = abi->ips.size, .nth = abi->chains.count };
	struct perfdata_sample_id sample_id;
	uint64_t count;
	const uint8_t *ips;

	chain.cookie = cursor__u64(&cur);
	count = cursor__u64(&cur);
	if (count > cursor__left(&cur) / 8 ||
	    !perfdata__parse_sample_id(abi->perfdata, record, &sample_id))
		return 0;
	chain.tid = sample_id.tid;
	chain.size = (uint32_t)(8 * count);
	ips = cursor__take(&cur, chain.size);
	buf__put(&abi->ips, ips, chain.size);
	if (abi->ips.failed || !array__push(&abi->chains, chain))
		return -ENOMEM;
	return 0;
}

static int compare(const struct abi_chain *x, const struct abi_chain *y)
{
	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int compare_chains(const void *a, const void *b)
{
	const struct abi_chain *x = a, *y = b;
	int order = compare(x, y);

	return order ? order : x->nth < y->nth ? -1 : x->nth > y->nth;
}

void abi__sort_chains(struct abi *abi)
{
	if (abi->chains.count)
		qsort(abi->chains.items, abi->chains.count, sizeof(struct abi_chain),
		      compare_chains);
}

static int compare_key(const void *key, const void *item)
{
	return compare(key, item);
}

struct bytes abi__chain(const struct abi *abi, uint32_t tid, uint64_t cookie)
{
	struct abi_chain key = { .tid = tid, .cookie = cookie };
	const struct abi_chain *found = NULL;

	if (abi->chains.count)
		found = bsearch(&key, abi->chains.items, abi->chains.count,
				sizeof(struct abi_chain), compare_key);
	if (!found)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ abi->ips.data + found->begin, found->size };
}
