#include "board.h"
#include "ring_buffer.h"

#define CLOCK_HZ 48000000u
#define FRAME_START 0x02
#define FRAME_OVERHEAD 5
#define SEND_PATIENCE 20000u

static ring_t received;
static uint32_t lost;

void uart_init(uint32_t baud)
{
    ring_clear(&received);
    lost = 0;
    /* The divider counts sixteenths; half of it is added to round. */
    board_uart->baud = (CLOCK_HZ + baud / 2u) / baud;
    board_uart->control = 1u;
}

/* Takes everything the hardware holds and puts it into the ring. */
void uart_irq(void)
{
    if (board_uart->status & UART_OVERRUN) {
        lost++;
        board_uart->status &= ~UART_OVERRUN;
    }
    while (board_uart->status & UART_RX_READY) {
        uint8_t byte = (uint8_t)board_uart->data;
        if (!ring_push(&received, byte)) {
            lost++;
        }
        board_uart->status &= ~UART_RX_READY;
    }
}

size_t uart_read(uint8_t *out, size_t max)
{
    size_t count = 0;
    while (count < max && ring_pop(&received, &out[count])) {
        count++;
    }
    return count;
}

uint32_t uart_lost_bytes(void)
{
    return lost;
}

static bool send_byte(uint8_t byte)
{
    uint32_t patience = SEND_PATIENCE;
    while (!(board_uart->status & UART_TX_EMPTY)) {
        if (--patience == 0) {
            return false;
        }
    }
    board_uart->data = byte;
    return true;
}

/* Start, kind, length, payload and checksum, the high byte first. */
bool uart_send_frame(uint8_t kind, const uint8_t *payload, uint8_t len)
{
    uint8_t frame[255 + FRAME_OVERHEAD];
    size_t size = 0;
    frame[size++] = FRAME_START;
    frame[size++] = kind;
    frame[size++] = len;
    for (uint8_t i = 0; i < len; i++) {
        frame[size++] = payload[i];
    }
    uint16_t sum = crc16(frame + 1, size - 1);
    frame[size++] = (uint8_t)(sum >> 8);
    frame[size++] = (uint8_t)(sum & 0xFF);
    for (size_t i = 0; i < size; i++) {
        if (!send_byte(frame[i])) {
            return false;
        }
    }
    return true;
}
