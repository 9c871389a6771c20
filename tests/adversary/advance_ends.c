/* Runs a config to its end, in advances that end at the given times:
 *
 *     advance_ends CONFIG 0.1,0.25 [KEY=VALUE ...]
 *
 * At a negative time -t the progress callback stops the run at the first end of a window at or after t, as a
 * call of wrsim_stop() from another thread would. The exit codes equal the exit codes of the program wrsim.
 */
#include <stdio.h>
#include <stdlib.h>

#include "wrsim/wrsim.h"

typedef struct stopper {
    wrsim *sim;
    double time_s;
} stopper;

static void look(void *user, const wrsim_progress *now)
{
    stopper *const s = user;
    if (now->time_s < s->time_s)
        return;
    s->time_s = 1e300;
    wrsim_stop(s->sim);
}

/* Advances to all ends in turn, then to the end of the run. */
static wrsim_status run(stopper *s, const char *ends, wrsim_error *err)
{
    wrsim_status status = wrsim_prepare(s->sim, err);
    wrsim_set_progress(s->sim, look, s);
    while (status >= 0 && *ends) {
        char *next;
        const double end_s = strtod(ends, &next);
        ends = *next == ',' ? next + 1 : next;
        s->time_s = end_s < 0.0 ? -end_s : 1e300;
        status = end_s < 0.0 ? wrsim_run(s->sim, err) : wrsim_advance(s->sim, end_s, err);
    }
    s->time_s = 1e300;
    if (status >= 0)
        status = wrsim_run(s->sim, err);
    const wrsim_status finished = wrsim_finish(s->sim, status < 0 ? NULL : err);
    return status < 0 || finished >= 0 ? status : finished;
}

int main(int argc, char **argv)
{
    stopper s = {.time_s = 1e300};
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    if (argc < 3)
        return 2;
    wrsim_status status = wrsim_config_from_file(argv[1], (const char *const *)argv + 3, argc - 3,
                                                 NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &s.sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = run(&s, argv[2], &err);
    wrsim_destroy(&s.sim);
    if (status < 0)
        fprintf(stderr, "%s\n", err.text);
    return wrsim_status_exit_code(status);
}
