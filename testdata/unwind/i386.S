/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A 32-bit process: its registers are not those of the machine that it runs on. */
.text
.globl _start
_start:
	mov $100000000, %ecx
1:	dec %ecx
	jnz 1b
	mov $1, %eax
	xor %ebx, %ebx
	int $0x80

.section .note.GNU-stack, "", @progbits
