/* Choices of relaxation.scheme = "auto". See scheme_study.h. Thread: one owner. Real-time: no. */
#include "offline/scheme_study.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/report.h"
#include "runtime/sim/run.h"
#include "wrsim/study.h"

/* Numbers of workers of the runs, besides relaxation.scheme_workers (assumed). */
static const int N_WORKER[] = {1, 2, 4, 8};

typedef struct study {
    wrsim *sim;
    int64_t until_ns;
    int is_late;
} study;

static void stop_when_late(void *user, const wrsim_progress *progress)
{
    study *const s = user;
    (void)progress;
    if (wr_clock_thread_cpu_ns() < s->until_ns)
        return;
    s->is_late = 1;
    wrsim_stop(s->sim);
}

/* Appends the choice for n_worker workers to text[n]. The run has the settings of the config, ends at to_s, and advances once, because the
 * end of an advance cuts a window. Returns 1 if the run can choose. */
static int add(study *s, const wr_settings *settings, double to_s, int n_worker, char *text,
               size_t n)
{
    wr_settings set = *settings;
    const size_t used = strlen(text);
    char choice[WRSIM_SCHEME_TEXT_BYTES] = "";
    int can_choose = 0;
    set.simulation.monolithic = WR_GROUPING_SPLIT;
    set.simulation.stop_s = to_s;
    set.relaxation.scheme_workers = n_worker;
    if (wr_run_open_second(&set, NULL, &s->sim, NULL) >= 0) {
        wrsim_set_progress(s->sim, stop_when_late, s);
        if (wrsim_advance(s->sim, to_s, NULL) >= 0 && !s->is_late) {
            can_choose = wr_report_scheme(s->sim, choice, sizeof choice);
            snprintf(text + used, n - used, "%s%s", used > 0 && choice[0] ? "; " : "", choice);
        }
    }
    wrsim_destroy(&s->sim);
    return can_choose;
}

void wr_scheme_study(const wr_settings *settings, double to_s, int n_most, int64_t limit_ns,
                     char *ret_text, size_t n)
{
    study s = {.until_ns = wr_clock_thread_cpu_ns() + limit_ns};
    const int stated = settings->relaxation.scheme_workers;
    ret_text[0] = '\0';
    int can_choose = add(&s, settings, to_s, stated, ret_text, n);
    for (size_t i = 0; i < WR_COUNT_OF(N_WORKER) && can_choose && n_most > 0; i++)
        if (N_WORKER[i] != stated && (i == 0 || N_WORKER[i - 1] < n_most))
            can_choose = add(&s, settings, to_s, N_WORKER[i], ret_text, n);
}
