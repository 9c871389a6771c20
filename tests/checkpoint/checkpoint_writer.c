/* Runs a config and writes a checkpoint at the end of each listed window:
 *
 *     checkpoint_writer CONFIG PREFIX 3,17,25 [KEY=VALUE ...]
 *
 * The files are PREFIX.3, PREFIX.17, ... The exit codes equal the exit codes of wrsim. The program stops at each listed window
 * and continues, like a host. In a slackened run one call of the progress function covers several periods, so the run would
 * stop at a later period. With 3,17,25@PERIOD the program instead advances to the ends of these periods (PERIOD in s).
 */
#include <stdio.h>
#include <stdlib.h>

#include "wrsim/wrsim.h"

enum { MOST = 4096 };

typedef struct plan {
    wrsim *sim;
    const char *prefix;
    long window[MOST];
    int n, i;        /* windows in window[], and index of the next window */
    double period_s; /* 0: the run stops at windows */
} plan;

static void look(void *user, const wrsim_progress *now)
{
    plan *const p = user;
    if (p->i < p->n && now->n_window >= p->window[p->i])
        wrsim_stop(p->sim);
}

/* Writes the checkpoint of the next listed window. */
static wrsim_status write_one(plan *p, wrsim_error *err)
{
    char file[4096];
    snprintf(file, sizeof file, "%s.%ld", p->prefix, p->window[p->i++]);
    return wrsim_checkpoint_write(p->sim, file, err);
}

static wrsim_status run_by_windows(plan *p, wrsim_error *err)
{
    wrsim_set_progress(p->sim, look, p);
    wrsim_status status = WRSIM_OK;
    while (status >= 0) {
        status = wrsim_run(p->sim, err);
        if (status != WRSIM_STOPPED)
            break;
        status = write_one(p, err);
    }
    return status;
}

static wrsim_status run_by_periods(plan *p, wrsim_error *err)
{
    const double start_s = wrsim_time(p->sim);
    wrsim_status status = WRSIM_OK;
    while (status >= 0 && p->i < p->n) {
        status = wrsim_advance(p->sim, start_s + (double)p->window[p->i] * p->period_s, err);
        if (status >= 0)
            status = write_one(p, err);
    }
    return status < 0 ? status : wrsim_run(p->sim, err);
}

static wrsim_status run(plan *p, wrsim_error *err)
{
    wrsim_status status = wrsim_prepare(p->sim, err);
    if (status >= 0 && p->n > 0 && p->window[0] == 0) /* window 0: before the first window */
        status = write_one(p, err);
    if (status >= 0)
        status = p->period_s > 0.0 ? run_by_periods(p, err) : run_by_windows(p, err);
    const wrsim_status finished = wrsim_finish(p->sim, status < 0 ? NULL : err);
    return status < 0 || finished >= 0 ? status : finished;
}

int main(int argc, char **argv)
{
    static plan p;
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    if (argc < 4)
        return 2;
    p.prefix = argv[2];
    const char *text = argv[3];
    for (char *end; *text && *text != '@' && p.n < MOST; text = *end == ',' ? end + 1 : end)
        p.window[p.n++] = strtol(text, &end, 10);
    p.period_s = *text == '@' ? strtod(text + 1, NULL) : 0.0;
    wrsim_status status = wrsim_config_from_file(argv[1], (const char *const *)argv + 4, argc - 4,
                                                 NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &p.sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = run(&p, &err);
    wrsim_destroy(&p.sim);
    if (status < 0)
        fprintf(stderr, "%s\n", err.text);
    return wrsim_status_exit_code(status);
}
