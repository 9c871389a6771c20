/* `wrsim stability`. See stability_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/stability_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/names.h"
#include "cli/busy_line.h"
#include "cli/print.h"
#include "cli/print_stability.h"
#include "cli/program_output.h"
#include "cli/tool_options.h"

enum { N_POINT = 50, MOST_POINTS = 100000, MOST_NAMES = 64 };

typedef struct stability {
    wr_tool tool;
    const char *method;
    wr_tool_numbers alpha, beta, times;
    int n_point, is_json;
    wr_lms formula;
    wr_folder folder;
} stability;

static int is_option(const char *word, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == '\0' || word[n] == '=');
}

/* Returns whether --method or --alpha is present: a method needs no config. */
static int is_about_method(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is_option(argv[i], "--method") || is_option(argv[i], "--alpha"))
            return 1;
    return 0;
}

/* Writes the help of --method, which ends with the names of all methods. */
static void list_methods(char *ret_help, size_t bytes)
{
    const char *names[MOST_NAMES];
    const int n = wr_stepper_names(names, MOST_NAMES);
    size_t used = (size_t)snprintf(ret_help, bytes, "without a config: describe this method:");
    for (int i = 0; i < n && used < bytes; i++)
        used += (size_t)snprintf(ret_help + used, bytes - used, "%s%s%*s%s", i == 0 ? "" : ",",
                                 i % 12 == 0 ? "\n" : "", i % 12 == 0 ? 27 : 1, "", names[i]);
}

static int parse(stability *s, int argc, char **argv)
{
    char methods[1024];
    list_methods(methods, sizeof methods);
    const wr_tool_option options[] = {
        {"points", "N", "examine N points, evenly spaced over the run (default 50)", WR_TOOL_COUNT,
         &s->n_point, 1, MOST_POINTS},
        {"times", "T,T,...", "examine these times, s", WR_TOOL_NUMBERS_LIST, &s->times, 0, 0},
        {"method", "NAME", methods, WR_TOOL_TEXT, &s->method, 0, 0},
        {"alpha", "A,A,...",
         "without a config: describe the formula sum alpha_j x_{n-j} = h sum beta_j f_{n-j}",
         WR_TOOL_NUMBERS_LIST, &s->alpha, 0, 0},
        {"beta", "B,B,...", "coefficients of the slopes f, the newest first", WR_TOOL_NUMBERS_LIST,
         &s->beta, 0, 0},
        {"json", NULL, "print JSON instead of text", WR_TOOL_FLAG, &s->is_json, 0, 0},
        {NULL, NULL, NULL, WR_TOOL_FLAG, NULL, 0, 0}};
    s->tool.option = options;
    const int code = wr_tool_parse(&s->tool, argc, argv);
    s->tool.option = NULL;
    if (code != 0)
        return code;
    if (s->method && s->alpha.n > 0)
        return 1 + wr_print_misuse("stability", "--method and --alpha exclude one another");
    if ((s->alpha.n > 0) != (s->beta.n > 0))
        return 1 + wr_print_misuse("stability", "--alpha and --beta must be given together");
    const int is_method = s->method || s->alpha.n > 0;
    if (is_method && (s->n_point || s->times.n > 0 || s->tool.n_override > 0))
        return 1 + wr_print_misuse(
                       "stability",
                       "--points, --times and -D apply to a config; leave them out for a method");
    if (s->n_point && s->times.n > 0)
        return 1 + wr_print_misuse("stability", "--points and --times exclude one another");
    if (!s->n_point)
        s->n_point = N_POINT;
    return 0;
}

static int no_such_method(const char *name)
{
    const char *names[MOST_NAMES];
    char hint[WR_NAMES_HINT_BYTES];
    const int n = wr_stepper_names(names, MOST_NAMES);
    return wr_print_misuse("stability", "there is no method '%s' of fixed step; %s", name,
                           wr_names_hint(name, names, n, hint));
}

static int take_formula(stability *s)
{
    if (s->alpha.n > WR_LMS_STEPS + 1 || s->beta.n > s->alpha.n)
        return wr_print_misuse("stability",
                               "--alpha takes at most %d numbers, and --beta no more than --alpha",
                               WR_LMS_STEPS + 1);
    s->formula.n_step = s->alpha.n - 1;
    memcpy(s->formula.alpha, s->alpha.value, (size_t)s->alpha.n * sizeof *s->formula.alpha);
    memcpy(s->formula.beta, s->beta.value, (size_t)s->beta.n * sizeof *s->formula.beta);
    const char *const flaw = wr_lms_flaw(&s->formula);
    return flaw
               ? wr_print_misuse("stability", "--alpha and --beta do not define a method: %s", flaw)
               : 0;
}

static wrsim_status tell_method(stability *s, const wr_stepper *stepper, wrsim_error *err)
{
    wr_method_facts facts;
    const wrsim_status status = wr_method_examine(stepper, &facts);
    if (status < 0)
        return wr_error_set(err, status, "the roots of '%s' cannot be found", stepper->name);
    if (s->tool.folder) {
        WR_TRY(wr_folder_open(&s->folder, s->tool.folder, s->tool.operand[0], NULL, err));
        WR_TRY(wr_method_draw(stepper, &s->folder, err));
    }
    if (s->is_json) {
        char *const json = wr_method_json(stepper, &facts);
        if (!json)
            return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
        fputs(json, wr_out);
        free(json);
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
    if (s->method && !wr_stepper_find(s->method, &stepper))
        return no_such_method(s->method);
    if (!s->method) {
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
    if (s->tool.folder) {
        WR_TRY(wr_folder_open(&s->folder, s->tool.folder, s->tool.operand[0], NULL, err));
        WR_TRY(wr_stability_draw(found, &s->folder, err));
    }
    if (!s->is_json) {
        wr_print_stability(found, s->tool.operand[0]);
        return WRSIM_OK;
    }
    char *const json = wr_stability_json(found, s->tool.operand[0]);
    if (!json)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    fputs(json, wr_out);
    free(json);
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
    const wr_stability_request request = {.file = s->tool.operand[0],
                                          .override = s->tool.override,
                                          .n_override = s->tool.n_override,
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

int wr_stability_main(int argc, char **argv)
{
    const int is_method = is_about_method(argc, argv);
    wrsim_error err = {0};
    stability s = {
        .tool = {
            .name = "stability",
            .operands = "CONFIG, or --method NAME, or --alpha A,A,... --beta B,B,...",
            .summary = "Checks whether the fixed steps of a config are stable. A run with solvers "
                       "that choose their step sizes gives\nthe eigenvalues of every subsystem "
                       "with a fixed step, which are compared with the stability region of "
                       "its\nmethod. Subsystems that exchange without waiting are also checked "
                       "together. Exit code 12: not stable.\n",
            .n_operand = !is_method,
            .output =
                "write drawings of the stability regions with the eigenvalues to this folder"}};
    const int code = parse(&s, argc, argv);
    if (code != 0)
        return code - 1;
    return is_method ? about_method(&s, &err) : about_config(&s, &err);
}
