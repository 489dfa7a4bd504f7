/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dynamic.cc and shapes.cc have in common: neither has a C library. */
#ifndef SHAPES_H
#define SHAPES_H

#define NOINLINE __attribute__((noinline))

struct shape {
	virtual unsigned long area(unsigned long n) = 0;
	virtual unsigned long twice(unsigned long n);
};

/* Calls visit for each shape, from the shared library. */
unsigned long for_each_shape(unsigned long n, unsigned long (*visit)(shape *, unsigned long));
unsigned long ask_kernel(unsigned long n);

template <typename T> NOINLINE T spin(T n)
{
	T s = n;

	for (T i = 0; i < n; i++) {
		s = s * 31 + (s >> 7);
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}

#endif
