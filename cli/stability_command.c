/* `wrsim stability`. Thread: main. Real-time: no. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/names.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/stability/stability_files.h"

enum { TEXT = 64 };
/* Condition number of an eigenvector above which the command reports the transient growth of errors. Below this number (assumed) errors
 * decay about as fast as the mode. */
static const double told_condition = 30.0;

static const char *complex_text(double complex z, char text[TEXT])
{
    if (fabs(cimag(z)) > 1e-9 * cabs(z))
        snprintf(text, TEXT, "%.6g %c %.6g i", creal(z), cimag(z) < 0.0 ? '-' : '+',
                 fabs(cimag(z)));
    else
        snprintf(text, TEXT, "%.6g", creal(z));
    return text;
}

static void print_formula(const wr_lms *formula, const wr_lms_facts *facts)
{
    static const char *const places[] = {[WR_LMS_INSIDE] = "inside",
                                         [WR_LMS_ON_CIRCLE] = "on the unit circle, simple",
                                         [WR_LMS_MULTIPLE] = "on the unit circle, multiple",
                                         [WR_LMS_OUTSIDE] = "outside of the unit circle"};
    char text[TEXT];
    fprintf(wr_out, "alpha             ");
    for (int j = 0; j <= formula->n_step; j++)
        fprintf(wr_out, " %.10g", formula->alpha[j]);
    fprintf(wr_out, "\nbeta              ");
    for (int j = 0; j <= formula->n_step; j++)
        fprintf(wr_out, " %.10g", formula->beta[j]);
    fprintf(wr_out, "\nkind               %s, %d step%s\n",
            facts->is_explicit ? "explicit" : "implicit", formula->n_step,
            wr_plural(formula->n_step));
    if (facts->order > 0)
        fprintf(wr_out,
                "order              %d\nresidual           %.6g h^%d x^(%d), global error constant "
                "%.6g\n",
                facts->order, facts->residual_constant, facts->order + 1, facts->order + 1,
                facts->error_constant);
    else
        fprintf(wr_out,
                "order              none: inconsistent (sum alpha_j = %.3g, sum (-j alpha_j - "
                "beta_j) = %.3g, with alpha_0 = 1)\n",
                facts->sum_alpha, facts->sum_rho);
    fprintf(wr_out, "zero-stable        %s\n",
            !facts->is_zero_stable      ? "NO: errors grow at any step"
            : facts->is_strongly_stable ? "yes"
                                        : "yes, weakly: further roots lie on the unit circle");
    for (int i = 0; i < facts->n_root; i++)
        fprintf(wr_out, "  root             %s, %s\n", complex_text(facts->root[i], text),
                places[facts->place[i]]);
}

static void print_limit(const char *what, double limit)
{
    if (isinf(limit))
        fprintf(wr_out, "%s unbounded\n", what);
    else if (limit > 0.0)
        fprintf(wr_out, "%s %.6g\n", what, limit);
    else
        fprintf(wr_out, "%s none\n", what);
}

static void print_method(const wr_stepper *stepper, const wr_method_facts *facts)
{
    fprintf(wr_out, "%s: %s\n\n", stepper->name, stepper->help);
    if (facts->is_formula)
        print_formula(stepper->formula, &facts->formula);
    else
        fprintf(wr_out, "order              %d\n", facts->order);
    print_limit("stable, real       ", facts->real);
    print_limit("stable, imaginary  ", facts->imaginary);
    if (wr_amplification_is_a_stable(facts->angle))
        fprintf(wr_out, "A-stable           yes\n");
    else if (facts->angle > 0.0)
        fprintf(wr_out, "A(alpha)-stable    alpha = %.2f degrees\n", facts->angle);
    if (facts->is_formula && (facts->formula.order == 0 || !facts->formula.is_zero_stable))
        fprintf(wr_out, "\nnot convergent: a run refuses the method; choose other coefficients\n");
}

static void print_worst(const wr_stability_group *group)
{
    const wr_mode *const mode = &group->worst;
    char lambda[TEXT], q[TEXT];
    if (wr_stability_is_mapped(group))
        fprintf(wr_out, "    %s: a step multiplies it by %s at t = %.6g s\n",
                mode->kind == WR_MODE_UNSTABLE ? "worst mode" : "nearest mode",
                complex_text(cexp(group->step_s * mode->lambda), q), mode->t_s);
    else
        fprintf(wr_out, "    %s: eigenvalue %s 1/s at t = %.6g s, h lambda = %s\n",
                mode->kind == WR_MODE_UNSTABLE ? "worst mode" : "nearest mode",
                complex_text(mode->lambda, lambda), mode->t_s,
                complex_text(group->step_s * mode->lambda, q));
    if (mode->kind == WR_MODE_UNSTABLE && isfinite(mode->radius))
        fprintf(wr_out, "    grows by a factor of %.6g in a step, tenfold in %.3g s\n",
                mode->radius, group->step_s * log(10.0) / log(mode->radius));
    fprintf(wr_out, "    states:");
    for (int i = 0; i < mode->n_part; i++)
        if (i == 0 || mode->part[i].share >= 0.02)
            fprintf(wr_out, "%s %s %.0f %%", i == 0 ? "" : ",", group->state[mode->part[i].i_state],
                    100.0 * mode->part[i].share);
    fputs("\n", wr_out);
    if (mode->condition > told_condition)
        fprintf(wr_out,
                "    this mode is close to other modes (condition %.2g): errors in its states grow "
                "temporarily, even if they decay in the end\n",
                mode->condition);
}

/* Returns exp(exponent) as text, also if the value exceeds the range of double. */
static const char *growth_text(double exponent, char text[TEXT])
{
    const double growth = exp(exponent);
    if (isfinite(growth))
        snprintf(text, TEXT, "%.3g", growth);
    else
        snprintf(text, TEXT, "e^%.4g", exponent);
    return text;
}

static void print_group(const wr_stability_group *group, int n_time)
{
    char text[TEXT];
    fprintf(wr_out, "%s: %s%s%s, step %.6g s, %d state%s: %s\n", group->name, group->method,
            group->kept ? " with a part of its Jacobian" : "",
            !group->has_mass ? ""
            : group->kept    ? " and a mass matrix"
                             : " with a mass matrix",
            group->step_s, group->n_state, wr_plural(group->n_state),
            group->n_unstable > 0 ? "UNSTABLE"
            : group->n_lost > 0   ? "GROWTH LOST"
                                  : "stable");
    if (isinf(group->largest_step_s))
        fprintf(wr_out, "    largest stable step: any%s\n",
                group->kept ? " up to a thousand times the step" : "");
    else if (group->largest_step_s > 0.0)
        fprintf(wr_out, "    largest stable step: %.6g s (%.4g of the step)\n",
                group->largest_step_s, group->largest_step_s / group->step_s);
    else
        fprintf(wr_out, "    largest stable step: none%s\n",
                wr_stability_is_mapped(group) ? " from a hundredth of the step on"
                                              : ": the method makes a mode grow at any step");
    if (group->has_worst)
        print_worst(group);
    if (group->n_unstable > 0)
        fprintf(wr_out, "    unstable: %" PRId64 " of %d mode%s examined, at %d of %d time%s\n",
                group->n_unstable, group->n_mode, wr_plural(group->n_mode), group->n_time_unstable,
                n_time, wr_plural(n_time));
    if (group->n_growing > 0)
        fprintf(wr_out,
                "    %" PRId64 " of %d mode%s examined grow%s in the model %s, at any step\n",
                group->n_growing, group->n_mode, wr_plural(group->n_mode),
                group->n_growing == 1 ? "s" : "", group->n_growing == 1 ? "itself" : "themselves");
    if (group->n_lost > 0)
        fprintf(wr_out,
                "    growth lost: %" PRId64
                " of %d mode%s examined do not grow as in the model, where the fastest grows by a "
                "factor of %s per step. Steps up to %.4g s follow the growth\n",
                group->n_lost, group->n_mode, wr_plural(group->n_mode),
                growth_text(group->step_s * group->lost_per_s, text), group->follow_s);
}

static void print_exchange(const wr_stability_exchange *exchange)
{
    static const char *const verdicts[] = {[WR_EXCHANGE_STABLE] = "stable",
                                           [WR_EXCHANGE_UNDECIDED] =
                                               "UNDECIDED: the verdict depends on the prediction; "
                                               "set relaxation.prediction to hold or linear",
                                           [WR_EXCHANGE_UNSTABLE] = "UNSTABLE"};
    if (exchange->verdict == WR_EXCHANGE_NONE)
        return;
    fprintf(wr_out, "exchange every %.6g s, prediction %s: %s\n", exchange->period_s,
            exchange->prediction, exchange->why ? "not judged" : verdicts[exchange->verdict]);
    if (exchange->why) {
        fprintf(wr_out, "    %s\n", exchange->why);
        return;
    }
    for (int order = 0; order < 2; order++)
        for (int start = WR_PERIOD_GO_ON; start <= WR_PERIOD_ANEW; start++)
            if (wr_stability_exchange_starts(exchange, (wr_period_start)start))
                fprintf(wr_out, "    spectral radius of a period, %s%s: %.6g (t = %.6g s)\n",
                        order == WR_PERIOD_HOLD ? "held" : "linear",
                        !exchange->minds_start    ? ""
                        : start == WR_PERIOD_ANEW ? ", steps restart at the period"
                                                  : ", steps continue",
                        exchange->radius[order][start], exchange->time_s[order][start]);
    if (!exchange->is_slack)
        fprintf(wr_out, "    the radius holds for changes within the tolerance; larger changes "
                        "cause further sweeps\n");
}

enum { N_POINT = 50, MOST_POINTS = 100000, MOST_NAMES = 64 };

typedef struct stability {
    wr_arguments line;
    const char *dir;
    const char *method;
    wr_option_numbers alpha, beta, times;
    int n_point, is_json;
    wr_lms formula;
    wr_folder folder;
} stability;

static const char *const *method_names(void)
{
    static const char *names[MOST_NAMES + 1];
    names[wr_stepper_names(names, MOST_NAMES)] = NULL;
    return names;
}

#define ROW(...) WR_OPTION(stability, __VA_ARGS__)
static const wr_option options[] = {
    ROW("points", "N", "examine N points, evenly spaced over the run (default 50)", COUNT, n_point,
        .low = 1, .high = MOST_POINTS, .excludes = "times"),
    ROW("times", "T,T,...", "examine these times, s", LIST, times),
    ROW("method", "NAME", "without a config: describe this method", CHOICE, method,
        .words = method_names, .excludes = "alpha points times define"),
    ROW("alpha", "A,A,...",
        "without a config: describe the formula sum alpha_j x_{n-j} = h sum beta_j f_{n-j}", LIST,
        alpha, .needs = "beta", .excludes = "points times define"),
    ROW("beta", "B,B,...", "coefficients of the slopes f, the newest first", LIST, beta,
        .needs = "alpha"),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR",
        "write drawings of the stability regions with the eigenvalues to this folder", FILE, dir,
        .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static wrsim_status tell_method(stability *s, const wr_stepper *stepper, wrsim_error *err)
{
    wr_method_facts facts;
    const wrsim_status status = wr_method_examine(stepper, &facts);
    if (status < 0)
        return wr_error_set(err, status,
                            "the roots of '%s' cannot be computed: %s; choose another --method, or "
                            "other --alpha and --beta",
                            stepper->name, wrsim_status_text(status));
    if (s->dir) {
        WR_TRY(wr_folder_open(&s->folder, s->dir, s->line.operand[0], NULL, err));
        WR_TRY(wr_method_draw(stepper, &s->folder, err));
    }
    if (s->is_json) {
        WR_TRY(wr_tool_print_json(wr_method_json(stepper, &facts), err));
    } else {
        print_method(stepper, &facts);
        if (s->dir)
            wr_tool_print_files(&s->folder, "");
    }
    return facts.is_formula && (facts.formula.order == 0 || !facts.formula.is_zero_stable)
               ? WRSIM_UNSTABLE
               : WRSIM_OK;
}

static int about_method(stability *s, wrsim_error *err)
{
    wr_stepper stepper;
    if (s->method) {
        wr_stepper_find(s->method, &stepper);
    } else {
        if (s->alpha.n > WR_LMS_STEPS + 1 || s->beta.n > s->alpha.n)
            return wr_command_line_refuse(
                s, "--alpha takes at most %d numbers, and --beta no more than --alpha",
                WR_LMS_STEPS + 1);
        s->formula.n_step = s->alpha.n - 1;
        memcpy(s->formula.alpha, s->alpha.value, (size_t)s->alpha.n * sizeof *s->formula.alpha);
        memcpy(s->formula.beta, s->beta.value, (size_t)s->beta.n * sizeof *s->formula.beta);
        const char *const flaw = wr_lms_flaw(&s->formula);
        if (flaw)
            return wr_command_line_refuse(
                s, "--alpha and --beta do not define a method: %s; choose other coefficients",
                flaw);
        stepper = wr_stepper_of_formula(&s->formula);
    }
    const wrsim_status status = tell_method(s, &stepper, err);
    if (status < 0)
        wr_print_error(NULL, err);
    return wrsim_status_exit_code(status);
}

static wrsim_status tell(stability *s, const wr_stability *found, wrsim_error *err)
{
    if (s->dir) {
        WR_TRY(wr_folder_open(&s->folder, s->dir, s->line.operand[0], NULL, err));
        WR_TRY(wr_stability_draw(found, &s->folder, err));
    }
    if (s->is_json)
        return wr_tool_print_json(wr_stability_json(found, s->line.operand[0]), err);
    fprintf(wr_out, "%s, at %d time%s of its run:\n\n", s->line.operand[0], found->n_time,
            wr_plural(found->n_time));
    for (int i = 0; i < found->n_group; i++)
        if (found->group[i].is_fixed)
            print_group(&found->group[i], found->n_time);
    print_exchange(&found->exchange);
    for (int i = 0; i < found->n_group; i++)
        if (!found->group[i].is_fixed && found->group[i].method)
            fprintf(wr_out, "%s: not checked, because %s chooses its step sizes\n",
                    found->group[i].name, found->group[i].method);
    if (s->dir)
        wr_tool_print_files(&s->folder, "");
    return WRSIM_OK;
}

static void report(void *user, const wrsim_error *error)
{
    *(int *)user = 1;
    wr_print_error(NULL, error);
}

static int about_config(stability *s, wrsim_error *err)
{
    wr_stability found;
    int is_told = 0;
    wr_busy_line *line = wr_busy_line_begin("stability", s->times.n > 0 ? s->times.n : s->n_point);
    const wr_stability_request request = {.file = s->line.operand[0],
                                          .override = s->line.override,
                                          .n_override = s->line.n_override,
                                          .time_s = s->times.n > 0 ? s->times.value : NULL,
                                          .n_time = s->times.n > 0 ? s->times.n : s->n_point,
                                          .progress = wr_busy_line_point,
                                          .user = line};
    wrsim_status status = wr_stability_run(&request, &found, report, &is_told, err);
    wr_busy_line_end(&line);
    if (status < 0) {
        if (!is_told)
            wr_print_error(NULL, err);
        return wrsim_status_exit_code(status);
    }
    status = tell(s, &found, err);
    if (status < 0)
        wr_print_error(NULL, err);
    else
        status = found.verdict;
    wr_stability_done(&found);
    return wrsim_status_exit_code(status);
}

static int run(void *into)
{
    wrsim_error err = {0};
    stability *const s = into;
    const int is_method = s->method || s->alpha.n > 0;
    if (s->line.n_operand == is_method)
        return wr_command_line_refuse(
            s, is_method ? "--method and --alpha take no config; remove the config"
                         : "'stability' needs CONFIG, --method or --alpha");
    return is_method ? about_method(s, &err) : about_config(s, &err);
}

const wr_command wr_stability_command = {
    WR_COMMAND("stability", "CONFIG\n--method NAME\n--alpha A,A,... --beta B,B,...", 0, 1, options,
               run),
    .help = "check whether fixed steps are stable, or show the properties of a method",
    .more = "A run with solvers that choose their step sizes gives the eigenvalues of every "
            "subsystem with a fixed step. They are\ncompared with the stability region of the "
            "method. Subsystems that exchange without waiting are also checked\ntogether. Exit "
            "code 12: not stable.\n",
    .into = &(stability){.n_point = N_POINT}};
