/* Runs of wrsim or of a peer, and a cache of their results. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

enum { COST_RUNS = 3 };

/* Wall s above which a run is not repeated only to measure its cost. */
static const double LONG_S = 2.0;

/* Cache entry: equal settings run once. */
typedef struct wr_bench_known {
    const char *key;
    double value;
    wr_trial_sample work;
    struct wr_bench_known *next;
} wr_bench_known;

void wr_bench_run(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample)
{
    if (!setting->peer || wr_bench_is_over(bench)) {
        wr_trial_run(&bench->trial, setting, n_worker, result, ret_sample);
        return;
    }
    *ret_sample = (wr_trial_sample){.wall_s = 0.0};
    wr_bench_peer_run(bench, setting, result, ret_sample);
    if (!ret_sample->why[0] && !(ret_sample->wall_s > 0.0))
        snprintf(ret_sample->why, sizeof ret_sample->why, "no time was measured");
}

static wr_bench_known *known_value(wr_bench *bench, const wr_trial_setting *setting, int n_worker)
{
    const char *key = wr_text(bench->trial.memory, "%d %s %.17g", n_worker,
                              setting->peer ? setting->peer : "", setting->rtol);
    for (int i = 0; i < setting->override.n; i++)
        key = wr_text(bench->trial.memory, "%s;%s", key, setting->override.item[i]);
    for (wr_bench_known *k = bench->known; k; k = k->next)
        if (strcmp(k->key, key) == 0)
            return k;
    wr_bench_known *const added = wr_settings_memory_take(bench->trial.memory, 1, sizeof *added);
    if (!added)
        return NULL;
    *added = (wr_bench_known){.key = key, .value = -1.0, .next = bench->known};
    bench->known = added;
    return added;
}

void wr_bench_forget(wr_bench *bench) { bench->known = NULL; }

double wr_bench_error(wr_bench *bench, const wr_trial_setting *setting)
{
    wr_bench_known *const known = known_value(bench, setting, 0);
    if (!known || known->value != -1.0)
        return known ? known->value : (double)NAN;
    wr_trial_sample sample;
    const char *const file = wr_trial_file(&bench->trial, "run");
    wr_bench_run(bench, setting, 1, file, &sample);
    known->value = wr_trial_error(&bench->trial, file, &sample);
    return known->value;
}

/* Adds one run. Returns 0 if another run is pointless. ret_cost_s (may be NULL): its cost in s, NaN if it failed. */
static int cost_once(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_bench_known *known, double *ret_cost_s)
{
    wr_trial_sample sample;
    wr_bench_run(bench, setting, n_worker, NULL, &sample);
    const double cost_s = n_worker == 1 ? sample.cpu_s : sample.wall_s;
    if (ret_cost_s)
        *ret_cost_s = sample.why[0] ? (double)NAN : cost_s;
    if (!sample.why[0] && !(cost_s >= known->value)) {
        known->value = cost_s;
        known->work = sample;
    }
    return !sample.why[0] && sample.wall_s <= LONG_S;
}

double wr_bench_cost_again(wr_bench *bench, const wr_trial_setting *setting, int n_worker)
{
    wr_bench_known *const known = known_value(bench, setting, n_worker);
    if (!known || known->value == -1.0)
        return wr_bench_cost(bench, setting, n_worker, NULL);
    double cost_s = known->value;
    if (known->value <= LONG_S)
        cost_once(bench, setting, n_worker, known, &cost_s);
    return cost_s;
}

double wr_bench_cost(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_trial_sample *ret_work)
{
    wr_bench_known *const known = known_value(bench, setting, n_worker);
    if (!known)
        return (double)NAN;
    const int n_run = known->value == -1.0 ? COST_RUNS : 0;
    if (n_run > 0)
        known->value = (double)NAN;
    for (int i = 0; i < n_run && cost_once(bench, setting, n_worker, known, NULL); i++)
        continue;
    if (ret_work)
        *ret_work = known->work;
    return known->value;
}
