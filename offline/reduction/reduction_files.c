/* Files of a reduction. See reduction_files.h.
 *
 * wr_replaced_write() loads the settings once more and changes the settings in place. Only the list of plug-ins grows, so the new list is a
 * copy.
 *
 * Thread: any. Real-time: no. */
#include "offline/reduction/reduction_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/heap_pool.h"
#include "base/svg.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "runtime/config/settings.h"
#include "runtime/record/own_file.h"
#include "subsystems/model_host/linear_model.h"

/* Data for replacing components in a config. */
typedef struct change {
    const wr_replacement *how;
    wr_settings *set;
    const char *name;     /* name of the new component */
    wr_heap_pool *memory; /* new texts and lists */
} change;

static int is_replaced(const change *c, const char *component, size_t n)
{
    const wr_linearised *const l = c->how->linearised;
    for (int i = 0; i < l->n_component; i++)
        if (strlen(l->component[i]) == n && strncmp(component, l->component[i], n) == 0)
            return 1;
    return 0;
}

/* Returns 1 if "component.variable" belongs to a replaced component. */
static int is_inside(const change *c, const char *signal)
{
    return signal && is_replaced(c, signal, strcspn(signal, "."));
}

/* Returns 1 if the reduction replaces one component, whose names the new component keeps. */
static int keeps_names(const change *c) { return c->how->linearised->n_component == 1; }

/* Returns the new name of a signal. When out of memory, marks c->memory as failed. */
static const char *renamed(change *c, const char *signal)
{
    if (!is_inside(c, signal))
        return signal;
    const char *const dot = strchr(signal, '.');
    if (keeps_names(c) || !dot)
        return signal;
    const size_t size = strlen(c->name) + strlen(signal) + 3;
    char *const text = wr_heap_pool_take(c->memory, size, 1);
    if (!text)
        return signal;
    snprintf(text, size, "%s.%.*s_%s", c->name, (int)(dot - signal), signal, dot + 1);
    return text;
}

/* Returns 0 for recorded signals that the new component lacks, such as states, and 1 for other signals and for patterns. */
static int is_kept_signal(const change *c, const char *signal)
{
    const wr_linearised *const l = c->how->linearised;
    if (!is_inside(c, signal) || strpbrk(signal, "*?"))
        return 1;
    for (int i = 0; i < l->system->n_output; i++)
        if (strcmp(l->output[i], signal) == 0)
            return 1;
    return 0;
}

/* Renames signals. Omits connections inside of the new component, and recorded signals that the component lacks. */
static void rename_all(change *c)
{
    wr_settings *const set = c->set;
    int n_signal = 0, n = 0;
    for (int i = 0; i < set->output.n_signals; i++)
        if (is_kept_signal(c, set->output.signals[i]))
            set->output.signals[n_signal++] = renamed(c, set->output.signals[i]);
    set->output.n_signals = n_signal;
    for (int i = 0; i < set->n_connections; i++) {
        wr_set_connection connection = set->connections[i];
        if (is_inside(c, connection.from) && is_inside(c, connection.to))
            continue;
        connection.from = renamed(c, connection.from);
        connection.to = renamed(c, connection.to);
        set->connections[n++] = connection;
    }
    set->n_connections = n;
    for (int i = 0; i < set->n_ports; i++) {
        set->ports[i].from.name = renamed(c, set->ports[i].from.name);
        for (int k = 0; k < set->ports[i].n_to; k++)
            set->ports[i].to[k].name = renamed(c, set->ports[i].to[k].name);
    }
    for (int i = 0; i < set->n_scenarios; i++) {
        wr_set_scenario *const s = &set->scenarios[i];
        s->signal.name = renamed(c, s->signal.name);
        s->condition.name = renamed(c, s->condition.name);
        for (int k = 0; k < s->n_to; k++)
            s->to[k].name = renamed(c, s->to[k].name);
    }
    if (strchr(set->relaxation.history_phase, '.'))
        set->relaxation.history_phase = renamed(c, set->relaxation.history_phase);
}

/* Replaces the first component of the selection, and removes the other components of the selection. */
static void change_components(change *c)
{
    wr_settings *const set = c->set;
    int n = 0, is_there = 0;
    for (int i = 0; i < set->n_components; i++) {
        wr_set_component component = set->components[i];
        if (is_replaced(c, component.name, strlen(component.name))) {
            if (is_there)
                continue;
            is_there = 1;
            component.name = c->name;
            component.model = c->how->model;
            component.fmu = component.mode = NULL;
            component.n_parameters = component.n_start = 0;
        }
        set->components[n++] = component;
    }
    set->n_components = n;
}

/* Replaces the components in the loaded settings and writes the config. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
static wrsim_status replace(change *c, const char *path, wrsim_error *err)
{
    const wr_replacement *const how = c->how;
    wr_settings *const set = c->set;
    const char *const subsystem = how->selection->subsystem;
    c->name = keeps_names(c) ? how->linearised->component[0] : subsystem;
    for (int i = 0; i < set->n_components && !keeps_names(c); i++) {
        const char *const name = set->components[i].name;
        if (strcmp(name, c->name) == 0 && !is_replaced(c, name, strlen(name)))
            c->name = how->model;
    }
    rename_all(c);
    for (int i = 0; subsystem && !keeps_names(c) && i < set->n_subsystems; i++) {
        wr_set_subsystem *const s = &set->subsystems[i];
        if (strcmp(s->name, subsystem) != 0)
            continue;
        s->components = &c->name;
        s->n_components = 1;
    }
    change_components(c);
    wr_set_plugin *const plugins =
        wr_heap_pool_take(c->memory, (size_t)set->n_plugins + 1, sizeof *plugins);
    for (int i = 0; plugins && i < set->n_plugins; i++)
        plugins[i].file = set->plugins[i].file;
    if (plugins)
        plugins[set->n_plugins++].file = how->file;
    set->plugins = plugins;
    if (wr_heap_pool_is_short(c->memory))
        return wr_error_memory(err);
    WR_AUTO_FREE char *const text = wr_settings_dump_next(set, how->folder);
    wr_text_buffer to = {.is_failed = !text};
    const char *const selected = how->selection->component ? how->selection->component : subsystem;
    wr_text_buffer_add(&to, WR_OWN_TOOL_MARK "\n# wrsim reduce: %s with '%s' replaced by %s.\n%s",
                       how->config, selected, how->model, text ? text : "");
    return wr_text_buffer_write(&to, path, err);
}

wrsim_status wr_replaced_write(const wr_replacement *how, const char *path, wrsim_error *err)
{
    WR_AUTO(wr_diag_done) wr_diag diag = {0};
    WR_AUTO(wr_heap_pool_destroy) wr_heap_pool *memory = wr_heap_pool_create(NULL);
    wr_override *const override =
        memory ? wr_heap_pool_take(memory, (size_t)how->n_override + 1, sizeof *override) : NULL;
    if (!override)
        return wr_error_memory(err);
    for (int i = 0; i < how->n_override; i++)
        override[i].text = how->override[i];
    WR_AUTO(wr_settings_destroy)
    wr_settings *set = wr_settings_load(how->config, override, how->n_override, &diag);
    if (!set || wr_diag_status(&diag) < 0)
        return wr_error_set(
            err, wr_diag_status(&diag),
            "the config cannot be read again; repeat the command after all changes of the config");
    return replace(&(change){.how = how, .set = set, .memory = memory}, path, err);
}

static void put_number(wr_text_buffer *to, double value, const char *after)
{
    wr_text_buffer_number(to, value);
    wr_text_buffer_add(to, "%s", after);
}

/* Writes a name or unit as one word: %20 for a blank, and %25 for '%'. */
static void put_word(wr_text_buffer *to, const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == ' ' || *c == '%')
            wr_text_buffer_add(to, "%%%02X", (unsigned)(unsigned char)*c);
        else
            wr_text_buffer_put(to, (unsigned char)*c < 0x20 ? "?" : c, 1);
}

static void put_signals(wr_text_buffer *to, const char *word, const wr_linear_signal *signal, int n,
                        const double *offset)
{
    for (int i = 0; i < n; i++) {
        wr_text_buffer_add(to, "%s ", word);
        put_word(to, signal[i].name);
        wr_text_buffer_add(to, " ");
        /* "-" is no unit in the file, and also a spelling of "1" */
        put_word(to, strcmp(signal[i].unit, "-") == 0 ? "1"
                     : signal[i].unit[0]              ? signal[i].unit
                                                      : "-");
        wr_text_buffer_add(to, " ");
        put_number(to, signal[i].nominal, " ");
        put_number(to, signal[i].value + (offset ? offset[i] : 0.0), "\n");
    }
}

/* Writes non-zero entries by rows. */
static void put_matrix(wr_text_buffer *to, char letter, const double *m, int n_row, int n_column)
{
    for (int i = 0; i < n_row; i++)
        for (int j = 0; j < n_column; j++) {
            const double value = m[j * n_row + i];
            if (!(value > 0.0 || value < 0.0))
                continue;
            wr_text_buffer_add(to, "%c %d %d ", letter, i + 1, j + 1);
            put_number(to, value, "\n");
        }
}

wrsim_status wr_model_file_write(const char *path, const char *model,
                                 const wr_linear_system *system, const wr_state_space *s,
                                 const char *about, wrsim_error *err)
{
    wr_text_buffer to = {0};
    wr_text_buffer_add(
        &to, WR_LINEAR_MODEL_MARK "\n" WR_OWN_TOOL_MARK ", reduce\n%smodel %s\nstates %d\n", about,
        model, s->n);
    for (int i = 0; i < s->n; i++) {
        wr_text_buffer_add(&to, "state %d ", i + 1);
        put_number(&to, s->nominal[i], "\n");
    }
    put_signals(&to, "input", system->input, s->n_input, NULL);
    put_signals(&to, "output", system->output, s->n_output, s->offset);
    put_matrix(&to, 'A', s->A, s->n, s->n);
    put_matrix(&to, 'B', s->B, s->n, s->n_input);
    put_matrix(&to, 'C', s->C, s->n_output, s->n);
    put_matrix(&to, 'D', s->D, s->n_output, s->n_input);
    for (int i = 0; i < s->n; i++)
        if (s->rate[i] > 0.0 || s->rate[i] < 0.0) {
            wr_text_buffer_add(&to, "rate %d ", i + 1);
            put_number(&to, s->rate[i], "\n");
        }
    return wr_text_buffer_write(&to, path, err);
}

wrsim_status wr_model_fragment_write(const char *path, const char *model, const char *file,
                                     const wr_linear_system *system,
                                     const wr_linearised *from_config, wrsim_error *err)
{
    wr_text_buffer to = {0};
    wr_text_buffer_add(&to,
                       WR_OWN_TOOL_MARK
                       "\n# wrsim reduce: add this to a config beside '%s'.\n[[plugin]]\nfile = "
                       "\"%s\"\n\n[[component]]\nname = \"%s\"\nmodel = \"%s\"\n",
                       file, file, model, model);
    for (int j = 0; j < system->n_input; j++) {
        const char *const driver = from_config ? from_config->driver[j] : NULL;
        const char *const mark = driver ? "" : "# ";
        wr_text_buffer_add(&to, "%s\n%s[[connection]]\n%sfrom = ",
                           driver ? "" : "\n# COMPONENT.OUTPUT: the output that drives this input",
                           mark, mark);
        wr_toml_string_add(&to, driver ? driver : "COMPONENT.OUTPUT");
        wr_text_buffer_add(&to, "\n%sto = ", mark);
        char end[1024]; /* longer than two names */
        snprintf(end, sizeof end, "%s.%s", model, system->input[j].name);
        wr_toml_string_add(&to, end);
        wr_text_buffer_add(&to, "\n");
    }
    wr_text_buffer_add(&to, "\n# Outputs of the model:\n");
    for (int i = 0; i < system->n_output; i++)
        wr_text_buffer_add(&to, "#     %s.%s%s%s\n", model, system->output[i].name,
                           from_config ? "    instead of " : "",
                           from_config ? from_config->output[i] : "");
    return wr_text_buffer_write(&to, path, err);
}

/* ---- Bode diagrams ---- */

/* Sizes of the drawing and its charts, px (assumed). */
enum { WIDTH = 760, HEIGHT = 860, LEFT = 80, CHART_WIDTH = 480, CHART_HEIGHT = 210, STEP = 275 };

/* smallest magnitude of a chart, relative to the largest magnitude (assumed) */
static const double DECADES_SHOWN = 1e-12;

/* State of a drawing: the positive frequencies of one column. */
typedef struct bode {
    const wr_linear_system *system;
    const wr_reduction *r;
    int i_column, first, n; /* frequencies first .. first + n - 1 of the responses */
    double *y[2];           /* [n] values of the full and the reduced system */
    wr_svg svg;
} bode;

static double complex at(const bode *b, const wr_response *response, int k, int i_output)
{
    return response
        ->value[((b->first + k) * response->n_column + b->i_column) * response->n_output +
                i_output];
}

static double magnitude(const bode *b, const wr_response *response, int k, int i)
{
    return cabs(at(b, response, k, i));
}

static double phase(const bode *b, const wr_response *response, int k, int i)
{
    return carg(at(b, response, k, i)) * 57.29577951308232;
}

/* Returns the difference to the full system, relative to its peak at all frequencies; 0 for the full system or a zero peak. */
static double error(const bode *b, const wr_response *response, int k, int i)
{
    const wr_response *const full = &b->r->full;
    double peak = 0.0;
    for (int j = -b->first; j < b->n; j++)
        peak = fmax(peak, magnitude(b, full, j, i));
    return response == full || !(peak > 0.0)
               ? 0.0
               : cabs(at(b, response, k, i) - at(b, full, k, i)) / peak;
}

typedef double (*quantity)(const bode *, const wr_response *, int k, int i_output);

/* Returns 1 if the input has an effect on the output in at least one of the two systems, else 0. */
static int is_moved(const bode *b, int i_output)
{
    for (int k = 0; k < b->n; k++)
        if (magnitude(b, &b->r->full, k, i_output) > 0.0 ||
            magnitude(b, &b->r->response, k, i_output) > 0.0)
            return 1;
    return 0;
}

static void draw_chart(bode *b, int i_chart, const char *title, const char *y_text, quantity value)
{
    wr_svg_chart chart = {.left = LEFT,
                          .top = 50 + i_chart * STEP,
                          .width = CHART_WIDTH,
                          .height = CHART_HEIGHT,
                          .x_low = b->r->low_Hz,
                          .x_high = b->r->high_Hz,
                          .y_low = -180.0,
                          .y_high = 180.0,
                          .is_log_x = 1,
                          .is_log_y = value != phase,
                          .title = title,
                          .x_text = "frequency [Hz]",
                          .y_text = y_text};
    if (value != phase) {
        double most = 0.0, least = (double)INFINITY;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < b->system->n_output; i++)
                for (int k = 0; k < b->n; k++) {
                    const double v = value(b, value == error ? &b->r->response : &b->r->full, k, i);
                    if (pass == 0)
                        most = fmax(most, v);
                    else if (v >= DECADES_SHOWN * most && v > 0.0)
                        least = fmin(least, v);
                }
        chart.y_high = most > 0.0 ? pow(10.0, ceil(log10(most))) : 1.0;
        chart.y_low = isfinite(least) ? pow(10.0, floor(log10(least))) : 0.1;
        if (!(chart.y_low < chart.y_high))
            chart.y_low = chart.y_high / 10.0;
    }
    wr_svg_axes(&b->svg, &chart);
    const double *const hz = b->r->full.hz + b->first;
    for (int i = 0; i < b->system->n_output; i++) {
        if (!is_moved(b, i))
            continue;
        for (int k = 0; k < b->n; k++) {
            b->y[0][k] = value(b, &b->r->full, k, i);
            b->y[1][k] = value(b, &b->r->response, k, i);
        }
        const char *const colour = wr_svg_colour(i);
        if (value == error)
            wr_svg_curve(&b->svg, &chart, hz, b->y[1], b->n, colour, NULL);
        else {
            wr_svg_curve(&b->svg, &chart, hz, b->y[0], b->n, colour,
                         value == magnitude ? b->system->output[i].name : NULL);
            wr_svg_points(&b->svg, &chart, hz, b->y[1], b->n, 2.0, colour, NULL);
        }
    }
}

wrsim_status wr_bode_write(const char *path, const char *title, const wr_linear_system *system,
                           const wr_reduction *r, int i_column, wrsim_error *err)
{
    bode b = {.system = system, .r = r, .i_column = i_column};
    b.first = r->full.n > 0 && !(r->full.hz[0] > 0.0);
    b.n = r->full.n - b.first;
    b.y[0] = malloc(2 * ((size_t)b.n + 1) * sizeof *b.y[0]);
    if (!b.y[0])
        return wr_error_memory(err);
    b.y[1] = b.y[0] + b.n;
    wr_svg_begin(&b.svg, WIDTH, HEIGHT);
    draw_chart(&b, 0, title, "magnitude", magnitude);
    draw_chart(&b, 1, "lines: full, points: reduced", "phase [degrees]", phase);
    draw_chart(&b, 2, "difference, in parts of the largest magnitude", "error", error);
    free(b.y[0]);
    return wr_svg_write(&b.svg, path, err);
}
