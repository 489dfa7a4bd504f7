/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code whose addresses have several symbols, or none that says how long it is. Each part spins in
 * a loop of its own.
 */
.macro spin rounds
	mov $\rounds, %rcx
1:	dec %rcx
	jnz 1b
.endm

.text
.globl _start
.type _start, @function
_start:
	mov $60, %r12
again:
	call around
	call unsized
	call behind
	call aliased
	call typed
	dec %r12
	jnz again
	mov $231, %eax
	xor %edi, %edi
	syscall
.size _start, . - _start

/* a label within a function */
.globl around
.type around, @function
around:
	spin 2000000
.globl within
within:
	spin 2000000
	ret
.size around, . - around

/* without a size: as far as the next one, which a version's number, no address at all, is not */
.globl unsized
.type unsized, @function
unsized:
	spin 2000000
	ret
.globl VERSION_1.0
.type VERSION_1.0, @object
VERSION_1.0 = 0x401048

/* the label there is hidden */
.globl behind
.type behind, @function
behind:
	spin 1000
.size behind, . - behind
.globl hidden_label
.hidden hidden_label
hidden_label:
	spin 2000000
	ret

/* weak, local, with more underscores, shorter: the one that is none of this is taken */
.globl taken_by_all, __taken_by_all_but_one, weak_and_so_not_taken_at_all, taken
.weak weak_and_so_not_taken_at_all
.type weak_and_so_not_taken_at_all, @function
.type local_and_so_not_taken_at_all, @function
.type __taken_by_all_but_one, @function
.type taken, @function
.type taken_by_all, @function
weak_and_so_not_taken_at_all:
local_and_so_not_taken_at_all:
__taken_by_all_but_one:
taken:
taken_by_all:
aliased:
	spin 2000000
	ret
.size aliased, . - aliased
.size weak_and_so_not_taken_at_all, . - aliased
.size local_and_so_not_taken_at_all, . - aliased
.size __taken_by_all_but_one, . - aliased
.size taken, . - aliased
.size taken_by_all, . - aliased

/* a function rather than a label, though weak */
.globl typed, label_of_the_same_place_and_size
.weak typed
.type typed, @function
typed:
label_of_the_same_place_and_size:
	spin 2000000
	ret
.size typed, . - typed
.size label_of_the_same_place_and_size, . - typed

.section .note.GNU-stack, "", @progbits
