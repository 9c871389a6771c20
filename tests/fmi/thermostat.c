/* A heater with a thermostat: x' = (20 on + u - x) / tau. 20: u (input), 21: tau (parameter), 22: on (integer output), 23: number of
 * switches (integer output). The thermostat switches on below 9 and off above 11. */
#include "sample.h"

#include <math.h>

const int sample_n_state = 1, sample_n_indicator = 2;
static const double low = 9, high = 11;

void sample_start(sample *s)
{
    s->value[0] = 10;
    s->value[21] = 0.5;
    s->value[22] = 1;
    s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    s->value[10] = (20 * s->value[22] + s->value[20] - s->value[0]) / s->value[21];
    return 0;
}

void sample_indicators(sample *s, double *z)
{
    z[0] = s->value[0] - low;
    z[1] = s->value[0] - high;
}

int sample_event(sample *s)
{
    const int is_on = s->value[0] <= low ? 1 : s->value[0] > high ? 0 : s->value[22] > 0;
    const int is_switched = is_on != (int)s->value[22];
    s->value[22] = is_on;
    s->value[23] += is_switched;
    return is_switched;
}

double sample_nominal(const sample *s, int i)
{
    (void)s;
    (void)i;
    return 10;
}

int sample_elements(unsigned number)
{
    (void)number;
    return 1;
}

void sample_misbehave(const char *call) { (void)call; }
