// Unpacks a table that `pack.rs` packed; the form is described there and in `codes.rs`.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LITERAL_COUNT, LITERAL, LENGTH, DISTANCE, CODES };
enum { LONGEST = 11, FIRST_SHARED = 16 };

// A sequence of bits, the next one highest.
struct bits {
  const uint8_t *next;
  uint64_t waiting;
  unsigned count;
};

static inline void refill(struct bits *bits) {
  while (bits->count <= 56) {
    bits->waiting |= (uint64_t)*bits->next++ << (56 - bits->count);
    bits->count += 8;
  }
}

static inline size_t take(struct bits *bits, unsigned count) {
  // Two shifts: one by 64 bits has no meaning in C.
  size_t value = (size_t)(bits->waiting >> 1 >> (63 - count));
  bits->waiting <<= count;
  bits->count -= count;
  return value;
}

// For each sequence of LONGEST bits, the class that it begins with, and the length of that class's bits.
struct decoder {
  uint8_t class[1 << LONGEST];
  uint8_t length[1 << LONGEST];
};

static void read_decoder(struct bits *bits, struct decoder *decoder) {
  uint8_t lengths[256];
  refill(bits);
  size_t classes = take(bits, 8);
  for (size_t class = 0; class < classes; class++) {
    refill(bits);
    lengths[class] = (uint8_t)take(bits, 4);
  }
  size_t at = 0;
  for (unsigned length = 1; length <= LONGEST; length++) {
    for (size_t class = 0; class < classes; class++) {
      if (lengths[class] == length) {
        size_t places = (size_t)1 << (LONGEST - length);
        memset(decoder->class + at, (int)class, places);
        memset(decoder->length + at, (int)length, places);
        at += places;
      }
    }
  }
}

static inline size_t number(struct bits *bits, const struct decoder *decoder) {
  refill(bits);
  size_t place = (size_t)(bits->waiting >> (64 - LONGEST));
  take(bits, decoder->length[place]);
  size_t class = decoder->class[place];
  if (class < FIRST_SHARED) {
    return class;
  }
  size_t shared = class - FIRST_SHARED;
  unsigned open = (unsigned)(shared / 4 + 2);
  return ((4 + shared % 4) << open) + take(bits, open);
}

void peelback_unpack_table(const uint8_t *packed, uint16_t *table, size_t length) {
  struct bits bits = {packed, 0, 0};
  struct decoder decoders[CODES];
  for (size_t code = 0; code < CODES; code++) {
    read_decoder(&bits, &decoders[code]);
  }
  uint16_t *end = table + length;
  size_t distance = 0;
  while (table < end) {
    for (size_t literals = number(&bits, &decoders[LITERAL_COUNT]); literals > 0; literals--) {
      *table++ = (uint16_t)number(&bits, &decoders[LITERAL]);
    }
    size_t copied = number(&bits, &decoders[LENGTH]);
    if (copied > 0) {
      size_t other = number(&bits, &decoders[DISTANCE]);
      distance = other > 0 ? other : distance;
      for (const uint16_t *source = table - distance; copied > 0; copied--) {
        *table++ = *source++;
      }
    }
  }
}
