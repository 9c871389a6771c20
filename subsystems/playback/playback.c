/* The common code of the subsystem kinds without a solver. See playback.h. Thread: one at a time. Real-time: yes, except placing. */
#include "subsystems/playback/playback.h"

#include <math.h>
#include <string.h>

wrsim_status wr_playback_fault(wr_subsystem *s, wrsim_status status, double t_s,
                               const char *message)
{
    s->fault = (wr_fault){
        .status = status, .t_s = t_s, .i_component = -1, .i_variable = -1, .message = message};
    return status;
}

void wr_playback_state(wr_subsystem *s, wr_state_io *io)
{
    const int n_row = (int)wr_state_count(io, s->n_row, s->cap_row);
    WR_STATE(io, wr_playback_of(s)->i_grid);
    WR_STATE(io, s->t_s);
    WR_STATE(io, s->stats);
    if (!wr_state_reads(io))
        return;
    s->n_row = n_row;
    s->fault = (wr_fault){0};
}

int wr_playback_is_jump(const wr_subsystem *s, const double *from, const double *to)
{
    for (int j = 0; j < s->n_published; j++)
        if (fabs(to[j] - from[j]) > s->rtol * fabs(from[j]) + s->atol_published[j])
            return 1;
    return 0;
}

void wr_playback_begin(wr_subsystem *s)
{
    s->t_s = wr_playback_of(s)->start_s;
    s->fault.status = WRSIM_OK;
    wr_playback_of(s)->i_grid = 0;
}

void wr_playback_save(wr_subsystem *s)
{
    wr_playback_of(s)->saved_i_grid = wr_playback_of(s)->i_grid;
    wr_playback_of(s)->saved_t_s = s->t_s;
}

void wr_playback_restore(wr_subsystem *s)
{
    wr_playback_of(s)->i_grid = wr_playback_of(s)->saved_i_grid;
    s->t_s = wr_playback_of(s)->saved_t_s;
}

wrsim_status wr_playback_extend(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope)
{
    const wrsim_status status = wr_wave_extend(s->wave, t_s, ret_value, ret_slope);
    return status >= 0 ? status
                       : wr_playback_fault(s, status, t_s,
                                           "the played signals have too many nodes in one window; "
                                           "lower relaxation.window.min and .max (or "
                                           "slack.period), or raise relaxation.max_nodes");
}

/* ---- rows ---- */

static wrsim_status append_row(wr_subsystem *s, wr_row_kind kind, double t_s, const double *value)
{
    if (s->n_row == s->cap_row)
        return wr_playback_fault(
            s, WRSIM_E_LIMIT, t_s,
            "the played signals have too many recorded rows in one window; lower "
            "relaxation.window.min and .max (or slack.period), or set output.events = false");
    double *const row = s->row_value + (size_t)s->n_row * (size_t)s->n_recorded;
    for (int i = 0; i < s->n_recorded; i++)
        row[i] = value[wr_playback_of(s)->recorded[i]];
    s->row_time_s[s->n_row] = t_s;
    s->row_kind[s->n_row++] = (unsigned char)kind;
    return WRSIM_OK;
}

static double grid_at(const wr_playback *r)
{
    return wr_time_at(r->start_s, (double)r->i_grid, r->communication_step_s);
}

static const double *value_at(const wr_wave *w, int i)
{
    return w->value + (size_t)i * (size_t)w->n_signal;
}

/* Counts an event if a signal changes by more than its tolerance from node left to node right. With record_events, records both sides in
 * rows before the row of a communication point at the same instant. */
static wrsim_status record_jump(wr_subsystem *s, int left, int right)
{
    const wr_wave *const w = s->wave;
    if (!wr_playback_is_jump(s, value_at(w, left), value_at(w, right)))
        return WRSIM_OK;
    s->stats.n_time_event++;
    wr_subsystem_observe_event(s, w->t_s[left], WRSIM_CAUSE_TIME);
    if (!wr_playback_of(s)->record_events || s->n_recorded == 0)
        return WRSIM_OK;
    const double grid_s = grid_at(wr_playback_of(s)), at_s = w->t_s[left];
    const double t_s = wr_time_close(grid_s, at_s) ? wr_min(grid_s, at_s) : at_s;
    WR_TRY(append_row(s, WR_ROW_EVENT_LEFT, t_s, value_at(w, left)));
    return append_row(s, WR_ROW_EVENT_RIGHT, t_s, value_at(w, right));
}

/* Records the communication points from node i, the last node at its time, to before the next node. At the instant of a node a row has the
 * values on the right of the node. */
static wrsim_status record_grid(wr_subsystem *s, int i)
{
    wr_playback *const r = wr_playback_of(s);
    const wr_wave *const w = s->wave;
    const int is_last = i + 1 == w->n_node;
    const double *const value = value_at(w, i);
    const wr_piece piece = {.t0_s = w->t_s[i],
                            .t1_s = w->t_s[is_last ? i : i + 1],
                            .y0 = value,
                            .y1 = is_last ? value : value + w->n_signal,
                            .s0 = w->slope + (size_t)i * (size_t)w->n_signal,
                            .s1 = w->slope + (size_t)(is_last ? i : i + 1) * (size_t)w->n_signal};
    for (; s->n_recorded > 0; r->i_grid++) {
        const double t_s = grid_at(r);
        const int is_here = !wr_playback_is_after(t_s, piece.t0_s);
        if (!is_here && (is_last || !wr_playback_is_after(piece.t1_s, t_s)))
            break;
        if (!is_here)
            wr_piece_values(&piece, t_s, w->n_signal, r->value);
        WR_TRY(append_row(s, WR_ROW_COMMUNICATION, t_s, is_here ? value : r->value));
    }
    return WRSIM_OK;
}

wrsim_status wr_playback_record(wr_subsystem *s)
{
    const wr_wave *const w = s->wave;
    for (int i = 0; i < w->n_node; i++) {
        const int left = i;
        while (i + 1 < w->n_node && wr_time_close(w->t_s[i + 1], w->t_s[left]))
            i++;
        if (i > left)
            WR_TRY(record_jump(s, left, i));
        WR_TRY(record_grid(s, i));
    }
    return WRSIM_OK;
}

/* ---- placing ---- */

/* Places the wave, the tolerances and the empty arrays of the wr_subsystem. */
static int place_face(wr_subsystem *s, const wr_playback_config *c)
{
    const int n = c->n_published;
    double *const nominal = WR_NEW_ARRAY(c->arena, double, n + 1);
    double *const atol = WR_NEW_ARRAY(c->arena, double, n + 1);
    double *const none = WR_NEW_ARRAY(c->arena, double, 1);
    int *const state = WR_NEW_ARRAY(c->arena, int, n + 1);
    s->source = WR_NEW_ARRAY(c->arena, const wr_wave *, 1);
    s->wave = wr_wave_place(c->arena, n, c->cap_node);
    if (!nominal || !atol || !none || !state || !s->source || !s->wave)
        return -1;
    for (int i = 0; i < n; i++) {
        nominal[i] = c->nominal[i];
        atol[i] = c->rtol * c->atol_factor * c->nominal[i];
        state[i] = -1;
    }
    s->rtol = c->rtol;
    s->n_published = n;
    s->nominal_published = nominal;
    s->atol_published = atol;
    s->signal_state = state;
    s->x = s->d = s->external = s->unseen = s->effect = none;
    s->atol_x = s->atol_external = none;
    s->external_source = s->external_signal = state;
    s->work_per_rhs = 10.0 + n; /* counted work; assumed for n outputs without integration */
    s->flags = WR_SUBSYSTEM_IS_PLAYED;
    return 0;
}

static int place_rows(wr_subsystem *s, const wr_playback_config *c)
{
    wr_arena *const arena = c->arena;
    wr_playback *const played = wr_playback_of(s);
    const size_t name_bytes = strlen(c->name) + 1;
    int *const recorded = WR_NEW_ARRAY(arena, int, c->n_recorded + 1);
    played->value = WR_NEW_ARRAY(arena, double, c->n_published + 1);
    s->n_recorded = c->n_recorded;
    s->cap_row = c->cap_row;
    wr_arena_cold(arena, 1);
    s->row_time_s = WR_NEW_ARRAY(arena, double, c->cap_row);
    s->row_kind = WR_NEW_ARRAY(arena, unsigned char, c->cap_row);
    s->row_value =
        wr_arena_push(arena, (size_t)c->cap_row * (size_t)c->n_recorded + 1, sizeof(double));
    char *const name = WR_NEW_ARRAY(arena, char, name_bytes);
    wr_arena_cold(arena, 0);
    if (!recorded || !played->value || !s->row_time_s || !s->row_kind || !s->row_value || !name)
        return -1;
    for (int i = 0; i < c->n_recorded; i++)
        recorded[i] = c->recorded[i];
    memcpy(name, c->name, name_bytes);
    played->recorded = recorded;
    s->name = name;
    return 0;
}

wr_subsystem *wr_playback_place(const wr_playback_config *config, size_t inside_bytes)
{
    wr_arena_line(config->arena);
    wr_subsystem *const s = WR_NEW(config->arena, wr_subsystem);
    if (s)
        s->inside = wr_arena_push(config->arena, 1, inside_bytes);
    if (!s || !s->inside || place_face(s, config) < 0 || place_rows(s, config) < 0)
        return NULL;
    wr_playback *const played = wr_playback_of(s);
    played->start_s = config->start_s;
    played->communication_step_s = config->communication_step_s;
    played->record_events = config->record_events;
    return s;
}

wr_subsystem *wr_playback_finish(wr_subsystem *s, const wr_playback_config *config, wr_diag *diag)
{
    if (!s) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "subsystem '%s' cannot be built: %s", config->name,
                    wrsim_status_text(WRSIM_E_MEMORY));
        return NULL;
    }
    wr_arena_line(config->arena);
    s->near_bytes = wr_arena_bytes_since(config->arena, s);
    return s;
}
