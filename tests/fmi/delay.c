/* A delay: y(t) = u(t - T) and x' = y - x, without FMU state. 20: u (input), 21: T (parameter), 22: y (output).
 *
 * The FMU stores u at the ends of steps, and interpolates. With T = 0, y is the value at the end of the last step. */
#include <string.h>

#include "sample.h"

const int sample_n_state = 1, sample_n_indicator = 0;

void sample_start(sample *s)
{
    s->value[21] = 0.1;
    s->n_past = 1; /* 0 before the start */
    s->early_s = 1e300;
}

int sample_compute(sample *s, int parts)
{
    (void)parts;
    const double t_s = s->t_s - s->value[21];
    int i = 0; /* from the oldest values on, so discarded values stay in use */
    while (i + 1 < s->n_past && s->past[i + 1][0] <= t_s)
        i++;
    const double *const a = s->past[i], *const b = s->past[i + 1];
    s->value[22] = a[1];
    if (i + 1 < s->n_past && t_s > a[0] && b[0] > a[0])
        s->value[22] += (t_s - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
    s->value[10] = s->value[22] - s->value[0];
    return 0;
}

void sample_complete(sample *s)
{
    if (s->n_past == SAMPLE_PAST) {
        s->n_past /= 2;
        memmove(s->past[0], s->past[s->n_past], (size_t)s->n_past * sizeof s->past[0]);
    }
    s->past[s->n_past][0] = s->t_s;
    s->past[s->n_past++][1] = s->value[20];
}

void sample_indicators(sample *s, double *z)
{
    (void)s;
    (void)z;
}

int sample_event(sample *s)
{
    (void)s;
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
