/* Writes faults, loops and paths of a group as text of messages. See group.h. Thread: one at a time. Real-time: no (formats text). */
#include "subsystems/group/group.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"

/* Appends to text, and terminates text. */
static void append(char *text, size_t text_bytes, const char *format, ...) WR_PRINTF(3, 4);

static void append(char *text, size_t text_bytes, const char *format, ...)
{
    const size_t used = strlen(text);
    if (used + 1 >= text_bytes)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, text_bytes - used, format, args);
    va_end(args);
}

void wr_group_loop_text(const wr_group *group, int i_loop, char *ret_text, size_t text_bytes)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    if (text_bytes == 0)
        return;
    ret_text[0] = '\0';
    for (int i = 0; i < loop->n_cycle; i++) {
        const int y = loop->cycle[2 * i], u = loop->cycle[2 * i + 1];
        const wr_component *const from = group->component[wr_group_owner_of_output(group, y)];
        const wr_component *const to = group->component[wr_group_owner_of_input(group, u)];
        append(
            ret_text, text_bytes, "%s%s.%s -> %s.%s", i > 0 ? " -> " : "", from->name,
            from->variable[WRSIM_OUTPUT][y - group->y_start[wr_group_owner_of_output(group, y)]]
                .name,
            to->name,
            to->variable[WRSIM_INPUT][u - group->u_start[wr_group_owner_of_input(group, u)]].name);
    }
}

/* Shortest paths from all outputs to one output. */
typedef struct way_back {
    int *via,
        *to; /* [n_y] the path's next input from an output, and the output that reads the input */
    int *queue; /* [n_y] */
} way_back;

/* Searches back from i_output for an output that reads the external input. Returns the output, or -1. */
static int search_back(const wr_group *group, int i_external, int i_output, const way_back *way)
{
    int n = 0;
    for (int y = 0; y < group->n_y; y++)
        way->to[y] = -1;
    way->queue[n++] = i_output;
    for (int i = 0; i < n; i++) {
        const int y = way->queue[i];
        for (int k = wr_group_first_input(group, y); k < wr_group_first_input(group, y + 1); k++) {
            const int driver = wr_group_driver(group, wr_group_input_at(group, k));
            if (driver == -2 - i_external)
                return y;
            if (driver < 0 || driver == i_output || way->to[driver] >= 0 ||
                group->state_of_output[driver] >= 0)
                continue;
            way->via[driver] = wr_group_input_at(group, k);
            way->to[driver] = y;
            way->queue[n++] = driver;
        }
    }
    return -1;
}

static void append_input(const wr_group *group, int u, char *text, size_t text_bytes)
{
    const int c = wr_group_owner_of_input(group, u);
    append(text, text_bytes, "%s.%s", group->component[c]->name,
           group->component[c]->variable[WRSIM_INPUT][u - group->u_start[c]].name);
}

static void append_output(const wr_group *group, int y, char *text, size_t text_bytes)
{
    const int c = wr_group_owner_of_output(group, y);
    append(text, text_bytes, " -> %s.%s", group->component[c]->name,
           group->component[c]->variable[WRSIM_OUTPUT][y - group->y_start[c]].name);
}

void wr_group_path_text(const wr_group *group, int i_external, int i_output, char *text,
                        size_t text_bytes)
{
    int *const room = malloc(3 * ((size_t)group->n_y + 1) * sizeof *room);
    if (!room)
        return;
    const way_back way = {room, room + group->n_y, room + 2 * (size_t)group->n_y};
    int y = search_back(group, i_external, i_output, &way);
    if (y >= 0) {
        int k = wr_group_first_input(group, y);
        while (wr_group_driver(group, wr_group_input_at(group, k)) != -2 - i_external)
            k++;
        append_input(group, wr_group_input_at(group, k), text, text_bytes);
        append_output(group, y, text, text_bytes);
        for (; way.to[y] >= 0; y = way.to[y]) {
            append(text, text_bytes, " -> ");
            append_input(group, way.via[y], text, text_bytes);
            append_output(group, way.to[y], text, text_bytes);
        }
    }
    free(room);
}

/* Returns the loop with the fault's output, or -1. */
static int loop_with(const wr_group *group, const wr_fault *fault)
{
    if (fault->i_component < 0 || fault->i_variable < 0)
        return -1;
    return wr_group_loop_of(group, group->y_start[fault->i_component] + fault->i_variable);
}

static const char *const kind_phrases[] = {[WRSIM_STATE] = "state",
                                           [WRSIM_DISCRETE] = "discrete state",
                                           [WRSIM_INPUT] = "input",
                                           [WRSIM_OUTPUT] = "output",
                                           [WRSIM_INDICATOR] = "event indicator",
                                           [WRSIM_PARAMETER] = "parameter",
                                           [WRSIM_KIND_COUNT] = "variable"};

void wr_group_fault_text(const wr_group *group, const wr_fault *fault, wrsim_error *ret_err)
{
    char name[192] = "", loop_text[384]; /* name: "component.variable", "component", or "" */
    const double t = fault->t_s;
    if (fault->i_component >= 0) {
        const wr_component *const component = group->component[fault->i_component];
        append(name, sizeof name, "%s", component->name);
        if (fault->i_variable >= 0 && (int)fault->kind < WRSIM_KIND_COUNT &&
            fault->i_variable < component->n[fault->kind])
            append(name, sizeof name, ".%s",
                   component->variable[fault->kind][fault->i_variable].name);
    }
    const char *const message = fault->message && fault->message[0] ? fault->message : NULL;
    /* The return values 1 and -1 mean only that the call has failed, so the text of a message omits 1 and -1. */
    char returned[32] = "";
    if (fault->returned && (!message || fault->returned > 1 || fault->returned < -1))
        snprintf(returned, sizeof returned, " (returned %d)", fault->returned);
    if (fault->status == WRSIM_E_NAN)
        wr_error_set(
            ret_err, fault->status,
            "%s%s%s%s is not finite at t = %.9g s%s%s; check parameters, start values and inputs",
            name[0] ? kind_phrases[fault->kind] : "a value", name[0] ? " '" : "", name,
            name[0] ? "'" : "", t, message ? ": " : "", message ? message : "");
    else if (fault->status == WRSIM_E_CALLBACK && fault->i_variable >= 0)
        wr_error_set(ret_err, fault->status, "%s '%s' at t = %.9g s: %s", kind_phrases[fault->kind],
                     name, t, message);
    else if (fault->status == WRSIM_E_CALLBACK && name[0])
        wr_error_set(ret_err, fault->status, "component '%s' fails at t = %.9g s: %s%s%s", name, t,
                     message ? message : "its model gives no reason", returned,
                     message ? "" : "; debug the model, or set instance->message");
    else if (fault->status == WRSIM_E_LOOP && loop_with(group, fault) >= 0) {
        wr_group_loop_text(group, loop_with(group, fault), loop_text, sizeof loop_text);
        wr_error_set(
            ret_err, fault->status,
            "Newton's method finds no solution of the algebraic loop %s at t = %.9g s. "
            "Put a state into the loop, or declare better start values of its inputs in describe()",
            loop_text, t);
    } else if ((fault->status == WRSIM_E_SOLVER || fault->status == WRSIM_E_CHATTER) && name[0])
        wr_error_set(ret_err, fault->status, "'%s' at t = %.9g s: %s", name, t,
                     message ? message : wrsim_status_text(fault->status));
    else if (name[0])
        wr_error_set(ret_err, fault->status, "'%s' at t = %.9g s: %s", name, t,
                     message ? message : wrsim_status_text(fault->status));
    else
        wr_error_set(ret_err, fault->status, "at t = %.9g s %s", t,
                     message ? message : wrsim_status_text(fault->status));
    if (ret_err)
        ret_err->time_s = t;
}
