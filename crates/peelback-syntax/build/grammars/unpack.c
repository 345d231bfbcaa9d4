// Unpacks a table that `pack.rs` packed; the form is described there.

#include <stddef.h>
#include <stdint.h>

static inline size_t number(const uint8_t **packed) {
  size_t byte = *(*packed)++;
  size_t value = byte & 0x7F;
  for (unsigned shift = 7; byte & 0x80; shift += 7) {
    byte = *(*packed)++;
    value |= (byte & 0x7F) << shift;
  }
  return value;
}

void peelback_unpack_table(const uint8_t *packed, uint16_t *table, size_t length) {
  uint16_t *end = table + length;
  while (table < end) {
    for (size_t literals = number(&packed); literals > 0; literals--) {
      *table++ = (uint16_t)number(&packed);
    }
    size_t copied = number(&packed);
    if (copied > 0) {
      const uint16_t *source = table - number(&packed);
      for (; copied > 0; copied--) {
        *table++ = *source++;
      }
    }
  }
}
