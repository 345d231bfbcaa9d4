#include "ring_buffer.h"

void ring_clear(ring_t *ring)
{
    ring->head = 0;
    ring->tail = 0;
}

/* How many bytes are waiting to be read. */
size_t ring_count(const ring_t *ring)
{
    return (size_t)((ring->head - ring->tail) & RING_MASK);
}

/* Called from the interrupt; false if there was no room for the byte. */
bool ring_push(ring_t *ring, uint8_t byte)
{
    if (ring_count(ring) >= RING_SIZE) {
        return false;
    }
    ring->data[ring->head] = byte;
    ring->head = (uint16_t)((ring->head + 1u) & RING_MASK);
    return true;
}

/* Called from the main loop; false if nothing is waiting. */
bool ring_pop(ring_t *ring, uint8_t *byte)
{
    if (ring->head == ring->tail) {
        return false;
    }
    *byte = ring->data[ring->tail];
    ring->tail = (uint16_t)((ring->tail + 1u) & RING_MASK);
    return true;
}

/* Copies without taking anything out, to see whether a frame is complete. */
size_t ring_peek(const ring_t *ring, uint8_t *out, size_t max)
{
    size_t count = ring_count(ring);
    if (count > max) {
        count = max;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = ring->data[(ring->tail + i) & RING_MASK];
    }
    return count;
}
