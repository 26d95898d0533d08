// Tests the heap of Sources/eightballd/Static: scripts/check eightballd compiles it with the names
// small_malloc, small_calloc, small_realloc and small_free.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void *small_malloc(size_t size);
void *small_calloc(size_t count, size_t size);
void *small_realloc(void *old, size_t size);
void small_free(void *bytes);

#define SPACE (256 * 1024)
#define BLOCKS 64

static int failures;

static void expect(int is_right, const char *what) {
    if (is_right) return;
    failures++;
    puts(what);
}

static int has_only(const unsigned char *bytes, size_t size, unsigned char value) {
    for (size_t index = 0; index < size; index++) {
        if (bytes[index] != value) return 0;
    }
    return 1;
}

static uint32_t random_state = 8;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

// Blocks are made, grow, shrink and are freed in any order: each keeps its bytes.
static void keeps_bytes(void) {
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    for (int turn = 0; turn < 100000; turn++) {
        uint32_t index = random_below(BLOCKS);
        size_t size = random_below(3000);
        unsigned char mark = (unsigned char)(index + 1);
        if (blocks[index] == NULL) {
            int is_clear = random_below(2) == 0;
            blocks[index] = is_clear ? small_calloc(size, 1) : small_malloc(size);
            expect(blocks[index] != NULL, "there is no room for a small block");
            if (is_clear) expect(has_only(blocks[index], size, 0), "calloc does not clear");
        } else if (random_below(3) == 0) {
            size_t kept = size < sizes[index] ? size : sizes[index];
            unsigned char *bytes = small_realloc(blocks[index], size);
            expect(bytes != NULL && has_only(bytes, kept, mark), "realloc loses bytes");
            blocks[index] = bytes;
        } else {
            expect(has_only(blocks[index], sizes[index], mark), "a block is overwritten");
            small_free(blocks[index]);
            blocks[index] = NULL;
            continue;
        }
        if (failures != 0) return;
        expect((uintptr_t)blocks[index] % _Alignof(max_align_t) == 0, "a block is not aligned");
        memset(blocks[index], mark, size);
        sizes[index] = size;
    }
    for (int index = 0; index < BLOCKS; index++) small_free(blocks[index]);
}

static void refuses(void *bytes, const char *what) {
    expect(bytes == NULL && errno == ENOMEM, what);
    errno = 0;
}

int main(void) {
    keeps_bytes();
    // When everything is free again, it is one block.
    void *whole = small_malloc(SPACE - 64);
    expect(whole != NULL, "free blocks do not become one");
    refuses(small_malloc(64), "a full heap gives a block");
    refuses(small_realloc(whole, SPACE), "a full heap makes a block larger");
    small_free(whole);
    refuses(small_malloc(SPACE), "a block as large as the heap is given");
    refuses(small_malloc(SIZE_MAX), "the largest size is not refused");
    refuses(small_malloc(SIZE_MAX - 15), "a size that wraps when it is rounded is not refused");
    refuses(small_calloc(SIZE_MAX / 2, 3), "a product that wraps is not refused");
    small_free(NULL);
    void *fresh = small_realloc(NULL, 0);
    expect(fresh != NULL, "realloc of nothing gives nothing");
    small_free(fresh);
    return failures != 0;
}
