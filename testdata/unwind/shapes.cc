// SPDX-License-Identifier: GPL-2.0-or-later
// The shared library of dynamic.cc.
#include "shapes.h"

unsigned long shape::twice(unsigned long n)
{
	return area(n) + area(n) + 1;
}

namespace shapes
{

struct square : shape {
	NOINLINE unsigned long area(unsigned long n) override
	{
		return spin(n) + 1;
	}
};

struct circle : shape {
	NOINLINE unsigned long area(unsigned long n) override
	{
		return spin(static_cast<unsigned int>(3 * n)) + 1;
	}
	NOINLINE unsigned long twice(unsigned long n) override
	{
		return shape::twice(n) + 1;
	}
};

} // namespace shapes

NOINLINE unsigned long ask_kernel(unsigned long n)
{
	unsigned long result = 0, got;

	for (unsigned long i = 0; i < n; i++) {
		__asm__ volatile("syscall" : "=a"(got) : "a"(39) : "rcx", "r11", "memory");
		result += got;
	}
	return result + 1;
}

NOINLINE unsigned long for_each_shape(unsigned long n,
				      unsigned long (*visit)(shape *, unsigned long))
{
	shapes::square square;
	shapes::circle circle;

	return visit(&square, n) + visit(&circle, n) + 1;
}
