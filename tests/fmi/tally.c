/* Counts jumps of inputs, for co-simulation with event mode. 20: u (discrete integer input), 21: w (continuous input), 24: w (output).
 * Integer outputs: 22: number of changes of u, 23: number of events in which w jumps by more than 0.1, 25: number of events. */
#include "sample.h"

#include <math.h>

const int sample_n_state = 0, sample_n_indicator = 0;

void sample_start(sample *s) { s->early_s = (double)INFINITY; }

int sample_compute(sample *s, int parts)
{
    (void)parts;
    s->value[24] = s->value[21];
    return 0;
}

void sample_indicators(sample *s, double *z)
{
    (void)s;
    (void)z;
}

/* 30: u at the last event. 31: w at the last event or at the end of the last step. */
void sample_complete(sample *s) { s->value[31] = s->value[21]; }

int sample_event(sample *s)
{
    const int is_first = s->value[25] < 1;
    s->value[22] += !is_first && s->value[20] != s->value[30];
    s->value[23] += !is_first && fabs(s->value[21] - s->value[31]) > 0.1;
    s->value[25] += 1;
    s->value[30] = s->value[20];
    s->value[31] = s->value[21];
    return 0;
}

double sample_nominal(const sample *s, int i)
{
    (void)s;
    (void)i;
    return 1;
}

int sample_elements(unsigned number)
{
    (void)number;
    return 1;
}

void sample_misbehave(const char *call) { (void)call; }
