// Unpacks a table that `pack.rs` packed; the form is described there.

#include <stddef.h>
#include <stdint.h>

void peelback_unpack_table(const uint16_t *packed, uint16_t *table, size_t length) {
  uint16_t *end = table + length;
  while (table < end) {
    for (uint16_t literals = *packed++; literals > 0; literals--) {
      *table++ = *packed++;
    }
    uint16_t copied = *packed++;
    if (copied > 0) {
      const uint16_t *source = table - *packed++;
      for (; copied > 0; copied--) {
        *table++ = *source++;
      }
    }
  }
}
