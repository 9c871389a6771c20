/* A clock that each rise of u above 0.5 sets back: x' = 1, and y = x + 2 n + k u is the time plus k u. 20: u (input), 21: k (parameter),
 * 22: y (output), 23: n (integer output), the number of rises, 25: v (input), 26: held (output), v at the last rise. */
#include "sample.h"

#include <math.h>

const int sample_n_state = 1, sample_n_indicator = 1;
enum { IS_HIGH = 24 };

void sample_start(sample *s) { s->early_s = (double)INFINITY; }

int sample_compute(sample *s, int parts)
{
    (void)parts;
    s->value[10] = 1;
    s->value[22] = s->value[0] + 2 * s->value[23] + s->value[21] * s->value[20];
    return 0;
}

void sample_indicators(sample *s, double *z) { z[0] = s->value[20] - 0.5; }

int sample_event(sample *s)
{
    const int is_high = s->value[20] > 0.5, was_high = s->value[IS_HIGH] > 0;
    s->value[IS_HIGH] = is_high;
    if (is_high && !was_high) {
        s->value[0] -= 2;
        s->value[23] += 1;
        s->value[26] = s->value[25];
        s->has_new_states = 1;
    }
    return is_high != was_high;
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
