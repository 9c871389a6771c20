/* `wrsim stability`.
 *
 * Thread: main. Real-time: no.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/names.h"
#include "cli/busy_line.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/print_stability.h"
#include "cli/program_output.h"
#include "cli/tool.h"

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

static int take_formula(stability *s)
{
    if (s->alpha.n > WR_LMS_STEPS + 1 || s->beta.n > s->alpha.n)
        return wr_command_line_refuse(
            s, "--alpha takes at most %d numbers, and --beta no more than --alpha",
            WR_LMS_STEPS + 1);
    s->formula.n_step = s->alpha.n - 1;
    memcpy(s->formula.alpha, s->alpha.value, (size_t)s->alpha.n * sizeof *s->formula.alpha);
    memcpy(s->formula.beta, s->beta.value, (size_t)s->beta.n * sizeof *s->formula.beta);
    const char *const flaw = wr_lms_flaw(&s->formula);
    return flaw ? wr_command_line_refuse(s, "--alpha and --beta do not define a method: %s", flaw)
                : 0;
}

static wrsim_status tell_method(stability *s, const wr_stepper *stepper, wrsim_error *err)
{
    wr_method_facts facts;
    const wrsim_status status = wr_method_examine(stepper, &facts);
    if (status < 0)
        return wr_error_set(err, status, "the roots of '%s' cannot be found", stepper->name);
    if (s->dir) {
        WR_TRY(wr_folder_open(&s->folder, s->dir, s->line.operand[0], NULL, err));
        WR_TRY(wr_method_draw(stepper, &s->folder, err));
    }
    if (s->is_json) {
        WR_TRY(wr_tool_print_json(wr_method_json(stepper, &facts), err));
    } else {
        wr_print_method(stepper, &facts);
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
        const int code = take_formula(s);
        if (code != 0)
            return code;
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
    wr_print_stability(found, s->line.operand[0]);
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
        return wr_command_line_refuse(s, is_method
                                             ? "a method takes no config"
                                             : "'stability' takes CONFIG, --method or --alpha");
    return is_method ? about_method(s, &err) : about_config(s, &err);
}

const wr_command wr_stability_command = {
    .name = "stability",
    .operands = "CONFIG\n--method NAME\n--alpha A,A,... --beta B,B,...",
    .max_operand = 1,
    .help = "check whether fixed steps are stable, or show the properties of a method",
    .more = "A run with solvers that choose their step sizes gives the eigenvalues of every "
            "subsystem with a fixed step. They are\ncompared with the stability region of the "
            "method. Subsystems that exchange without waiting are also checked\ntogether. Exit "
            "code 12: not stable.\n",
    .option = options,
    .into = &(stability){.n_point = N_POINT},
    .run = run};
