/* Types of variables, by value references. 20 to 22: an array of three elements (FMI 3.0: only 20). 23: an enumeration 1 .. 3 (parameter).
 * 24: a boolean (input). 25: the sum of the array times the item of the enumeration if the boolean is true (output). 26: an integer
 * (parameter). */
#include "sample.h"

#include <math.h>

const int sample_n_state = 0, sample_n_indicator = 0;

void sample_start(sample *s)
{
    s->value[20] = 1;
    s->value[21] = 2;
    s->value[22] = 3;
    s->value[23] = 2;
    s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    s->value[25] =
        s->value[24] != 0 ? (s->value[20] + s->value[21] + s->value[22]) * s->value[23] : 0;
    return 0;
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

int sample_elements(unsigned number) { return number == 20 ? 3 : 1; }
void sample_misbehave(const char *call) { (void)call; }
