/* The states that the sample FMUs keep. At its end the library appends the counts of calls to the file that SAMPLE_COUNTS names. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

static atomic_int n_keep, n_go_back, n_alive, most_alive;

static void count_alive(int by)
{
    const int n = atomic_fetch_add(&n_alive, by) + by;
    int most = atomic_load(&most_alive);
    while (n > most && !atomic_compare_exchange_weak(&most_alive, &most, n))
        ;
}

void sample_keep(const sample *s, void **state)
{
    atomic_fetch_add(&n_keep, 1);
    if (!*state) {
        *state = malloc(sizeof *s);
        count_alive(1);
    }
    memcpy(*state, s, sizeof *s);
}

void sample_go_back(sample *s, const void *state)
{
    atomic_fetch_add(&n_go_back, 1);
    const int keeps_states = SAMPLE_LATE_SOLVER && !s->is_started;
    double last[4], states[SAMPLE_DERIVATIVE];
    memcpy(last, s->last, sizeof last);
    memcpy(states, s->value, sizeof states);
    memcpy(s, state, sizeof *s);
    memcpy(s->last, last, sizeof last);
    if (keeps_states)
        memcpy(s->value, states, sizeof states);
}

void sample_forget(void **state)
{
    count_alive(*state ? -1 : 0);
    free(*state);
    *state = NULL;
}

__attribute__((destructor)) static void report_counts(void)
{
    const char *const path = getenv("SAMPLE_COUNTS");
    FILE *const file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s %d %d %d %d\n", SAMPLE_TOKEN, atomic_load(&n_keep), atomic_load(&n_go_back),
            atomic_load(&most_alive), atomic_load(&n_alive));
    (void)fclose(file); /* the test finds a missing line */
}
