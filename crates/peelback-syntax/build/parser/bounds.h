// Counts the memory of parses, for tree-sitter's allocation functions, and asks for it. Each thread counts what it
// allocates and frees itself: a parse, and all that is done with its tree, runs on one thread.
//
// All that a parse asks its caller goes through its progress callback, as a position that no text has.

#ifndef PEELBACK_BOUNDS_H_
#define PEELBACK_BOUNDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tree_sitter/api.h"

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

// The bytes that all parses of one analysis may hold, whose trees live at the same time.
#define PEELBACK_ANALYSIS_BYTES ((int64_t)192 << 20)

// The bytes that an analysis may hold without asking, and those that each question grants it (`src/parse/memory.rs` counts them).
#define PEELBACK_FREE_BYTES ((int64_t)256 << 10)
#define PEELBACK_GRANTED_BYTES ((int64_t)2 << 20)

// The bytes above which an analysis gives its memory back to the system when it ends. glibc keeps what a thread has freed for
// that thread, and so would hold the largest parse of each.
#define PEELBACK_KEPT_BYTES ((int64_t)8 << 20)

// The questions, as positions in the text. The answer of the callback, which for a position is whether to stop, is whether
// this is the first parse of an analysis, and whether there is no more memory.
#define PEELBACK_IS_FIRST_PARSE (UINT32_MAX - 1)
#define PEELBACK_MORE_MEMORY UINT32_MAX

// The subtrees that all stacks together may hold that one step of a parse takes apart. Where there are more, it goes on
// with those that it has.
#define PEELBACK_MAX_COLLECTED_SUBTREES (1u << 20)

// The bytes of text that count as one operation when a token is sought.
#define PEELBACK_SCANNED_BYTES_PER_OPERATION 512

// The bytes that this thread has allocated less those that it has freed, since its analysis began, and when its last parse
// began; and the bytes that it was granted.
static _Thread_local int64_t peelback_bytes = 0;
static _Thread_local int64_t peelback_bytes_before_parse = 0;
static _Thread_local int64_t peelback_granted_bytes = 0;

// The bytes below which memory is given back to the system; nothing is below the initial value.
static _Thread_local int64_t peelback_trim_below = INT64_MIN;

// The callback of the parse that is running on this thread, and whether it was refused memory.
static _Thread_local TSParseOptions peelback_options = {NULL, NULL};
static _Thread_local bool peelback_is_refused = false;

// The bytes of the searches for tokens that have not been counted as an operation.
static _Thread_local uint32_t peelback_uncounted_bytes = 0;

// Whether the scanner of the parse that is running on this thread writes some bytes for every state.
static _Thread_local bool peelback_has_scanner_state = false;

static inline bool peelback_ask(uint32_t question) {
  TSParseState state = {.payload = peelback_options.payload, .current_byte_offset = question};
  return peelback_options.progress_callback(&state);
}

static void peelback_ask_for_memory(void) {
  while (peelback_options.progress_callback && !peelback_is_refused && peelback_bytes > peelback_granted_bytes) {
    if (peelback_ask(PEELBACK_MORE_MEMORY)) {
      peelback_is_refused = true;
    } else {
      peelback_granted_bytes += PEELBACK_GRANTED_BYTES;
      if (peelback_granted_bytes > PEELBACK_KEPT_BYTES) peelback_trim_below = peelback_granted_bytes / 4;
    }
  }
}

// The callback may wait until another parse gives memory back, so it is asked for what is about to be allocated.
static inline void peelback_count(int64_t bytes) {
  peelback_bytes += bytes;
  if (peelback_bytes > peelback_granted_bytes) peelback_ask_for_memory();
}

static inline void *peelback_malloc(size_t size) {
  peelback_count((int64_t)size);
  void *block = malloc(size);
  peelback_bytes += (int64_t)peelback_block_size(block) - (int64_t)size;
  return block;
}

static inline void *peelback_calloc(size_t count, size_t size) {
  peelback_count((int64_t)(count * size));
  void *block = calloc(count, size);
  peelback_bytes += (int64_t)peelback_block_size(block) - (int64_t)(count * size);
  return block;
}

static inline void *peelback_realloc(void *block, size_t size) {
  int64_t before = (int64_t)peelback_block_size(block);
  peelback_count((int64_t)size - before);
  void *moved = realloc(block, size);
  if (moved) peelback_bytes += (int64_t)peelback_block_size(moved) - (int64_t)size;
  return moved;
}

static void peelback_trim(void) {
  peelback_trim_below = INT64_MIN;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static void peelback_free(void *block) {
  peelback_bytes -= (int64_t)peelback_block_size(block);
  free(block);
  if (peelback_bytes < peelback_trim_below) peelback_trim();
}

static inline void peelback_begin_parse(TSParseOptions options) {
  peelback_options = options;
  peelback_is_refused = false;
  peelback_uncounted_bytes = 0;
  if (options.progress_callback && peelback_ask(PEELBACK_IS_FIRST_PARSE)) {
    peelback_bytes = 0;
    peelback_granted_bytes = PEELBACK_FREE_BYTES;
  }
  peelback_bytes_before_parse = peelback_bytes;
}

static inline void peelback_end_parse(void) {
  peelback_options = (TSParseOptions) {NULL, NULL};
}

static inline bool peelback_holds_too_much(uint32_t read_bytes) {
  int64_t of_parse = peelback_bytes - peelback_bytes_before_parse;
  return peelback_is_refused || peelback_bytes > PEELBACK_ANALYSIS_BYTES ||
         of_parse > PEELBACK_PARSE_BYTES + (int64_t)read_bytes * PEELBACK_PARSE_BYTES_PER_BYTE;
}

// The operations that a search for a token counts as: what is left of one search counts for the next.
static inline unsigned peelback_operations_of_scanned_bytes(uint32_t bytes) {
  uint64_t all = (uint64_t)bytes + peelback_uncounted_bytes;
  peelback_uncounted_bytes = (uint32_t)(all % PEELBACK_SCANNED_BYTES_PER_OPERATION);
  return (unsigned)(all / PEELBACK_SCANNED_BYTES_PER_OPERATION);
}

#endif // PEELBACK_BOUNDS_H_
