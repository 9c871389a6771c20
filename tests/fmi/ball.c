/* A bouncing ball: h' = v, v' = -g. 20: restitution e (parameter), 21: number of bounces (integer output), 22: g (parameter).
 *
 * A bounce needs a second event iteration. The FMU ends the run at bounce 9. */
#include "sample.h"

#include <math.h>

const int sample_n_state = 2, sample_n_indicator = 1;

void sample_start(sample *s)
{
    s->value[0] = 1;
    s->value[20] = 0.75;
    s->value[22] = 9.81;
    s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    s->value[10] = s->value[1];
    s->value[11] = -s->value[22];
    return 0;
}

void sample_indicators(sample *s, double *z) { z[0] = s->value[0]; }

int sample_event(sample *s)
{
    if (!(s->value[0] <= 0 && s->value[1] < 0))
        return 0;
    s->value[1] *= -s->value[20];
    s->value[0] = 0;
    s->value[21] += 1;
    s->has_new_states = 1;
    s->is_terminated = s->value[21] >= 9;
    return 1;
}

double sample_nominal(const sample *s, int i)
{
    (void)s;
    return i == 0 ? 0 : -4; /* wrsim uses 1 and 4 instead */
}

int sample_elements(unsigned number)
{
    (void)number;
    return 1;
}

void sample_misbehave(const char *call) { (void)call; }
