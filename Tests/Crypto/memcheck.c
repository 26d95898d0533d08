// Marks memory as undefined for memcheck. Without valgrind these do nothing.

#include <stddef.h>
#include <valgrind/memcheck.h>

void make_undefined(void *bytes, size_t count) { VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }

void make_defined(void *bytes, size_t count) { VALGRIND_MAKE_MEM_DEFINED(bytes, count); }
