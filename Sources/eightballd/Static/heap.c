// malloc, calloc, realloc and free for the static program; musl's take 8 kB. Only C allocates, and
// little: libgpiod and its caller keep records of lines, and opendir has the buffer of one
// directory.
//
// The space is fixed. Blocks lie in it without gaps, each after its size. The first free block that
// is large enough is taken, and the search merges adjacent free blocks. Without a large enough
// block, malloc returns NULL and sets errno to ENOMEM. Not thread-safe: the program has one thread.
// SwiftPM does not build this file.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Sizes and addresses are multiples of this, so the lowest bit of a size is free for a mark.
#define UNIT 16
#define IS_USED ((size_t)1)

// The header of a block: its size and IS_USED.
struct block {
    _Alignas(UNIT) size_t size;
};

// libgpiod 1 keeps 150 bytes for each line of a chip, and a board names at most 1,024. Unused pages
// take no memory.
static _Alignas(UNIT) unsigned char space[256 * 1024];
static unsigned char *const end = space + sizeof space;

static struct block *after(struct block *block) {
    return (struct block *)((unsigned char *)(block + 1) + (block->size & ~IS_USED));
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    struct block *block = (struct block *)space;
    if (size > sizeof space) return no_memory();
    size = size == 0 ? UNIT : (size + UNIT - 1) / UNIT * UNIT;
    if (block->size == 0) block->size = sizeof space - sizeof *block;
    for (; (unsigned char *)block < end; block = after(block)) {
        if (block->size & IS_USED) continue;
        struct block *next = after(block);
        while ((unsigned char *)next < end && !(next->size & IS_USED)) {
            block->size += sizeof *next + next->size;
            next = after(block);
        }
        if (block->size < size) continue;
        // The remainder becomes a block if it has room for any bytes.
        if (block->size - size > sizeof *block) {
            size_t rest = block->size - size - sizeof *block;
            block->size = size;
            after(block)->size = rest;
        }
        block->size |= IS_USED;
        return block + 1;
    }
    return no_memory();
}

void free(void *bytes) {
    if (bytes != NULL) ((struct block *)bytes - 1)->size &= ~IS_USED;
}

void *calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return no_memory();
    void *bytes = malloc(total);
    return bytes == NULL ? NULL : memset(bytes, 0, total);
}

void *realloc(void *old, size_t size) {
    void *bytes = malloc(size);
    if (bytes == NULL || old == NULL) return bytes;
    size_t kept = ((struct block *)old - 1)->size & ~IS_USED;
    memcpy(bytes, old, kept < size ? kept : size);
    free(old);
    return bytes;
}
