/* Incidence by perturbation. See detect.h. Thread: the view's owner. Real-time: no. */
#include "offline/structure/detect.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/structure/linear.h"

/* Changes of a variable, relative to the larger of value and nominal value. The small changes, about cbrt(DBL_EPSILON), approximate
 * derivatives. The large changes (assumed) show weak dependences, and dependences behind a limiter. */
static const double changes[] = {6e-6, -6e-6, 6e-3, -6e-3};
/* Relative change of a discrete state (assumed). The change is upwards only. If a model truncates the state, an integer from 0 to 999 stays
 * unchanged. */
static const double discrete_change = 1e-3;
/* Relative differences that count as rounding (assumed): rounding_noise for sums in which a variable cancels, loop_noise for algebraic
 * loops, whose solver stops at 1e-10. */
static const double rounding_noise = 32.0 * DBL_EPSILON, loop_noise = 1e-9;

/* Largest number of stored values of a discrete state (assumed). */
enum { SEEN = 6 };

struct wr_detector {
    wr_arena *arena; /* owner of the detector and its arrays */
    wr_view *view;
    wr_values at, changed;
    double *x, *d;       /* states and discrete states of the point */
    unsigned char *mode; /* modes of the point */
    double *seen;        /* [n_d * SEEN] different values of discrete states so far */
    int *n_seen;         /* [n_d] number of values in seen for each discrete state */
    unsigned char *is_shown[WRSIM_KIND_COUNT]; /* [kind][n[kind]] 1: models accepted a change */
    wr_entries entries[WR_N_DIRECT];
    wr_incidence_set found;
};

/* Kinds of variables that a detection changes. */
static const wrsim_kind changed_kinds[] = {WRSIM_STATE, WRSIM_INPUT, WRSIM_DISCRETE,
                                           WRSIM_INDICATOR};

wr_detector *wr_detector_create(wr_view *view)
{
    wr_arena *arena = wr_arena_create((size_t)-1);
    wr_detector *d = arena ? WR_NEW(arena, wr_detector) : NULL;
    if (!d) {
        wr_arena_destroy(&arena);
        return NULL;
    }
    *d = (wr_detector){.arena = arena, .view = view};
    const int n_d = view->n[WRSIM_DISCRETE];
    d->x = WR_NEW_ARRAY(arena, double, view->n[WRSIM_STATE]);
    d->d = WR_NEW_ARRAY(arena, double, n_d);
    d->mode = WR_NEW_ARRAY(arena, unsigned char, view->n[WRSIM_INDICATOR]);
    d->seen = WR_NEW_ARRAY(arena, double, n_d *SEEN);
    d->n_seen = WR_NEW_ARRAY(arena, int, n_d);
    int is_made = wr_values_init(&d->at, view) == 0 && wr_values_init(&d->changed, view) == 0 &&
                  d->x && d->d && d->mode && d->seen && d->n_seen;
    for (size_t k = 0; k < WR_COUNT_OF(changed_kinds); k++) {
        const wrsim_kind kind = changed_kinds[k];
        d->is_shown[kind] = WR_NEW_ARRAY(arena, unsigned char, view->n[kind]);
        is_made = is_made && d->is_shown[kind];
    }
    for (int r = 0; r < WR_N_DIRECT && is_made; r++) {
        d->found.at[r] = wr_matrix_from_entries(view->n[wr_relations[r].row],
                                                view->n[wr_relations[r].column], &d->entries[r], 1);
        is_made = d->found.at[r] != NULL;
    }
    if (!is_made)
        wr_detector_destroy(&d);
    return d;
}

void wr_detector_destroy(wr_detector **detector)
{
    wr_detector *const d = detector ? *detector : NULL;
    if (!d)
        return;
    wr_values_done(&d->at);
    wr_values_done(&d->changed);
    for (int r = 0; r < WR_N_DIRECT; r++)
        wr_entries_done(&d->entries[r]);
    wr_incidence_done(&d->found);
    wr_arena *arena = d->arena;
    wr_arena_destroy(&arena);
    *detector = NULL;
}

/* ---- differences ---- */

/* Returns 1 if the values differ by more than rounding. Both values are finite, because subsystems/group/group_eval.c refuses other
 * values. */
static int is_different(const wr_detector *d, double a, double b, double nominal)
{
    WR_ASSERT(isfinite(a) && isfinite(b));
    const double size = fmax(fabs(a), fabs(b));
    return d->view->group->n_loop > 0 ? fabs(a - b) > loop_noise * fmax(size, nominal)
                                      : fabs(a - b) > rounding_noise * size;
}

/* Stores the rows of a relation in which two results differ. scale converts the change of the column to its nominal value. */
static void keep(wr_detector *d, wr_relation relation, int column, const double *a, const double *b,
                 double scale)
{
    const wrsim_kind kind = wr_relations[relation].row;
    for (int i = 0; i < d->view->n[kind]; i++) {
        const double nominal = d->view->variable[kind][i].nominal;
        if (is_different(d, a[i], b[i], nominal))
            wr_entries_add(&d->entries[relation], i, column, fabs(a[i] - b[i]) / nominal * scale,
                           0);
    }
}

/* Evaluates with a changed variable. Returns 0, or 1 if a model refuses. */
static int evaluate(wr_detector *d)
{
    if (wr_view_evaluate(d->view, d->changed.dx, d->changed.y, d->changed.z) == 0)
        return 0;
    d->found.n_refused++;
    return 1;
}

/* Relations in which a change of a variable may be visible; WR_N_RELATION: none. */
typedef struct shown_in {
    wrsim_kind kind; /* kind of the variable */
    wr_relation dx, y, z;
} shown_in;
static const shown_in by_state = {WRSIM_STATE, WR_X_DX, WR_X_Y, WR_X_Z},
                      by_input = {WRSIM_INPUT, WR_U_DX, WR_U_Y, WR_U_Z},
                      by_discrete = {WRSIM_DISCRETE, WR_D_DX, WR_D_Y, WR_D_Z},
                      by_mode = {WRSIM_INDICATOR, WR_M_DX, WR_N_RELATION, WR_M_Z};

static void keep_all(wr_detector *d, const shown_in *in, int column, double scale)
{
    d->is_shown[in->kind][column] = 1;
    keep(d, in->dx, column, d->changed.dx, d->at.dx, scale);
    if (in->y < WR_N_RELATION)
        keep(d, in->y, column, d->changed.y, d->at.y, scale);
    keep(d, in->z, column, d->changed.z, d->at.z, scale);
}

/* Evaluates with another value of a variable and stores the differences; scale as in keep(). */
static void try_value(wr_detector *d, const shown_in *in, int column, double *variable,
                      double value, double scale)
{
    const double before = *variable;
    *variable = value;
    if (evaluate(d) == 0)
        keep_all(d, in, column, scale);
    *variable = before;
}

static void look_at_values(wr_detector *d, const shown_in *in, double *value)
{
    const wrsim_kind kind = in->kind;
    for (int j = 0; j < d->view->n[kind]; j++) {
        const double nominal = d->view->variable[kind][j].nominal,
                     size = fmax(fabs(value[j]), nominal);
        for (size_t k = 0; k < WR_COUNT_OF(changes); k++)
            try_value(d, in, j, &value[j], value[j] + changes[k] * size,
                      nominal / fabs(changes[k] * size));
    }
}

static double moved(const wr_view *view, int i_d, double value)
{
    return value + discrete_change * fmax(fabs(value), view->variable[WRSIM_DISCRETE][i_d].nominal);
}

static void remember(wr_detector *d, int i_d, double value)
{
    double *const seen = d->seen + (size_t)i_d * SEEN;
    for (int k = 0; k < d->n_seen[i_d]; k++)
        if (seen[k] == value)
            return;
    if (d->n_seen[i_d] < SEEN)
        seen[d->n_seen[i_d]++] = value;
}

/* ---- events ---- */

/* Fires an event, stores the changes by the event, and restores the view. If is_moved is 1, discrete states begin slightly changed. */
static void fire(wr_detector *d, int i_z, int is_moved)
{
    wr_view *const view = d->view;
    const int n_d = view->n[WRSIM_DISCRETE];
    for (int i = 0; is_moved && i < n_d; i++)
        view->d[i] = moved(view, i, view->d[i]);
    if (wr_view_fire(view, i_z) != 0)
        d->found.n_refused++;
    else {
        for (int i = 0; i < n_d; i++) {
            const double before = is_moved ? moved(view, i, d->d[i]) : d->d[i];
            if (view->d[i] == before)
                continue;
            if (!is_moved)
                remember(d, i, view->d[i]);
            wr_entries_add(&d->entries[WR_Z_D], i, i_z,
                           fabs(view->d[i] - d->d[i]) / view->variable[WRSIM_DISCRETE][i].nominal,
                           0);
        }
        keep(d, WR_Z_X, i_z, view->x, d->x, 1.0);
    }
    wr_view_copy(d->view->x, d->x, d->view->n[WRSIM_STATE]);
    wr_view_copy(d->view->d, d->d, d->view->n[WRSIM_DISCRETE]);
    if (d->view->n[WRSIM_INDICATOR] > 0)
        memcpy(d->view->mode, d->mode, (size_t)d->view->n[WRSIM_INDICATOR]);
}

/* ---- points ---- */

/* Joins the entries of this point with the entries of all earlier points. Returns WRSIM_OK or WRSIM_E_MEMORY. */
static wrsim_status gather(wr_detector *d, wrsim_error *err)
{
    for (int r = 0; r < WR_N_DIRECT; r++) {
        WR_AUTO(wr_matrix_destroy)
        wr_matrix *here = wr_matrix_from_entries(d->found.at[r]->n_row, d->found.at[r]->n_column,
                                                 &d->entries[r], 1);
        wr_matrix *const joined = here ? wr_matrix_join(d->found.at[r], here) : NULL;
        wr_entries_done(&d->entries[r]);
        if (!joined)
            return wr_error_memory(err);
        wr_matrix_destroy(&d->found.at[r]);
        d->found.at[r] = joined;
    }
    return WRSIM_OK;
}

wrsim_status wr_detector_look(wr_detector *d, wr_detect_scope scope, wrsim_error *err)
{
    wr_view *const view = d->view;
    if (wr_view_evaluate(view, d->at.dx, d->at.y, d->at.z) != 0) {
        wrsim_error fault;
        wr_view_fault(view, &fault);
        if (err)
            *err = fault;
        return fault.status;
    }
    look_at_values(d, &by_state, view->x);
    look_at_values(d, &by_input, view->u);
    if (scope == WR_DETECT_ALL) {
        wr_view_copy(d->x, d->view->x, d->view->n[WRSIM_STATE]);
        wr_view_copy(d->d, d->view->d, d->view->n[WRSIM_DISCRETE]);
        if (d->view->n[WRSIM_INDICATOR] > 0)
            memcpy(d->mode, d->view->mode, (size_t)d->view->n[WRSIM_INDICATOR]);
        /* The loop fires events, which give further values of discrete states. */
        for (int i = 0; i < d->view->n[WRSIM_INDICATOR]; i++) {
            const int only = d->view->group->direction_z[i], is_falling = d->view->mode[i];
            if (!wr_view_may_fire(view, i) || (only == 1 && is_falling) ||
                (only == 2 && !is_falling))
                continue; /* no event follows a mode change in this direction */
            fire(d, i, 0);
            fire(d, i, 1);
        }
        double *const value = d->view->d;
        for (int j = 0; j < d->view->n[WRSIM_DISCRETE]; j++) {
            const double nominal = d->view->variable[WRSIM_DISCRETE][j].nominal,
                         up = moved(d->view, j, value[j]);
            remember(d, j, value[j]);
            try_value(d, &by_discrete, j, &value[j], up, nominal / (up - value[j]));
            for (int k = 0; k < d->n_seen[j]; k++) {
                const double other = d->seen[(size_t)j * SEEN + (size_t)k];
                if (other != value[j])
                    try_value(d, &by_discrete, j, &value[j], other, 1.0);
            }
        }
        unsigned char *const mode = d->view->mode;
        for (int i = 0; i < d->view->n[WRSIM_INDICATOR]; i++) {
            mode[i] = !mode[i];
            if (evaluate(d) == 0)
                keep_all(d, &by_mode, i, 1.0);
            mode[i] = !mode[i];
        }
    }
    d->found.n_point++;
    return gather(d, err);
}

int wr_detector_get(const wr_detector *d, wr_incidence_set *ret_set)
{
    wr_incidence_set set = {.n_point = d->found.n_point,
                            .n_refused = d->found.n_refused,
                            .n_unfired = wr_view_n_unfired(d->view)};
    for (size_t k = 0; k < WR_COUNT_OF(changed_kinds) && set.n_point > 0; k++) {
        const wrsim_kind kind = changed_kinds[k];
        for (int i = 0; i < d->view->n[kind]; i++) {
            if (d->is_shown[kind][i])
                continue;
            if (set.n_blind++ == 0) {
                set.blind_kind = kind;
                set.i_blind = i;
            }
        }
    }
    int is_made = 1;
    for (int r = 0; r < WR_N_DIRECT; r++)
        is_made &= (set.at[r] = wr_matrix_permute(d->found.at[r], NULL, NULL)) != NULL;
    if (is_made && wr_incidence_compose(&set) == 0) {
        *ret_set = set;
        return 0;
    }
    wr_incidence_done(&set);
    return -1;
}
