/* Ring buffer: bytes come out in the order they went in, also past the end. */
#include <assert.h>
#include <stdio.h>

#include "../src/ring_buffer.h"

static void test_empty_ring_has_nothing_to_read(void)
{
    ring_t ring;
    uint8_t byte;
    ring_clear(&ring);
    assert(ring_count(&ring) == 0);
    assert(!ring_pop(&ring, &byte));
}

static void test_bytes_keep_their_order_across_the_end(void)
{
    ring_t ring;
    uint8_t byte;
    ring_clear(&ring);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 100; i++) {
            assert(ring_push(&ring, (uint8_t)i));
        }
        assert(ring_count(&ring) == 100);
        for (int i = 0; i < 100; i++) {
            assert(ring_pop(&ring, &byte));
            assert(byte == (uint8_t)i);
        }
    }
}

static void test_peek_takes_nothing_out(void)
{
    ring_t ring;
    uint8_t out[4];
    ring_clear(&ring);
    ring_push(&ring, 7);
    ring_push(&ring, 8);
    assert(ring_peek(&ring, out, sizeof(out)) == 2);
    assert(out[0] == 7 && out[1] == 8);
    assert(ring_count(&ring) == 2);
}

int main(void)
{
    test_empty_ring_has_nothing_to_read();
    test_bytes_keep_their_order_across_the_end();
    test_peek_takes_nothing_out();
    puts("ring buffer: ok");
    return 0;
}
