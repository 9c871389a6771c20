/* Sparsing of a subsystem's Jacobian. See sparsing.h. Thread: one owner. Real-time: no. */
#include "offline/sparsing/sparsing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"

static size_t count_of(const wr_sparsing *s) { return (size_t)s->n * (size_t)s->n; }

static int pattern_init(const wr_sparsing *s, wr_sparsing_pattern *p, const unsigned char *from)
{
    *p = (wr_sparsing_pattern){.keep = calloc(count_of(s) + 1, 1)};
    if (p->keep)
        memcpy(p->keep, from, count_of(s));
    return p->keep ? 0 : -1;
}

wrsim_status wr_sparsing_begin(wr_sparsing *s, const char *subsystem, int n,
                               const char *const *name, const double *nominal,
                               const unsigned char *full, wrsim_error *err)
{
    if (n < 1)
        return wr_error_set(err, WRSIM_E_ARG,
                            "without states no Jacobian exists; choose another subsystem or other "
                            "matrices");
    if (n > WR_SPARSING_MOST)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "%d states are too many, because sparsing uses dense matrices for at most %d states; "
            "choose a smaller subsystem or smaller matrices",
            n, WR_SPARSING_MOST);
    if (!(s->options.tau_s > 0.0) || !isfinite(s->options.tau_s))
        return wr_error_set(err, WRSIM_E_ARG,
                            "the step tau must be finite and above 0, but is %g s; set --tau",
                            s->options.tau_s);
    s->subsystem = subsystem;
    s->n = n;
    s->name = name;
    s->samples = (wr_samples){.n = n,
                              .tau_s = s->options.tau_s,
                              .gap = s->options.gap,
                              .shares = s->options.shares,
                              .error = s->options.error,
                              .nominal = nominal,
                              .listener = s->options.listener};
    s->is_explicit = calloc((size_t)n + 1, 1);
    if (!s->is_explicit || pattern_init(s, &s->full, full) != 0 ||
        pattern_init(s, &s->sparsed, full) != 0 || pattern_init(s, &s->mixed, full) != 0)
        return wr_error_memory(err);
    return WRSIM_OK;
}

/* Prepares the samples of a search. */
static wrsim_status close_samples(wr_sparsing *s, wrsim_error *err)
{
    if (s->samples.n_sample == 0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "the study has no linearisation; give --samples or --times");
    return s->samples.lag ? WRSIM_OK : wr_samples_close(&s->samples, err);
}

static wrsim_status weigh(wr_sparsing *s, wr_sparsing_pattern *p, wrsim_error *err)
{
    WR_AUTO_FREE unsigned char *const is_set = malloc(count_of(s) + 1);
    if (!is_set)
        return wr_error_memory(err);
    wr_dropping_pattern(&s->samples, p->keep, is_set);
    const int failed = wr_fill_count(s->n, is_set, &p->fill) != 0;
    p->n_colour = wr_fill_colours(s->n, s->full.keep, p->keep);
    p->n_kept = 0;
    for (size_t e = 0; e < count_of(s); e++)
        p->n_kept += p->keep[e];
    p->error = wr_samples_error(&s->samples, p->keep, &p->error_sample, &p->error_state);
    const int verdict = wr_samples_accept(&s->samples, p->keep, 0);
    p->is_accepted = verdict == 1;
    return failed || p->n_colour < 0 || p->error < 0.0 || verdict < 0 ? wr_error_memory(err)
                                                                      : WRSIM_OK;
}

/* Searches with the kept samples until all samples accept the pattern. A sample that refuses the pattern becomes a kept sample of the next
 * round, so the search ends. Returns WRSIM_OK, or a negative status. */
static wrsim_status search(wr_sparsing *s, wr_sparsing_pattern *p, int by_states, wrsim_error *err)
{
    for (;;) {
        memcpy(p->keep, s->full.keep, count_of(s));
        const int failed = by_states
                               ? wr_dropping_states(&s->samples, p->keep, s->is_explicit, &p->how)
                               : wr_dropping_entries(&s->samples, p->keep, &p->how);
        const int verdict = failed ? -1 : wr_samples_accept(&s->samples, p->keep, 0);
        if (verdict < 0)
            return wr_error_memory(err);
        s->n_round++;
        if (verdict == 1)
            return weigh(s, p, err);
        if (s->samples.sample[s->samples.suspect].resolution)
            return wr_error_set(
                err, WRSIM_E_INTERNAL,
                "the same linearisation accepts and refuses a pattern; report this error of wrsim");
        WR_TRY(wr_samples_keep(&s->samples, s->samples.suspect, err));
    }
}

wrsim_status wr_sparsing_search(wr_sparsing *s, double error, wrsim_error *err)
{
    s->samples.error = error;
    WR_TRY(close_samples(s, err));
    WR_TRY(weigh(s, &s->full, err));
    WR_TRY(search(s, &s->mixed, 1, err));
    s->n_round = 0;
    return search(s, &s->sparsed, 0, err);
}

wrsim_status wr_sparsing_check(wr_sparsing *s, const unsigned char *given, wrsim_error *err)
{
    WR_TRY(close_samples(s, err));
    WR_TRY(weigh(s, &s->full, err));
    memcpy(s->sparsed.keep, given, count_of(s));
    return weigh(s, &s->sparsed, err);
}

wrsim_status wr_sparsing_judge(wr_sparsing *s, wrsim_error *err)
{
    const size_t n = (size_t)s->n, n_sample = (size_t)s->samples.n_sample;
    const wr_estimates_rule rule = {.slow = s->options.slow, .gap = s->options.gap};
    free(s->estimates);
    free(s->after);
    s->estimates = calloc(n_sample + 1, sizeof *s->estimates);
    s->after = calloc(n_sample * n + 1, sizeof *s->after);
    if (!s->estimates || !s->after)
        return wr_error_memory(err);
    for (size_t k = 0; k < n_sample; k++) {
        const wr_sample *const sample = &s->samples.sample[k];
        const wrsim_status status =
            wr_estimates_make(sample, s->sparsed.keep, &rule, &s->estimates[k], s->after + k * n);
        if (status == WRSIM_E_MEMORY)
            return wr_error_memory(err);
        if (status != WRSIM_OK)
            return wr_error_set(
                err, WRSIM_E_SOLVER,
                isnan(sample->pencil->t_s)
                    ? "with this pattern L - tau J is singular, so no step is possible; choose a "
                      "pattern with more entries"
                    : "with this pattern L - tau J is singular at t = %.9g s, so no step is "
                      "possible; choose a pattern with more entries",
                sample->pencil->t_s);
    }
    return WRSIM_OK;
}

void wr_sparsing_done(wr_sparsing *s)
{
    wr_samples_done(&s->samples);
    free(s->full.keep);
    free(s->sparsed.keep);
    free(s->mixed.keep);
    free(s->is_explicit);
    free(s->estimates);
    free(s->after);
    *s = (wr_sparsing){.options = s->options};
}
