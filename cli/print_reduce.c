/* Tables of a reduction. See print_reduce.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_reduce.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "wrsim/wrsim.h"

/* Relative nonlinearity above which the part is reported as not linear; rounding and differences stay below it. */
static const double LINEAR = 1e-6;

static const char *column_name(const wr_linear_system *system, int i_column)
{
    return i_column < system->n_input ? system->input[i_column].name : "rate";
}

static void print_system(const wr_reduce_report *r)
{
    const wr_linear_system *const s = r->system;
    fprintf(wr_out, "%s: %d unknown%s, %d input%s, %d output%s\n", r->source, s->n, wr_plural(s->n),
            s->n_input, wr_plural(s->n_input), s->n_output, wr_plural(s->n_output));
    const wr_linearised *const l = r->linearised;
    if (!l)
        return;
    fprintf(wr_out, "linearised at %.10g s%s", l->t_s,
            s->has_rate ? ", where the state is not at rest (one more column)" : "");
    if (l->nonlinearity <= LINEAR)
        fprintf(wr_out, "; it is linear (nonlinearity %.1g, a tenth of nominal values away)\n",
                l->nonlinearity);
    else if (l->nonlinearity > LINEAR)
        fprintf(wr_out,
                "\nIT IS NOT LINEAR: a tenth of nominal values away the nonlinearity is %.2g; the "
                "results hold near that point only\n",
                l->nonlinearity);
    else
        fprintf(wr_out, "\nthe models cannot be evaluated a tenth of nominal values away: "
                        "linearity is not checked\n");
    if (l->t_s > l->start_s)
        fprintf(wr_out, "a run with the reduced model starts in the state of that time\n");
    if (l->n_indicator + l->n_discrete > 0)
        fprintf(wr_out,
                "%d event indicator%s and %d discrete state%s keep their values of that time: the "
                "reduced model has no events\n",
                l->n_indicator, wr_plural(l->n_indicator), l->n_discrete, wr_plural(l->n_discrete));
}

static double slowest(const wr_state_space *space)
{
    double least = (double)INFINITY;
    for (int i = 0; i < space->n; i++)
        least = fmin(least, cabs(space->pole[i]));
    return least;
}

static double fastest(const wr_state_space *space)
{
    double most = 0.0;
    for (int i = 0; i < space->n; i++)
        most = fmax(most, cabs(space->pole[i]));
    return most;
}

static void print_passivity(const wr_reduction *r)
{
    const wr_passivity *const full = &r->passivity_full, *const reduced = &r->passivity_reduced;
    fprintf(wr_out, "C = C^T: %s, C >= 0: %s, G + G^T >= 0: %s",
            full->is_C_symmetric ? "yes" : "no", full->is_C_semidefinite ? "yes" : "no",
            full->is_G_semidefinite ? "yes" : "no");
    if (!wr_passivity_is_stable(full))
        fprintf(wr_out, "; stability is not guaranteed by construction: see the growth above\n");
    else if (!wr_passivity_is_stable(reduced))
        fprintf(wr_out, "; ROUNDING HAS DESTROYED STABILITY of the reduced system\n");
    else
        fprintf(wr_out, ": stability is guaranteed, the stored energy cannot grow%s\n",
                full->has_ports && reduced->has_ports ? ", and passivity (B = L)" : "");
}

static void print_chosen(const wr_reduce_report *r)
{
    const wr_reduction *const d = r->reduction;
    const wr_reduction_trial *const t = &d->trial[d->i_chosen];
    fprintf(wr_out,
            "\norder %d: error %.2e at the samples, %.2e halfway between them (at %.3g Hz)\n",
            t->order, t->error.error, d->between.error, d->between.hz);
    if (d->space->n < t->order)
        fprintf(wr_out, "%d of its equations %s algebraic: %d state%s\n", t->order - d->space->n,
                t->order - d->space->n == 1 ? "is" : "are", d->space->n, wr_plural(d->space->n));
    if (d->space->n > 0)
        fprintf(wr_out, "its poles lie between %.3g and %.3g 1/s\n", slowest(d->space),
                fastest(d->space));
    if (!d->is_stable) {
        fprintf(wr_out, "UNSTABLE: a pole has the real part %.3g 1/s; ", t->growth);
        if (isnan(d->full_growth))
            fprintf(wr_out, "the full system is too large for its poles to be computed\n");
        else
            fprintf(wr_out, "the full system also grows, by up to %.3g 1/s\n", d->full_growth);
    }
    if (r->options->order > t->order)
        fprintf(wr_out, "order %d was requested, but inputs reach only %s %d direction%s\n",
                r->options->order, t->order == 1 ? "this" : "these", t->order, wr_plural(t->order));
    if (d->basis->n_deflated > 0)
        fprintf(wr_out, "%d vector%s linearly dependent and %s omitted\n", d->basis->n_deflated,
                wr_plural(d->basis->n_deflated), d->basis->n_deflated == 1 ? "was" : "were");
    print_passivity(d);
}

static void print_part(double part)
{
    if (isnan(part))
        fprintf(wr_out, " %12s", "singular");
    else
        fprintf(wr_out, " %12.1e", part);
}

static void print_matching(const wr_moment_matching *m, double s0)
{
    fprintf(wr_out, "\n%7s %14s %12s %12s   moments at %g 1/s\n", "moment", "size", "Arnoldi",
            "explicit", s0);
    for (int j = 0; j < m->n; j++) {
        fprintf(wr_out, "%7d %14.6e", j, m->size[j]);
        print_part(m->arnoldi[j]);
        print_part(m->explicit_basis[j]);
        fputs("\n", wr_out);
    }
    fprintf(wr_out, "explicit moment matching: condition number of the basis %.1e; response",
            m->condition);
    if (isnan(m->error))
        fprintf(wr_out, " not computed, the system is singular\n");
    else
        fprintf(wr_out, " error %.1e\n", m->error);
}

void wr_print_reduce(const wr_reduce_report *r)
{
    print_system(r);
    fprintf(wr_out, "expansion point%s", r->options->n_s0 == 1 ? "" : "s");
    for (int i = 0; i < r->options->n_s0; i++)
        fprintf(wr_out, "%s %g", i ? "," : "", r->options->s0[i]);
    const int has_zero = r->reduction->full.n > 0 && !(r->reduction->full.hz[0] > 0.0);
    fprintf(wr_out,
            " 1/s; %d samples from %.3g to %.3g Hz%s, and check points halfway between them\n\n",
            r->reduction->full.n - has_zero, r->reduction->low_Hz, r->reduction->high_Hz,
            has_zero ? " and at 0" : "");
    fprintf(wr_out, "%6s %8s %10s %10s  %-28s %12s\n", "order", "moments", "error", "at Hz",
            "worst", "growth 1/s");
    for (int i = 0; i < r->reduction->n_trial; i++) {
        const wr_reduction_trial *const t = &r->reduction->trial[i];
        char worst[128];
        snprintf(worst, sizeof worst, "%s -> %s", column_name(r->system, t->error.i_column),
                 r->system->output[t->error.i_output].name);
        fprintf(wr_out, "%6d %8d %10.2e %10.3g  %-28s %12.3g\n", t->order, t->n_moment,
                t->error.error, t->error.hz, worst, t->growth);
    }
    print_chosen(r);
    if (r->matching)
        print_matching(r->matching, r->options->s0[0]);
}

static void put_error(wr_json *json, const char *key, const wr_reduce_report *r,
                      const wr_response_error *error)
{
    wr_json_object(json, key);
    wr_json_number(json, "error", error->error);
    wr_json_number(json, "hz", error->hz);
    wr_json_string(json, "input", column_name(r->system, error->i_column));
    wr_json_string(json, "output", r->system->output[error->i_output].name);
    wr_json_end(json);
}

static void put_numbers(wr_json *json, const char *key, const double *value, int n)
{
    wr_json_array(json, key);
    for (int i = 0; i < n; i++)
        wr_json_number(json, NULL, value[i]);
    wr_json_end(json);
}

static void put_signals(wr_json *json, const char *key, const wr_linear_signal *signal, int n)
{
    wr_json_array(json, key);
    for (int i = 0; i < n; i++)
        wr_json_string(json, NULL, signal[i].name);
    wr_json_end(json);
}

static void put_system(wr_json *json, const wr_reduce_report *r)
{
    wr_json_string(json, "source", r->source);
    wr_json_integer(json, "unknowns", r->system->n);
    put_signals(json, "inputs", r->system->input, r->system->n_input);
    put_signals(json, "outputs", r->system->output, r->system->n_output);
    if (!r->linearised)
        return;
    wr_json_number(json, "time_s", r->linearised->t_s);
    wr_json_number(json, "nonlinearity", r->linearised->nonlinearity);
    wr_json_bool(json, "moves_by_itself", r->system->has_rate);
    wr_json_integer(json, "indicators", r->linearised->n_indicator);
    wr_json_integer(json, "discrete_states", r->linearised->n_discrete);
}

static void put_passivity(wr_json *json, const char *key, const wr_passivity *p)
{
    wr_json_object(json, key);
    wr_json_bool(json, "C_symmetric", p->is_C_symmetric);
    wr_json_bool(json, "C_semidefinite", p->is_C_semidefinite);
    wr_json_bool(json, "G_semidefinite", p->is_G_semidefinite);
    wr_json_bool(json, "same_ports", p->has_ports);
    wr_json_end(json);
}

static void put_chosen(wr_json *json, const wr_reduce_report *r)
{
    const wr_reduction *const d = r->reduction;
    wr_json_integer(json, "order", d->reduced->q);
    wr_json_integer(json, "states", d->space->n);
    wr_json_integer(json, "moments", d->trial[d->i_chosen].n_moment);
    wr_json_integer(json, "deflated", d->basis->n_deflated);
    wr_json_bool(json, "stable", d->is_stable);
    if (!d->is_stable)
        wr_json_number(json, "full_growth", d->full_growth);
    put_error(json, "at_samples", r, &d->trial[d->i_chosen].error);
    put_error(json, "between_samples", r, &d->between);
    put_passivity(json, "full", &d->passivity_full);
    put_passivity(json, "reduced", &d->passivity_reduced);
    wr_json_array(json, "poles");
    for (int i = 0; i < d->space->n; i++) {
        const double pole[2] = {creal(d->space->pole[i]), cimag(d->space->pole[i])};
        put_numbers(json, NULL, pole, 2);
    }
    wr_json_end(json);
}

char *wr_reduce_json(const wr_reduce_report *r)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "tool", "wrsim reduce");
    wr_json_string(&json, "version", wrsim_version());
    put_system(&json, r);
    put_numbers(&json, "expansion_points", r->options->s0, r->options->n_s0);
    const double band[2] = {r->reduction->low_Hz, r->reduction->high_Hz};
    put_numbers(&json, "band_hz", band, 2);
    wr_json_array(&json, "tried");
    for (int i = 0; i < r->reduction->n_trial; i++) {
        const wr_reduction_trial *const t = &r->reduction->trial[i];
        wr_json_object(&json, NULL);
        wr_json_integer(&json, "order", t->order);
        wr_json_integer(&json, "moments", t->n_moment);
        put_error(&json, "response", r, &t->error);
        wr_json_number(&json, "growth", t->growth);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    put_chosen(&json, r);
    if (r->matching) {
        const wr_moment_matching *const m = r->matching;
        wr_json_object(&json, "matching");
        put_numbers(&json, "size", m->size, m->n);
        put_numbers(&json, "arnoldi", m->arnoldi, m->n);
        put_numbers(&json, "explicit", m->explicit_basis, m->n);
        wr_json_number(&json, "explicit_condition", m->condition);
        wr_json_number(&json, "explicit_response_error", m->error);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return wr_json_take(&json);
}
