/* What `wrsim sparse` found, as text. See print_sparsing.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_sparsing.h"

#include <math.h>
#include <stdlib.h>

#include "cli/print.h"

enum { SHOWN = 12 }; /* lines of a table; the files have all lines */

static void print_clusters(FILE *to, const wr_sparsing *s)
{
    const wr_sample *const first = &s->samples.sample[0];
    if (!first->resolution)
        return;
    fprintf(to, "\nclusters of the first linearisation:\n%8s  %-24s %12s %12s\n", "values",
            "one of them", "may move by", "projector");
    for (int c = 0; c < first->resolution->n_cluster && c < SHOWN; c++) {
        const wr_spectral_cluster *const k = &first->resolution->cluster[c];
        char value[48];
        /* 1e-9: rounding of real eigenvalues */
        const double im = fabs(cimag(k->value[0])) > 1e-9 ? cimag(k->value[0]) : 0.0;
        snprintf(value, sizeof value, "%.5g%+.5gi%s", creal(k->value[0]), im,
                 k->has_conjugate ? ", conj." : "");
        fprintf(to, "%8d  %-24s %12.3g %12.3g\n", k->n, value,
                wr_verdict_limit(&s->options.shares, k->value[0]), k->projector);
    }
    if (first->resolution->n_cluster > SHOWN)
        fprintf(to, "%8s  %d more\n", "", first->resolution->n_cluster - SHOWN);
}

static void print_pattern(FILE *to, const wr_sparsing *s, const char *name,
                          const wr_sparsing_pattern *p)
{
    char error[32] = "-";
    if (s->samples.lag)
        snprintf(error, sizeof error, "%.2g %%", 100.0 * p->error);
    fprintf(to, "%-10s %12d %12d %8d %12.0f %8d %10s %10s\n", name, p->n_kept, p->fill.nnz,
            p->fill.nnz_lu, p->fill.n_flop, p->n_colour, error, p->is_accepted ? "yes" : "no");
}

static void print_surprise(FILE *to, const wr_sparsing *s, const wr_dropping *how)
{
    if (how->n_surprise == 0)
        return;
    fprintf(to,
            "\n%d candidate%s met the criterion and %s refused by the exact check: effects on a "
            "cluster cancel in the criterion,\nor are not small",
            how->n_surprise, wr_plural(how->n_surprise), how->n_surprise == 1 ? "was" : "were");
    if (how->surprise.j >= 0)
        fprintf(to, "; the strongest case: %s by %s, %.3g of the allowed change\n",
                s->name[how->surprise.i], s->name[how->surprise.j], how->surprise.score);
    else
        fprintf(to, "; the strongest case: %s\n", s->name[how->surprise.i]);
}

static void print_bounds(FILE *to, const wr_sparsing *s)
{
    double c1 = HUGE_VAL, fast = HUGE_VAL, before = 0.0, after = 0.0;
    int has_defect = 0, has_negative = 0;
    for (int k = 0; k < s->samples.n_sample; k++) {
        const wr_estimates *const e = &s->estimates[k];
        c1 = fmin(c1, e->c1);
        fast = fmin(fast, e->c1_fast);
        before = fmax(before, e->radius_before);
        after = fmax(after, e->radius_after);
        has_defect |= isnan(e->dE);
        has_negative |= e->trace_square < 0.0;
    }
    if (has_negative)
        fprintf(to, "d2 is undefined where tr(M^2) is negative.\n");
    if (has_defect)
        fprintf(to, "dE is undefined where eigenvectors are parallel: the pencil is defective "
                    "within a cluster.\n");
    fprintf(to, "bounds: C1 = %.3g, C2 = %.3g; without slow modes: ", c1, c1 * c1);
    if (isfinite(fast))
        fprintf(to, "C1 = %.3g, C2 = %.3g\n", fast, fast * fast);
    else
        fprintf(to, "no mode is left\n");
    fprintf(to, "largest eigenvalue of all linearisations: %.9f unsparsed, %.9f sparsed\n", before,
            after);
}

void wr_print_sparsing(FILE *to, const wr_sparsing *s)
{
    const int is_searched = s->n_round > 0;
    fprintf(to, "%s: %d state%s, step %g s, %d linearisation%s, %d of them differ\n", s->subsystem,
            s->n, wr_plural(s->n), s->options.tau_s, s->samples.n_sample,
            wr_plural(s->samples.n_sample), wr_samples_n_kept(&s->samples));
    print_clusters(to, s);
    fprintf(to, "\n%-10s %12s %12s %8s %12s %8s %10s %10s\n", "pattern", "entries of J",
            "of L - tau J", "of LU", "operations", "colours", "error", "accepted");
    print_pattern(to, s, "full", &s->full);
    print_pattern(to, s, is_searched ? "sparsed" : "given", &s->sparsed);
    if (is_searched)
        print_pattern(to, s, "mixed", &s->mixed);
    if (s->samples.lag && s->sparsed.error > 0.0)
        fprintf(to,
                "error: predicted from late inputs of the pattern, as a fraction of a state's "
                "range; largest at %s\n",
                s->name[s->sparsed.error_state]);
    print_surprise(to, s, &s->sparsed.how);
    if (is_searched) {
        int n_explicit = 0;
        for (int i = 0; i < s->n; i++)
            n_explicit += s->is_explicit[i];
        fprintf(to, "\nmixed mode: %d of %d state%s can be integrated explicitly", n_explicit, s->n,
                wr_plural(s->n));
        for (int i = 0, n_shown = 0; i < s->n && n_shown <= SHOWN; i++)
            if (s->is_explicit[i]) {
                fprintf(to, "%s%s", n_shown == 0 ? ":\n    " : ", ",
                        n_shown == SHOWN ? "..." : s->name[i]);
                n_shown++;
            }
        fprintf(to, "\n");
    }
    const int n = s->samples.n_sample, n_shown = n < SHOWN ? n : SHOWN;
    fprintf(to,
            "\nchange of the spectrum (dS; d1 of sums; d2, d2k, dE, d_r of roots of sums of "
            "squares):\n%10s %10s %10s %10s %10s %10s %10s %10s %10s\n",
            "t [s]", "dS (eq. 2)", "dS", "d1", "d2", "d2k", "dE", "d_r exact", "radius");
    for (int k = 0; k < n_shown; k++) {
        const int i = n_shown > 1 ? k * (n - 1) / (n_shown - 1) : 0;
        const wr_estimates *const e = &s->estimates[i];
        fprintf(to, "%10.4g %10.3g %10.3g %10.3g %10.3g %10.3g %10.3g %10.3g %10.6f\n",
                s->samples.sample[i].pencil->t_s, e->dS_published, e->dS, e->d1, e->d2, e->d2k,
                e->dE, e->dr2, e->radius_after);
    }
    print_bounds(to, s);
}

void wr_print_sparsing_errors(FILE *to, const wr_sparsing *s, const wr_sparsing_errors *errors,
                              int is_inaccurate)
{
    int i, worst;
    const double unsparsed = wr_sparsing_worst(errors->unsparsed, s->n, &i);
    const double sparsed = wr_sparsing_worst(errors->sparsed, s->n, &worst);
    fprintf(to,
            "\nruns compared with a tight run, largest error of any state, in per cent of its "
            "range:\n  unsparsed %.3g %% (%s), sparsed %.3g %% (%s)%s\n",
            100.0 * unsparsed, s->name[i], 100.0 * sparsed, s->name[worst],
            is_inaccurate ? ": more than --error allows" : "");
}
