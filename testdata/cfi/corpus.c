// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions with frames of all kinds. Compiled at each -O level, the compiler's own .eh_frame is
 * the known truth that tracking is compared with: see lib/cfi/track_test.c.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

extern int sink(int value);
extern int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j);
extern void use(void *data);
extern void fail_with(const char *text, int number) __attribute__((noreturn));
extern double combine(double a, double b);
extern int (*const handlers[])(int);
extern jmp_buf escape;

NOINLINE int leaf(int a, int b)
{
	return a * 3 + b;
}

NOINLINE int red_zone(const int *in)
{
	volatile int local[16];

	for (int i = 0; i < 16; i++)
		local[i] = in[i] * i;
	return local[3] + local[15];
}

NOINLINE int one_call(int a)
{
	return sink(a) + 1;
}

NOINLINE int nested_calls(int a, int b)
{
	return sink(sink(a) + sink(b) * sink(sink(a + b)));
}

NOINLINE int many_saved(int a, int b, int c, int d, int e, int f)
{
	int x = sink(a), y = sink(b), z = sink(c), u = sink(d), v = sink(e), w = sink(f);

	for (int i = 0; i < x; i++)
		y += sink(z ^ u) + sink(v ^ w) + sink(i);
	return x + y * z - u * v + w;
}

NOINLINE int many_arguments(int a, int b)
{
	int one = many(a, b, a + b, a - b, a * b, a ^ b, 7, 8, 9, a);

	if (one > b)
		one += many(b, a, 1, 2, 3, 4, 5, one, 7, 8);
	return one;
}

NOINLINE int tail_call(int a)
{
	if (a < 0)
		return sink(-a);
	return sink(a + 1);
}

NOINLINE int tail_call_through_pointer(int a)
{
	int index = sink(a) & 3;

	return handlers[index](a);
}

NOINLINE int shrink_wrapped(int *p, int n)
{
	if (!p)
		return -1;
	for (int i = 0; i < n; i++)
		p[i] = sink(p[i]) + sink(n);
	return sink(p[0]);
}

NOINLINE int early_returns(int a)
{
	if (a == 1)
		return 5;
	if (sink(a) == 2)
		return 6;
	if (sink(a + 1) == 3)
		return sink(7);
	return sink(a) + sink(a + 2);
}

NOINLINE int no_return_in_the_middle(int a, int b)
{
	int x = sink(a);

	if (x < 0)
		fail_with("negative", x);
	if (b > 100)
		fail_with("large", b);
	x += sink(b);
	if (x == 77)
		abort();
	return x + sink(x);
}

NOINLINE int no_return_with_arguments(int a)
{
	if (a > 3)
		return sink(a);
	if (many(a, 2, 3, 4, 5, 6, 7, 8, 9, 10) > a)
		exit(many(1, 2, 3, 4, 5, 6, a, 8, 9, 10));
	return many(a, a, a, a, a, a, a, a, a, a);
}

__attribute__((noreturn)) NOINLINE void never_returns(int a)
{
	char text[64];

	snprintf(text, sizeof(text), "%d", sink(a));
	for (;;)
		use(text);
}

NOINLINE int dense_switch(int a, int b)
{
	switch (a) {
	case 0:
		return sink(b);
	case 1:
		return sink(b + 1) * sink(2);
	case 2:
		b += sink(3);
		break;
	case 3:
		b -= sink(4);
		/* fall through */
	case 4:
		b ^= sink(5);
		break;
	case 5:
		return many(b, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	case 6:
		fail_with("six", b);
	case 7:
		return -1;
	case 8:
		b *= 9;
		break;
	case 9:
		return sink(b) + sink(b * 2);
	}
	return sink(b) + b;
}

NOINLINE int switch_in_a_loop(const unsigned char *code, size_t size)
{
	int stack[32], depth = 0;

	for (size_t i = 0; i < size; i++) {
		switch (code[i]) {
		case 10:
			stack[depth++ & 31] = sink((int)i);
			break;
		case 11:
			depth--;
			break;
		case 12:
			stack[depth & 31] += stack[(depth - 1) & 31];
			break;
		case 13:
			use(stack);
			break;
		case 14:
			return stack[depth & 31];
		case 15:
			stack[0] = sink(stack[depth & 31]);
			break;
		case 16:
			abort();
		case 17:
			depth = sink(depth);
			break;
		default:
			sink(code[i]);
		}
	}
	return depth;
}

NOINLINE int uses_alloca(int n)
{
	char *data = alloca((size_t)n);

	memset(data, n, (size_t)n);
	use(data);
	return data[n / 2] + sink(n);
}

NOINLINE int alloca_in_a_loop(int n)
{
	int sum = 0;

	for (int i = 1; i < n; i++) {
		char *data = alloca((size_t)i);

		use(data);
		sum += many(i, 1, 2, 3, 4, 5, 6, 7, 8, data[0]);
	}
	return sum;
}

NOINLINE int variable_array(int n)
{
	int data[n];

	for (int i = 0; i < n; i++)
		data[i] = sink(i);
	{
		char more[n * 2];

		use(more);
		data[0] += more[1];
	}
	use(data);
	return data[n - 1];
}

NOINLINE int variable_arguments(const char *format, ...)
{
	char text[200];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	use(text);
	va_end(args);
	return n;
}

NOINLINE double sum_of_doubles(int n, ...)
{
	double sum = 0;
	va_list args;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		sum += combine(va_arg(args, double), i);
	va_end(args);
	return sum;
}

NOINLINE int big_frame(int a)
{
	char data[100000];

	use(data);
	return data[a] + sink(a);
}

NOINLINE int page_frame(int a)
{
	char data[5000];

	use(data);
	return data[a & 4095] + sink(a);
}

NOINLINE int realigned(int a)
{
	_Alignas(64) char data[128];

	use(data);
	return data[a & 127] + sink(a);
}

NOINLINE int realigned_with_arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
	_Alignas(128) int data[64];

	use(data);
	data[0] = many(a, b, c, d, e, f, g, h, data[1], data[2]);
	use(data);
	return data[h & 63] + sink(g);
}

NOINLINE int realigned_and_alloca(int n)
{
	_Alignas(64) char data[64];
	char *more = alloca((size_t)n);

	use(data);
	use(more);
	return data[0] + more[0] + sink(n);
}

NOINLINE int jumps_back(int a)
{
	if (setjmp(escape))
		return sink(a);
	sink(a + 1);
	longjmp(escape, 1);
}

NOINLINE double floating(const double *in, int n)
{
	double a = 0, b = 1;

	for (int i = 0; i < n; i++) {
		a = combine(a, in[i]);
		b = combine(b, a * in[i]);
	}
	return a / b;
}

struct large {
	long values[20];
};

NOINLINE struct large returns_struct(int a)
{
	struct large result = { { a, sink(a) } };

	use(&result);
	return result;
}

NOINLINE long takes_struct(struct large in, int index)
{
	use(&in);
	return in.values[index] + sink(index);
}

NOINLINE long passes_struct(int a)
{
	struct large one = returns_struct(a);

	return takes_struct(one, a) + takes_struct(one, sink(a));
}

NOINLINE int recursion(int n)
{
	return n < 2 ? n : recursion(n - 1) + recursion(n - 2);
}

NOINLINE int gotos(int a)
{
	static const void *const labels[] = { &&first, &&second, &&third };

	goto *labels[a % 3u];
first:
	a = sink(a);
second:
	a += sink(a * 2);
third:
	return sink(a);
}

#ifndef __clang__
NOINLINE int nested_function(int a)
{
	int inner(int x)
	{
		return x + a + sink(x);
	}

	return inner(1) + inner(sink(2));
}
#endif

NOINLINE uint64_t mixing(const uint8_t *data, size_t size)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	while (size >= 8) {
		a = a * 31 + data[0];
		b = (b ^ a) + data[1];
		c = (c << 3 | c >> 61) + data[2] + b;
		d = d * c + data[3];
		e = e + d * data[4];
		f = f ^ (e + data[5]);
		g = g * 5 + f + data[6];
		h = h - g + data[7];
		data += 8;
		size -= 8;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

NOINLINE int copies(char *to, const char *from, size_t size)
{
	char local[256];

	memcpy(local, from, size & 255);
	local[255] = 0;
	strcpy(to, local);
	return (int)strlen(to) + sink(local[0]);
}

__attribute__((cold)) NOINLINE void is_cold(int a)
{
	if (a)
		fail_with("cold", a);
	sink(a);
}

NOINLINE int has_cold_parts(int a, int b)
{
	int x = sink(a);

	if (__builtin_expect(x == 3, 0)) {
		is_cold(x);
		x += many(1, 2, 3, 4, 5, 6, 7, 8, b, x);
		is_cold(b);
	}
	return x + sink(b) * sink(a);
}

NOINLINE int callback(int (*function)(void *, int), void *context, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		int result = function(context, i);

		if (result < 0)
			return result;
		sum += result;
	}
	return sum;
}
