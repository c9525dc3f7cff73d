/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * The emulated machine's whole firmware, in place of a BIOS and a boot loader:
 * 64 KiB at the top of the address space, entered at the reset vector.  It
 * reads the kernel and the initramfs from the first ATA disk into memory and
 * enters the kernel by the 64-bit boot protocol (Linux, Documentation/x86/boot).
 *
 * Symbols from the command line (as --defsym): INITRD_SIZE and MEMORY in bytes,
 * KERNEL_UNITS and INITRD_UNITS in units of 128 KiB.  Included files: vmlinuz
 * for its set-up header, and cmdline.
 */
	.set	KERNEL, 0x1000000	/* where this kernel prefers to be */
	.set	INITRD, 0x8000000	/* beyond what it unpacks itself to */
	.set	TABLES, 0x10000		/* page tables: PML4, PDPT, 4 directories */
	.set	PARAMS, 0x20000		/* struct boot_params, then the command line */

	.code16
start:	cli
	lgdtl	%cs:gdt_pointer - start
	movl	%cr0, %eax
	andl	$0x1fffffff, %eax	/* caches on */
	orl	$1, %eax		/* protected mode */
	movl	%eax, %cr0
	ljmpl	$0x08, $protected

	.code32
protected:
	movl	$0x18, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	$0x80000, %esp
	cld

	xorl	%esi, %esi
	movl	$KERNEL, %edi
	movl	$KERNEL_UNITS, %ebp
	call	load
	movl	$INITRD, %edi
	movl	$INITRD_UNITS, %ebp
	call	load
	movl	$params, %esi
	movl	$PARAMS, %edi
	movl	$0x2000, %ecx
	rep movsb

	/* Map the low 4 GiB onto themselves in pages of 2 MiB.  Memory does not
	   start out as zero. */
	movl	$TABLES, %edi
	xorl	%eax, %eax
	movl	$0x6000 / 4, %ecx
	rep stosl
	movl	$TABLES + 0x1003, TABLES
	movl	$TABLES + 0x2003, TABLES + 0x1000
	movl	$TABLES + 0x3003, TABLES + 0x1008
	movl	$TABLES + 0x4003, TABLES + 0x1010
	movl	$TABLES + 0x5003, TABLES + 0x1018
	movl	$TABLES + 0x2000, %edi
	movl	$0x83, %eax
1:	movl	%eax, (%edi)
	addl	$8, %edi
	addl	$0x200000, %eax
	jnc	1b

	movl	$0x20, %eax		/* PAE */
	movl	%eax, %cr4
	movl	$TABLES, %eax
	movl	%eax, %cr3
	movl	$0xc0000080, %ecx	/* EFER: long mode */
	rdmsr
	orl	$0x100, %eax
	wrmsr
	movl	%cr0, %eax
	orl	$0x80000000, %eax	/* paging */
	movl	%eax, %cr0
	movl	$PARAMS, %esi
	ljmp	$0x10, $KERNEL + 0x200

/* Reads ebp units of 256 sectors from sector esi on to the address edi. */
load:	movw	$0x1f2, %dx
	movb	$0, %al			/* 256 sectors */
	outb	%al, %dx
	movl	%esi, %eax
	incw	%dx
	outb	%al, %dx
	shrl	$8, %eax
	incw	%dx
	outb	%al, %dx
	shrl	$8, %eax
	incw	%dx
	outb	%al, %dx
	shrl	$8, %eax
	orb	$0xe0, %al		/* first drive, linear address */
	incw	%dx
	outb	%al, %dx
	movb	$0x20, %al		/* READ SECTORS */
	incw	%dx
	outb	%al, %dx
	movl	$256, %ebx
1:	movw	$0x1f7, %dx
2:	inb	%dx, %al
	testb	$0x80, %al		/* busy */
	jnz	2b
	testb	$0x08, %al		/* data ready */
	jz	2b
	movw	$0x1f0, %dx
	movl	$256, %ecx
	rep insw
	decl	%ebx
	jnz	1b
	addl	$256, %esi
	decl	%ebp
	jnz	load
	ret

	.balign	8
gdt:	.quad	0
	.quad	0x00cf9a000000ffff	/* 08: 32-bit code */
	.quad	0x00af9a000000ffff	/* 10: 64-bit code, as Linux wants it */
	.quad	0x00cf92000000ffff	/* 18: data */
gdt_pointer:
	.word	. - gdt - 1
	.long	gdt

	/* struct boot_params: the kernel's own set-up header, with a boot
	   loader's fields filled in between, and a memory map. */
	.balign	16
params:	.org	params + 0x1e8
	.byte	2			/* entries of the memory map */
	.org	params + 0x1f1
	.incbin	"vmlinuz", 0x1f1, 0x210 - 0x1f1
	.byte	0xff			/* type_of_loader: unregistered */
	.incbin	"vmlinuz", 0x211, 0x218 - 0x211
	.long	INITRD, INITRD_SIZE
	.incbin	"vmlinuz", 0x220, 0x228 - 0x220
	.long	PARAMS + 0x1000		/* cmd_line_ptr */
	.incbin	"vmlinuz", 0x22c, 0x26c - 0x22c
	.org	params + 0x2d0
	.quad	0, 0xa0000
	.long	1
	.quad	0x100000, MEMORY - 0x100000
	.long	1
	.org	params + 0x1000
	.incbin	"cmdline"
	.org	params + 0x2000

	.org	start + 0xfff0
	.code16
	jmp	start
	.org	start + 0x10000
