#include <errno.h>
#include <stdint.h>
#include <string.h>

#define RING_MASK(r)	((r)->size - 1u)
#define likely(x)	__builtin_expect(!!(x), 1)

struct ring_buf {
	uint32_t	head, tail, size;
	unsigned char	*data;
};

static inline uint32_t ring_used(const struct ring_buf *r)
{
	return (r->head - r->tail) & RING_MASK(r);
}

int ring_write(struct ring_buf *restrict r, const void *src, size_t n)
{
	if (!likely(n <= r->size - 1u - ring_used(r)))
		return -ENOSPC;
	for (size_t i = 0; i < n; i++) {
		r->data[r->head] = ((const unsigned char *)src)[i];
		r->head = (r->head + 1) & RING_MASK(r);
	}
	return (int)n;	/* bytes written */
}
