/* The co-simulation step and a text of the sample FMUs. */
#include "sample.h"

#include <math.h>
#include <string.h>

static int slope_at(sample *s, const double *x0, double c, const double *k, double t0, double *ret)
{
    for (int i = 0; i < sample_n_state; i++)
        s->value[i] = x0[i] + c * k[i];
    for (int i = 20; i < SAMPLE_VALUES; i++)
        s->value[i] += s->slope[i] * (t0 + c - s->t_s);
    s->t_s = t0 + c;
    const int status = sample_compute(s, SAMPLE_ALL);
    for (int i = 0; i < sample_n_state; i++)
        ret[i] = s->value[SAMPLE_DERIVATIVE + i];
    return status;
}

void sample_begin_step(sample *s, int is_new)
{
    if (SAMPLE_NEW_STEP)
        memcpy(is_new ? s->last : s->value, is_new ? s->value : s->last,
               (size_t)sample_n_state * sizeof *s->value);
}

int sample_step(sample *s, double h_s)
{
    double x0[4] = {0}, k[5][4] = {{0}};
    enum { N = 10 };
    for (int j = 0; j < N; j++) {
        const double h = h_s / N, t0 = s->t_s;
        for (int i = 0; i < sample_n_state; i++)
            x0[i] = s->value[i];
        static const double c[4] = {0, 0.5, 0.5, 1};
        for (int m = 0; m < 4; m++) {
            const int status = slope_at(s, x0, c[m] * h, k[m], t0, k[m + 1]);
            if (status != 0)
                return status;
        }
        for (int i = 0; i < sample_n_state; i++)
            s->value[i] = x0[i] + h / 6 * (k[1][i] + 2 * k[2][i] + 2 * k[3][i] + k[4][i]);
    }
    return sample_compute(s, SAMPLE_ALL);
}

/* Returns whether an indicator has changed its sign. */
static int has_crossed(sample *s, const double *before)
{
    double now[4];
    sample_indicators(s, now);
    for (int i = 0; i < sample_n_indicator; i++)
        if ((before[i] > 0) != (now[i] > 0))
            return 1;
    return 0;
}

int sample_step_to_event(sample *s, double h_s, int *ret_is_event)
{
    enum { N = 10, BISECTIONS = 60 };
    *ret_is_event = 0;
    for (int j = 0; j < N; j++) {
        const sample start = *s;
        double before[4], before_s = 0, after_s = h_s / N;
        sample_indicators(s, before);
        const int status = sample_step(s, after_s);
        if (status != 0)
            return status;
        if (!has_crossed(s, before))
            continue;
        for (int b = 0; b < BISECTIONS; b++) {
            const double middle = (before_s + after_s) / 2;
            *s = start;
            (void)sample_step(s, middle);
            *(has_crossed(s, before) ? &after_s : &before_s) = middle;
        }
        *s = start;
        *ret_is_event = 1;
        return sample_step(s, after_s);
    }
    return 0;
}

#ifndef SAMPLE_COMPLETES /* the model has its own */
void sample_complete(sample *s) { (void)s; }
#endif

char *sample_long_text(char text[WR_SAMPLE_LONG])
{
    char *to = stpcpy(text, "\n\xff");
    while (to < text + WR_SAMPLE_LONG - 3)
        to = stpcpy(to, "\xc3\xbc");
    return text;
}
