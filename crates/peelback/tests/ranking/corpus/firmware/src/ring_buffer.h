/* A ring of bytes between an interrupt and the main loop. */
#ifndef HARBOR_RING_BUFFER_H
#define HARBOR_RING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must be a power of two. */
#define RING_SIZE 256u
#define RING_MASK (RING_SIZE - 1u)

/*
 * One side only ever moves head, the other one only tail, so no lock is
 * needed as long as there is one writer and one reader.
 */
typedef struct {
    uint8_t data[RING_SIZE];
    volatile uint16_t head;
    volatile uint16_t tail;
} ring_t;

void ring_clear(ring_t *ring);
size_t ring_count(const ring_t *ring);
bool ring_push(ring_t *ring, uint8_t byte);
bool ring_pop(ring_t *ring, uint8_t *byte);

/* Looks without taking anything out. */
size_t ring_peek(const ring_t *ring, uint8_t *out, size_t max);

#endif
