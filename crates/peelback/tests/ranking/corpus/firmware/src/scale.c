#include "board.h"

#define WINDOW 8
#define COUNTS_PER_GRAM 21
#define STILL_GRAMS 3
#define STILL_ROUNDS 5

static int32_t window[WINDOW];
static uint8_t filled;
static uint8_t next_slot;
static int32_t zero;
static int32_t last_grams;
static uint8_t still_rounds;

static int32_t magnitude(int32_t value)
{
    return value < 0 ? -value : value;
}

/* Mean of the window without its smallest and its largest value. */
static int32_t trimmed_mean(void)
{
    int64_t sum = 0;
    int32_t low = window[0];
    int32_t high = window[0];
    for (uint8_t i = 0; i < filled; i++) {
        sum += window[i];
        if (window[i] < low) {
            low = window[i];
        }
        if (window[i] > high) {
            high = window[i];
        }
    }
    if (filled < 3) {
        return (int32_t)(sum / (filled ? filled : 1));
    }
    return (int32_t)((sum - low - high) / (filled - 2));
}

/* Whatever lies on the plate now weighs nothing from here on. */
void scale_tare(void)
{
    zero = trimmed_mean();
    still_rounds = 0;
}

/* One value of the converter, eighty times a second. */
void scale_feed(int32_t raw)
{
    window[next_slot] = raw;
    next_slot = (uint8_t)((next_slot + 1) % WINDOW);
    if (filled < WINDOW) {
        filled++;
    }
    int32_t grams = (trimmed_mean() - zero) / COUNTS_PER_GRAM;
    if (magnitude(grams - last_grams) <= STILL_GRAMS) {
        if (still_rounds < STILL_ROUNDS) {
            still_rounds++;
        }
    } else {
        still_rounds = 0;
    }
    last_grams = grams;
}

/* The weight, once the parcel has stopped rocking. */
bool scale_settled(int32_t *grams)
{
    if (filled < WINDOW || still_rounds < STILL_ROUNDS) {
        return false;
    }
    *grams = last_grams;
    return true;
}
