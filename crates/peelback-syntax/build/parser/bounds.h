// Counts the memory of parses, for tree-sitter's allocation functions. Each thread counts what it allocates and frees
// itself: a parse runs on one thread.

#ifndef PEELBACK_BOUNDS_H_
#define PEELBACK_BOUNDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#define peelback_block_size(block) malloc_size(block)
#elif defined(__FreeBSD__)
#include <malloc_np.h>
#define peelback_block_size(block) malloc_usable_size(block)
#else
#include <malloc.h>
#define peelback_block_size(block) malloc_usable_size(block)
#endif

// The bytes that a parse may hold: a fixed part, and a part for each byte of the text that it has read. The trees of
// ordinary source take 10 to 50 bytes a byte.
#define PEELBACK_PARSE_BYTES ((int64_t)64 << 20)
#define PEELBACK_PARSE_BYTES_PER_BYTE 64

// The subtrees that all stacks together may hold that one step of a parse takes apart. Where there are more, it goes on
// with those that it has.
#define PEELBACK_MAX_COLLECTED_SUBTREES (1u << 20)

// The bytes of text that count as one operation when a token is sought.
#define PEELBACK_SCANNED_BYTES_PER_OPERATION 512

// The bytes that this thread has allocated less those that it has freed, since its last parse began.
static _Thread_local int64_t peelback_parse_bytes = 0;

static inline void *peelback_malloc(size_t size) {
  void *block = malloc(size);
  peelback_parse_bytes += (int64_t)peelback_block_size(block);
  return block;
}

static inline void *peelback_calloc(size_t count, size_t size) {
  void *block = calloc(count, size);
  peelback_parse_bytes += (int64_t)peelback_block_size(block);
  return block;
}

static inline void *peelback_realloc(void *block, size_t size) {
  size_t before = peelback_block_size(block);
  void *moved = realloc(block, size);
  if (moved) peelback_parse_bytes += (int64_t)peelback_block_size(moved) - (int64_t)before;
  return moved;
}

static void peelback_free(void *block) {
  peelback_parse_bytes -= (int64_t)peelback_block_size(block);
  free(block);
}

static inline void peelback_begin_parse(void) {
  peelback_parse_bytes = 0;
}

static inline bool peelback_holds_too_much(uint32_t read_bytes) {
  return peelback_parse_bytes > PEELBACK_PARSE_BYTES + (int64_t)read_bytes * PEELBACK_PARSE_BYTES_PER_BYTE;
}

#endif // PEELBACK_BOUNDS_H_
