/* Fuzz target of plug-ins. Any bytes make a descriptor, a description and results of callbacks. wrsim reports errors or runs a few
 * windows, and never crashes.
 *
 * The target reads the bytes as choices from small tables of good and bad values, so that most inputs get past the first check.
 * The target makes no invalid pointers.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/model_host/descriptor.h"
#include "subsystems/ode/ode_subsystem.h"

#include "../unit/subsystems/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { MAX_PARAM = 4, MAX_STEPS = 64, MAX_WINDOWS = 3 };

static const uint8_t *input;
static size_t n_input, i_input;

static unsigned next(void) { return i_input < n_input ? input[i_input++] : 0; }

static double next_double(void)
{
    static const double table[] = {0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   2.0,
                                   1e-9,
                                   1e308,
                                   -1e308,
                                   1e-320,
                                   3.0,
                                   0.25,
                                   100.0,
                                   (double)NAN,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   1e17};
    return table[next() % WR_COUNT_OF(table)];
}

/* Returns a value that is mostly between -5 and 5, so that runs last for a while. */
static double next_result(void)
{
    const unsigned c = next();
    return c < 250 ? ((double)c - 125.0) / 25.0 : next_double();
}

static const char *next_name(void)
{
    static const char *const table[] = {"a", "b",   "c",  "d",    "e",        "f",  "g[0]", "g[1]",
                                        "h", "_x1", "",   "1a",   "a b",      "a.", NULL,   "a\n",
                                        "i", "j",   "kk", "llll", "mmmmmmmm", "n",  "o",    "p"};
    return table[next() % WR_COUNT_OF(table)];
}

static wrsim_variable next_variable(unsigned common_flags)
{
    const unsigned c = next();
    wrsim_variable v = {.name = next_name(), .unit = c & 1 ? "Pa" : NULL, .flags = common_flags};
    if (c & 2)
        v.start = next_double();
    if (c & 4)
        v.nominal = next_double();
    if (c & 8) {
        v.min = next_double();
        v.max = next_double();
    }
    if (c & 16)
        v.flags = next();
    if (c & 32)
        v.index = (int)next() - 4;
    static const char *const choices[] = {"one", "two", NULL}, *const none[] = {NULL};
    if ((c & 80) == 80)
        v.choices = c & 128 ? none : choices;
    if ((c & 144) == 144)
        v.text = "some text";
    return v;
}

enum { HAS_INIT = 1, HAS_EVENT = 2, HAS_NEXT_TIME = 4, HAS_MEMORY = 8, HAS_TANGENT = 16 };
enum { MEMORY_BYTES = 12 };
static unsigned has; /* HAS_... flags of the model's callbacks */

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->memory_bytes = has & HAS_MEMORY ? MEMORY_BYTES : 0;
    int rc = 0;
    for (int i = 0; i < MAX_STEPS && i_input < n_input; i++) {
        const unsigned c = next();
        if (c < 160) {
            const wrsim_variable v = next_variable(0);
            rc |= to->add(to, (wrsim_kind)(c % 6 == 5 ? (int)next() - 3 : (int)(c % 5)), &v);
        } else if (c < 210)
            rc |= to->depends(to, (wrsim_pattern)((int)(next() % 12) - 1), (int)(next() % 6) - 1,
                              (int)(next() % 6) - 1);
        else if (c < 220)
            to->n_w = (int)(next() % 5) - 1;
        else if (c < 230)
            to->data_bytes = (const size_t[]){0, 8, 4096, (size_t)-1}[next() % 4];
        else if (c < 235)
            return (int)next() - 1;
        else
            break;
    }
    return next() % 4 == 0 ? 0 : rc; /* some models ignore the refusal */
}

/* The first component. All components of a run have its sizes. */
static const wr_component *shape;

static int fill(wrsim_instance *self, double *ret_values, int n)
{
    for (int i = 0; i < n; i++)
        ret_values[i] = next_result();
    const unsigned c = next();
    return c < 248 ? 0 : (int)c - 252;
}
static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    const int rc = fill(self, x, shape->n[WRSIM_STATE]);
    return rc ? rc : fill(self, d, shape->n[WRSIM_DISCRETE]);
}
static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    return fill(self, ret_dx, shape->n[WRSIM_STATE]);
}
static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return fill(self, ret_y, shape->n[WRSIM_OUTPUT]);
}
static int algebra(wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    return fill(self, ret_w, shape->n_w);
}
static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    return fill(self, ret_z, shape->n[WRSIM_INDICATOR]);
}
static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    if (has & HAS_MEMORY)
        memset(self->memory, (int)next(), MEMORY_BYTES);
    const int rc = fill(self, x, shape->n[WRSIM_STATE]);
    return rc ? rc : fill(self, d, shape->n[WRSIM_DISCRETE]);
}
static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const unsigned c = next();
    return c < 240 ? at->t_s + (double)(c + 1) * 0.001 : next_double();
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    memset(self->memory, (int)next(), MEMORY_BYTES);
    return next() < 252 ? 0 : -1;
}
static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    return rhs(self, at, ret_dx);
}
static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    return output(self, at, ret_dy);
}

static wrsim_model next_model(wrsim_variable *params)
{
    const unsigned odd = next();
    has = next();
    wrsim_model model = {.abi = odd == 1 ? next() : WRSIM_MODEL_ABI,
                         .struct_size = odd == 2 ? next() : (uint32_t)sizeof(wrsim_model),
                         .name = odd == 3 ? next_name() : "fuzz.model",
                         .caps = odd == 4 ? next() : WRSIM_CAP_RT_SAFE,
                         .n_param = (int)(odd == 5 ? (int)next() - 8 : (int)(next() % 3)),
                         .params = odd == 6 ? NULL : params,
                         .describe = odd == 7 ? NULL : describe,
                         .init = has & HAS_INIT ? init : NULL,
                         .rhs = odd == 8 ? NULL : rhs,
                         .output = odd == 9 ? NULL : output,
                         .algebra = odd == 10 ? NULL : algebra,
                         .indicator = odd == 11 ? NULL : indicator,
                         .event = has & HAS_EVENT ? event : NULL,
                         .next_time = has & HAS_NEXT_TIME ? next_time : NULL,
                         .step_completed = has & HAS_MEMORY ? step_completed : NULL,
                         .tangent = has & HAS_TANGENT ? tangent : NULL,
                         .tangent_output = has & HAS_TANGENT ? tangent_output : NULL};
    if (model.n_param > MAX_PARAM)
        model.n_param = MAX_PARAM;
    for (int i = 0; i < MAX_PARAM; i++)
        params[i] = next_variable(next() % 4);
    return model;
}

static void require_text(const wrsim_error *err)
{
    if (err->status >= 0 || err->text[0] == '\0')
        abort();
}

/* Computes the tangents of the subsystem, for a change of 1 in all states at once. */
static void take_tangents(wr_subsystem *s)
{
    double *const ones = malloc(((size_t)s->n_x + 1) * sizeof *ones);
    double *const dx = malloc(((size_t)s->n_x + 1) * sizeof *dx);
    double *const dy = malloc(((size_t)s->n_published + 1) * sizeof *dy);
    if (!ones || !dx || !dy)
        abort();
    for (int i = 0; i < s->n_x; i++)
        ones[i] = 1.0;
    wr_subsystem_tangent(s, ones, NULL, dx);
    wr_subsystem_tangent_outputs(s, ones, NULL, dy);
    free(ones);
    free(dx);
    free(dy);
}

/* Runs the subsystem. Each failure must have a message. */
static void run_subsystem(wr_subsystem *s)
{
    wrsim_error err;
    wrsim_status status = wr_ode_init(s, NULL);
    for (int i = 1; i <= MAX_WINDOWS && status >= 0; i++) {
        wr_subsystem_save(s);
        status = wr_subsystem_advance(s, 0.02 * i, 1.0);
        if (status >= 0)
            wr_wave_check(s->wave);
        if (status >= 0 && (has & HAS_TANGENT))
            take_tangents(s);
    }
    if (status < 0) {
        wr_subsystem_fault_text(s, &err);
        require_text(&err);
    }
}

static void build_and_run(wr_component *const *components, int n_component, wr_diag *diag)
{
    wr_arena *arena = wr_arena_create((size_t)64 << 20);
    if (!arena)
        return;
    wr_group_edge edge[8];
    int published[8], kind[8], index[8];
    const int n_edge = (int)(next() % 8), n_published = (int)(next() % 4);
    for (int i = 0; i < n_edge; i++)
        edge[i] = (wr_group_edge){.from = (int)(next() % 2),
                                  .i_output = (int)(next() % 4),
                                  .to = (int)(next() % 2),
                                  .i_input = (int)(next() % 4)};
    for (int i = 0; i < 8; i++) {
        published[i] = (int)(next() % 4);
        kind[i] = (int)(next() % 5);
        index[i] = (int)(next() % 3);
    }
    const wr_ode_config config = {.name = "fuzz",
                                  .arena = arena,
                                  .components = components,
                                  .n_components = n_component,
                                  .edges = edge,
                                  .n_edges = n_edge,
                                  .published = published,
                                  .n_published = n_published,
                                  .recorded_kind = kind,
                                  .recorded_index = index,
                                  .n_recorded = (int)(next() % 4),
                                  .integrator = &fixture_integrator,
                                  .options = {.rtol = 1e-3, .atol_factor = 1, .step_s = 5e-3},
                                  .communication_step_s = 0.01,
                                  .event_tolerance_s = 1e-6,
                                  .max_event_iterations = 5,
                                  .max_stuck_events = 10,
                                  .chatter_time_s = 1e-4,
                                  .cap_node = 64,
                                  .cap_row = 64,
                                  .jump_limit = 10,
                                  .record_events = 1};
    wr_subsystem *s = wr_ode_create(&config, diag);
    if (s)
        run_subsystem(s);
    else if (diag->n_items == 0)
        abort();
    wr_subsystem_destroy(&s);
    wr_arena_destroy(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    input = data;
    n_input = n_bytes;
    i_input = 0;
    wrsim_variable params[MAX_PARAM];
    const wrsim_model model = next_model(params);
    char text[64];
    const int check = wr_model_check(&model, text, sizeof text);
    wr_assignment assignment[4];
    for (int i = 0; i < 4; i++) {
        const char *const name = next_name();
        assignment[i] = (wr_assignment){.name = name ? name : "zz", .value = next_double()};
    }
    const int n_param = (int)(next() % 3), n_start = (int)(next() % 3);
    const size_t i_description = i_input;
    wr_diag diag = {0};
    wr_component *component[2] = {NULL, NULL};
    component[0] = wr_component_create("one", &model, NULL, assignment, n_param, assignment + 2,
                                       n_start, &diag);
    if ((check < 0 && component[0]) || (!component[0] && diag.n_items == 0))
        abort();
    if (component[0]) {
        /* The second component reads the same bytes and thus has the same shape. */
        const size_t i_after = i_input;
        i_input = i_description;
        component[1] = wr_component_create("two", &model, NULL, assignment, n_param, assignment + 2,
                                           n_start, &diag);
        i_input = i_after;
        shape = component[0];
        if (component[1])
            build_and_run(component, 2, &diag);
    }
    wr_component_destroy(&component[0]);
    wr_component_destroy(&component[1]);
    wr_diag_done(&diag);
    return 0;
}
