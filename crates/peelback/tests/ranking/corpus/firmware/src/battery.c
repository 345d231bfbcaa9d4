#include "board.h"

/* Discharge curve of the cell we use, measured at room temperature. */
typedef struct {
    uint16_t millivolts;
    uint8_t percent;
} point_t;

static const point_t curve[] = {
    {4180, 100}, {4060, 90}, {3980, 80}, {3920, 70}, {3870, 60}, {3820, 50},
    {3790, 40},  {3770, 30}, {3740, 20}, {3680, 10}, {3450, 5},  {3000, 0},
};

#define POINTS (sizeof(curve) / sizeof(curve[0]))
#define SLEEP_BELOW_MV 3350u
#define WAKE_ABOVE_MV 3500u

static bool sleeping;

/* Straight lines between the measured points. */
uint8_t battery_percent(uint16_t millivolts)
{
    if (millivolts >= curve[0].millivolts) {
        return 100;
    }
    for (size_t i = 1; i < POINTS; i++) {
        if (millivolts >= curve[i].millivolts) {
            uint32_t span = (uint32_t)(curve[i - 1].millivolts - curve[i].millivolts);
            uint32_t above = (uint32_t)(millivolts - curve[i].millivolts);
            uint32_t gain = (uint32_t)(curve[i - 1].percent - curve[i].percent);
            return (uint8_t)(curve[i].percent + above * gain / span);
        }
    }
    return 0;
}

/* Two thresholds, or the display would flicker on and off at the end. */
bool battery_must_sleep(uint16_t millivolts)
{
    if (sleeping && millivolts > WAKE_ABOVE_MV) {
        sleeping = false;
    } else if (!sleeping && millivolts < SLEEP_BELOW_MV) {
        sleeping = true;
    }
    return sleeping;
}
