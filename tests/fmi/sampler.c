/* Samples u at the times k T. 20: u (input), 21: T (parameter), 22: last sample (discrete output), 23: count of samples (integer output).
 *
 * The state x' = y integrates the last sample. Sample 5 gives a new nominal value of the state. */
#include "sample.h"

#include <math.h>

const int sample_n_state = 1, sample_n_indicator = 0;

void sample_start(sample *s)
{
    s->value[21] = 0.125; /* k T has no rounding error */
    s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    s->value[10] = s->value[22];
    return 0;
}

void sample_indicators(sample *s, double *z)
{
    (void)s;
    (void)z;
}

int sample_event(sample *s)
{
    const int count = (int)s->value[23];
    if (s->t_s >= count * s->value[21]) {
        s->value[22] = s->value[20];
        s->value[23] = count + 1;
        s->has_new_nominals = count + 1 == 5;
    }
    s->next_s = s->value[23] * s->value[21];
    return 0;
}

double sample_nominal(const sample *s, int i)
{
    (void)i;
    return s->value[23] >= 5 ? 10 : 1;
}

int sample_elements(unsigned number)
{
    (void)number;
    return 1;
}

void sample_misbehave(const char *call) { (void)call; }
