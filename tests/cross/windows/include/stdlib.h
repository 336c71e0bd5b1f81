/* What generated C takes of this header. That of MinGW is for GNU compilers alone. */
#ifndef STDLIB_H
#define STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *old);
#endif
