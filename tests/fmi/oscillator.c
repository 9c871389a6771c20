/* x'' = -w^2 x + u. 20: w (parameter), 21: u (input), 22: x' (output), 23: time of an early return, or minus the longest step (parameter).
 *
 * Value references that the description omits. 26: 1 asks for an event without event mode. 27: error of the reported time. 28: 1 steps
 * asynchronously. 29: error of a nominal value.
 *
 * With SAMPLE_FOREIGN the FMU defines and calls functions of libraries that wrsim links. With SAMPLE_FAULT a call misbehaves. With
 * SAMPLE_ALLOCATES every computation allocates memory: directly, and by a function of the C library.
 */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

const int sample_n_state = 2, sample_n_indicator = 0;

#ifdef SAMPLE_FOREIGN
int CVode(void);
int dgetrf_(void);
int H5open(void);
int CVode(void) { return 1; }
int dgetrf_(void) { return 2; }
int H5open(void) { return 4; }
#endif

void sample_start(sample *s)
{
    s->value[0] = 1;
    s->value[20] = 2;
    s->value[23] = s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    const double w = s->value[20];
    s->early_s = s->value[23];
    s->value[10] = s->value[1];
    s->value[11] = -w * w * s->value[0] + s->value[21];
    s->value[22] = s->value[1];
#ifdef SAMPLE_ALLOCATES
    char *volatile block = malloc(64);
    free(block);
    block = strdup("a text");
    free(block);
#endif
#ifdef SAMPLE_FOREIGN
    s->value[24] = CVode() + dgetrf_() + H5open();
#endif
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

double sample_nominal(const sample *s, int i) { return i == 0 ? 1 + s->value[29] : 2; }

int sample_elements(unsigned number)
{
    (void)number;
    return 1;
}

/* SAMPLE_FAULT: 1 print, 2 exit, 3 rounding, 4 crash, 5 current folder, 6 locale; the last two in all calls. */
void sample_misbehave(const char *call)
{
#ifdef SAMPLE_FAULT
    if (SAMPLE_FAULT == 5 && chdir("/") != 0)
        abort();
    if (SAMPLE_FAULT == 6 && !setlocale(LC_ALL, "C.UTF-8"))
        abort();
    if (strcmp(call, "compute") != 0)
        return;
    if (SAMPLE_FAULT == 1)
        printf("# a text of the FMU\n"); /* "#": a comment of the test's output */
    if (SAMPLE_FAULT == 2)
        exit(3);
    if (SAMPLE_FAULT == 3)
        fesetround(FE_UPWARD);
    if (SAMPLE_FAULT == 4)
        raise(SIGSEGV);
#else
    (void)call;
#endif
}
