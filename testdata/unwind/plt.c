/* SPDX-License-Identifier: GPL-2.0-or-later */
int first(int);
int second(int);
static int twice(int x) { return second(x) + first(x); }
int calls(int x) { return twice(x) + first(x + 1); }
