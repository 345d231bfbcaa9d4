/* Everything the modules of the parcel scale share. */
#ifndef HARBOR_BOARD_H
#define HARBOR_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers that main.c maps; the tests put plain variables behind them. */
typedef struct {
    volatile uint32_t status;
    volatile uint32_t data;
    volatile uint32_t baud;
    volatile uint32_t control;
} uart_regs_t;

#define UART_RX_READY (1u << 0)
#define UART_TX_EMPTY (1u << 1)
#define UART_OVERRUN (1u << 2)

extern uart_regs_t *const board_uart;

/* crc16.c */
uint16_t crc16(const uint8_t *data, size_t len);
bool crc16_agrees(const uint8_t *frame, size_t len);

/* uart.c */
void uart_init(uint32_t baud);
void uart_irq(void);
size_t uart_read(uint8_t *out, size_t max);
bool uart_send_frame(uint8_t kind, const uint8_t *payload, uint8_t len);
uint32_t uart_lost_bytes(void);

/* battery.c */
uint8_t battery_percent(uint16_t millivolts);
bool battery_must_sleep(uint16_t millivolts);

/* scale.c */
void scale_tare(void);
void scale_feed(int32_t raw);
bool scale_settled(int32_t *grams);

#endif
