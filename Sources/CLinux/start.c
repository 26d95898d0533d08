// The pages of a program that only its start needs.
#define _GNU_SOURCE
#include "internal.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

/// Unmaps the parts of the program, or of a library, that nothing writes. They stay in the system's cache, and the
/// kernel maps a page again when it is used.
static int forget(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    const uintptr_t page = *(const uintptr_t *)data;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        uintptr_t end = (start + part->p_memsz + page - 1) & ~(page - 1);
        start &= ~(page - 1);
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void clinux_forget_start(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(forget, &page);
}
