#include "board.h"

/*
 * The checksum at the end of every frame: polynomial 0x1021, start value
 * 0xFFFF, nothing reflected. A table of sixteen entries is the compromise
 * between the bitwise loop, which was too slow at 115200 baud, and the big
 * table, for which there was no room in the boot sector.
 */
static const uint16_t nibble_table[16] = {
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
    0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
};

static uint16_t step(uint16_t crc, uint8_t nibble)
{
    uint8_t index = (uint8_t)((crc >> 12) ^ nibble);
    return (uint16_t)((uint16_t)(crc << 4) ^ nibble_table[index & 0x0F]);
}

uint16_t crc16(const uint8_t *data, size_t len)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < len; i++) {
        crc = step(crc, data[i] >> 4);
        crc = step(crc, data[i] & 0x0F);
    }
    return crc;
}

/* A received frame is intact if its last two bytes are the sum of the others. */
bool crc16_agrees(const uint8_t *frame, size_t len)
{
    if (len < 3) {
        return false;
    }
    uint16_t found = (uint16_t)((frame[len - 2] << 8) | frame[len - 1]);
    return crc16(frame, len - 2) == found;
}
