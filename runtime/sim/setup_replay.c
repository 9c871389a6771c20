/* From result files to subsystems that play them. See setup_replay.h.
 *
 * Recorded waves are played as they are: nodes of one subsystem's wave; of several on all their nodes together, where
 * cubics stay what they were. Points without waves are joined by cubics with the slopes of the parabola through each
 * point and its neighbours (Bessel's interpolation: de Boor, A Practical Guide to Splines, ch. IV), which errs by the
 * third power of their distance; what it comes to is estimated by leaving every second point out: an eighth of how far
 * those are missed.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/setup_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "runtime/record/results.h"
#include "runtime/record/waves.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"
#include "subsystems/replay.h"
#include "subsystems/wave/hermite.h"

/* Nodes in memory. */
typedef struct nodes {
    int n_node, n_signal;
    double *time_s, *value; /* [n_node], [n_node * 2 n_signal] node by node: values, slopes */
} nodes;

/* Where a signal is: in which wave, as which of its signals. */
typedef struct found {
    const wr_recorded_wave *wave;
    int i_signal;
    int i_node; /* reading: the last one at or before the present time */
} found;

static double time_of(const void *context, int i) { return ((const nodes *)context)->time_s[i]; }

static void node_of(const void *context, int i, double *ret_value, double *ret_slope)
{
    const nodes *const n = context;
    const double *const at = n->value + (size_t)i * 2 * (size_t)n->n_signal;
    memcpy(ret_value, at, (size_t)n->n_signal * sizeof *at);
    memcpy(ret_slope, at + n->n_signal, (size_t)n->n_signal * sizeof *at);
}

int wr_setups_is_replay(const wr_assembly *a, int i_subsystem)
{
    return !a->settings->simulation.monolithic && i_subsystem < a->settings->n_subsystems &&
           a->settings->subsystems[i_subsystem].file != NULL;
}

static nodes *place_nodes(wr_assembly *a, int n_node, int n_signal)
{
    nodes *const n = WR_TAKE(a->bag, nodes, 1);
    if (!n)
        return NULL;
    *n = (nodes){.n_node = n_node, .n_signal = n_signal};
    n->time_s = WR_TAKE(a->bag, double, n_node);
    n->value = WR_TAKE(a->bag, double, 2 * (size_t)n_node * (size_t)n_signal);
    return n->time_s && n->value ? n : NULL;
}

static wrsim_status lacks(const wr_assembly *a, int i_subsystem, const char *signal,
                          const char *const *names, int n_name, wr_diag *diag)
{
    const wr_set_subsystem *const set = &a->settings->subsystems[i_subsystem];
    const char *const nearest = wr_names_nearest(signal, names, n_name);
    return wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_file,
                       "'%s' lacks '%s', which others read of subsystem '%s'%s%s%s", set->file,
                       signal, set->name, nearest ? "; it has '" : "", nearest ? nearest : "",
                       nearest ? "'" : "");
}

/* ---- from waves ---- */

static const double *row_of(const wr_recorded_wave *w, int i)
{
    return w->value + (size_t)i * 2 * (size_t)w->n_signal;
}

/* The k-th of a signal's nodes at t, the last where it has fewer; between nodes its cubic. */
static void read_signal(found *f, double t_s, int k, double *ret_value, double *ret_slope)
{
    const wr_recorded_wave *const w = f->wave;
    int i = f->i_node;
    while (i + 1 < w->n_node && w->time_s[i + 1] <= t_s)
        i++;
    f->i_node = i; /* the last node at or before t */
    int first = i;
    while (first > 0 && w->time_s[first - 1] >= t_s)
        first--;
    const int s = f->i_signal;
    if (w->time_s[i] >= t_s || i + 1 >= w->n_node) {
        const int at = first + k < i ? first + k : i;
        *ret_value = row_of(w, at)[s];
        *ret_slope = row_of(w, at)[w->n_signal + s];
        return;
    }
    const wr_hermite h = wr_hermite_at(w->time_s[i], w->time_s[i + 1], t_s);
    const double *const a = row_of(w, i), *const b = row_of(w, i + 1);
    *ret_value = wr_hermite_value(&h, a[s], b[s], a[w->n_signal + s], b[w->n_signal + s]);
    *ret_slope = wr_hermite_slope(&h, a[s], b[s], a[w->n_signal + s], b[w->n_signal + s]);
}

static int count_at(const wr_recorded_wave *w, int *from, double t_s)
{
    int n = 0;
    while (*from < w->n_node && w->time_s[*from] <= t_s) {
        n += w->time_s[*from] >= t_s;
        ++*from;
    }
    return n;
}

/* All times of nodes, each as often as the wave that has it most often. ret_time NULL: only counts. */
static int unite(const wr_recorded_waves *waves, const unsigned char *is_used, int *from,
                 double *ret_time_s)
{
    int n = 0;
    memset(from, 0, (size_t)waves->n * sizeof *from);
    for (;;) {
        double next_s = (double)INFINITY;
        for (int i = 0; i < waves->n; i++)
            if (is_used[i] && from[i] < waves->wave[i].n_node)
                next_s = fmin(next_s, waves->wave[i].time_s[from[i]]);
        if (!(next_s < (double)INFINITY))
            return n;
        int most = 0;
        for (int i = 0; i < waves->n; i++)
            if (is_used[i]) {
                const int n_here = count_at(&waves->wave[i], &from[i], next_s);
                most = n_here > most ? n_here : most;
            }
        for (int k = 0; k < most; k++, n++)
            if (ret_time_s)
                ret_time_s[n] = next_s;
    }
}

/* Finds a signal among the waves. */
static int find_signal(const wr_recorded_waves *waves, const char *name, found *ret)
{
    for (int i = 0; i < waves->n; i++)
        for (int k = 0; k < waves->wave[i].n_signal; k++)
            if (strcmp(waves->wave[i].name[k], name) == 0) {
                *ret = (found){&waves->wave[i], k, 0};
                return i;
            }
    return -1;
}

static nodes *fill_from_waves(wr_assembly *a, const wr_setup *m, const wr_recorded_waves *waves,
                              found *at, const unsigned char *is_used, int *from)
{
    const int n_node = unite(waves, is_used, from, NULL);
    nodes *const n = place_nodes(a, n_node, m->n_published);
    if (!n)
        return NULL;
    unite(waves, is_used, from, n->time_s);
    for (int i = 0, k = 0; i < n_node; i++) {
        k = i > 0 && n->time_s[i] <= n->time_s[i - 1] ? k + 1 : 0;
        double *const row = n->value + (size_t)i * 2 * (size_t)m->n_published;
        for (int j = 0; j < m->n_published; j++)
            read_signal(&at[j], n->time_s[i], k, &row[j], &row[m->n_published + j]);
    }
    return n;
}

static wrsim_status list_names(const wr_recorded_waves *waves, const char ***ret_names, int *ret_n)
{
    int n = 0;
    for (int i = 0; i < waves->n; i++)
        n += waves->wave[i].n_signal;
    const char **const names = calloc((size_t)n + 1, sizeof *names);
    if (!names)
        return WRSIM_E_MEMORY;
    n = 0;
    for (int i = 0; i < waves->n; i++)
        for (int k = 0; k < waves->wave[i].n_signal; k++)
            names[n++] = waves->wave[i].name[k];
    *ret_names = names;
    *ret_n = n;
    return WRSIM_OK;
}

static wrsim_status from_waves(wr_assembly *a, int i_subsystem, const wr_recorded_waves *waves,
                               nodes **ret, wr_diag *diag)
{
    const wr_setup *const m = &a->setup[i_subsystem];
    found *const at = calloc((size_t)m->n_published + 1, sizeof *at);
    unsigned char *const is_used = calloc((size_t)waves->n + 1, 1);
    int *const from = calloc((size_t)waves->n + 1, sizeof *from);
    const char **names = NULL;
    int n_name = 0;
    wrsim_status status =
        at && is_used && from ? list_names(waves, &names, &n_name) : WRSIM_E_MEMORY;
    for (int j = 0; j < m->n_published && status >= 0; j++) {
        const int i = find_signal(waves, m->signal_name[j], &at[j]);
        if (i < 0)
            status = lacks(a, i_subsystem, m->signal_name[j], names, n_name, diag);
        else
            is_used[i] = 1;
    }
    if (status >= 0 && !(*ret = fill_from_waves(a, m, waves, at, is_used, from)))
        status = WRSIM_E_MEMORY;
    if (status == WRSIM_E_MEMORY)
        wr_setups_out_of_memory(diag);
    free(names);
    free(from);
    free(is_used);
    free(at);
    return status;
}

/* ---- from points ---- */

/* Slope at the middle one of three points of the parabola through them, or at the first. */
static double parabola_slope(const double *t, const double *y, int at_first)
{
    const double d0 = (y[1] - y[0]) / (t[1] - t[0]), d1 = (y[2] - y[1]) / (t[2] - t[1]);
    const double curve = (d1 - d0) / (t[2] - t[0]);
    return at_first ? d0 - curve * (t[1] - t[0]) : d0 + curve * (t[1] - t[0]);
}

static double slope_at(const double *t, const double *y, int n, int i)
{
    if (n == 2)
        return (y[1] - y[0]) / (t[1] - t[0]);
    if (i == 0)
        return parabola_slope(t, y, 1);
    if (i == n - 1) {
        const double back_t[3] = {-t[n - 1], -t[n - 2], -t[n - 3]},
                     back_y[3] = {y[n - 1], y[n - 2], y[n - 3]};
        return -parabola_slope(back_t, back_y, 1);
    }
    return parabola_slope(t + i - 1, y + i - 1, 0);
}

/* About what joining errs by, of the signal's range. */
static double joining_error(const double *t, const double *y, int n)
{
    double low = y[0], high = y[0], worst = 0.0;
    for (int i = 0; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    for (int i = 2; i + 4 < n;
         i += 2) { /* between points i and i + 2, the next ones being i - 2, i + 4 */
        const double tt[4] = {t[i - 2], t[i], t[i + 2], t[i + 4]},
                     yy[4] = {y[i - 2], y[i], y[i + 2], y[i + 4]};
        const wr_hermite h = wr_hermite_at(tt[1], tt[2], t[i + 1]);
        const double joined = wr_hermite_value(&h, yy[1], yy[2], parabola_slope(tt, yy, 0),
                                               parabola_slope(tt + 1, yy + 1, 0));
        worst = fmax(worst, fabs(joined - y[i + 1]));
    }
    return high > low ? worst / 8.0 / (high - low) : 0.0;
}

static wrsim_status from_points(wr_assembly *a, int i_subsystem, const wr_results *results,
                                nodes **ret, wr_diag *diag)
{
    const wr_setup *const m = &a->setup[i_subsystem];
    const wr_set_subsystem *const set = &a->settings->subsystems[i_subsystem];
    const int n_row = results->n_row;
    if (n_row < 2)
        return wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_file,
                           "'%s' has too few points to be played: %d", set->file, n_row);
    nodes *const n = *ret = place_nodes(a, n_row, m->n_published);
    if (!n)
        return wr_setups_out_of_memory(diag);
    memcpy(n->time_s, results->time_s, (size_t)n_row * sizeof *n->time_s);
    double worst = 0.0;
    int i_worst = 0;
    for (int j = 0; j < m->n_published; j++) {
        int k = 0;
        while (k < results->n_signal && strcmp(results->name[k], m->signal_name[j]) != 0)
            k++;
        if (k == results->n_signal)
            return lacks(a, i_subsystem, m->signal_name[j], (const char *const *)results->name,
                         results->n_signal, diag);
        const double *const y = results->value + (size_t)k * (size_t)n_row;
        for (int i = 0; i < n_row; i++) {
            double *const row = n->value + (size_t)i * 2 * (size_t)m->n_published;
            row[j] = y[i];
            row[m->n_published + j] = slope_at(results->time_s, y, n_row, i);
        }
        const double error = joining_error(results->time_s, y, n_row);
        if (error > worst) {
            worst = error;
            i_worst = j;
        }
    }
    if (m->n_published > 0)
        wr_diag_add(
            &a->warnings, WRSIM_OK, &set->where_file,
            "'%s' has no waves: its points, up to %.3g s apart, are joined, which errs by about "
            "%.2g of the range of '%s'; record it with output.waves = true",
            set->file, n->time_s[1] - n->time_s[0], worst, m->signal_name[i_worst]);
    return WRSIM_OK;
}

/* ---- the subsystem ---- */

static wrsim_status file_error(const wr_set_subsystem *set, const wrsim_error *err, wr_diag *diag)
{
    return wr_diag_add(diag, err->status, &set->where_file, "%s", err->text);
}

static wrsim_status load(wr_assembly *a, int i_subsystem, nodes **ret, wr_diag *diag)
{
    const wr_set_subsystem *const set = &a->settings->subsystems[i_subsystem];
    wrsim_error err = {0};
    wr_recorded_waves *waves = wr_recorded_waves_load(set->file, &err);
    if (!waves)
        return file_error(set, &err, diag);
    wrsim_status status = WRSIM_OK;
    if (waves->n > 0)
        status = from_waves(a, i_subsystem, waves, ret, diag);
    else {
        wr_results *results = wr_results_load(set->file, &err);
        status =
            results ? from_points(a, i_subsystem, results, ret, diag) : file_error(set, &err, diag);
        wr_results_destroy(&results);
    }
    wr_recorded_waves_destroy(&waves);
    return status;
}

/* All finite, and from the start to the end of the run. */
static wrsim_status check(const wr_assembly *a, int i_subsystem, const nodes *n, wr_diag *diag)
{
    const wr_set_subsystem *const set = &a->settings->subsystems[i_subsystem];
    const wr_set_simulation *const run = &a->settings->simulation;
    const size_t n_value = 2 * (size_t)n->n_node * (size_t)n->n_signal;
    for (size_t i = 0; i < n_value; i++)
        if (!isfinite(n->value[i]))
            return wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_file,
                               "'%s' has a value that is not finite, near t = %.9g s", set->file,
                               n->time_s[i / (2 * (size_t)n->n_signal)]);
    const double first_s = n->n_node > 0 ? n->time_s[0] : (double)NAN;
    const double last_s = n->n_node > 1 ? n->time_s[n->n_node - 1] : (double)NAN;
    const int is_early = first_s <= run->start_s || wr_time_close(first_s, run->start_s);
    const int is_late = last_s >= run->stop_s || wr_time_close(last_s, run->stop_s);
    if (is_early && is_late)
        return WRSIM_OK;
    return wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_file,
                       "'%s' is recorded from %.9g to %.9g s, but the run goes from %.9g to %.9g s",
                       set->file, first_s, last_s, run->start_s, run->stop_s);
}

/* Which of the published signals each recorded variable is. */
static int *find_recorded(const wr_assembly *a, const wr_setup *m)
{
    int *const signal = WR_TAKE(a->bag, int, m->n_recorded);
    for (int i = 0; signal && i < m->n_recorded; i++)
        for (int k = 0; k < m->n_published; k++)
            if (m->published[k] == m->recorded_index[i])
                signal[i] = k;
    return signal;
}

wrsim_status wr_setups_create_replay(wr_assembly *a, int i_subsystem, int cap_row, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    nodes *n = NULL;
    WR_TRY(load(a, i_subsystem, &n, diag));
    WR_TRY(check(a, i_subsystem, n, diag));
    double *const nominal = WR_TAKE(a->bag, double, m->n_published);
    int *const recorded = find_recorded(a, m);
    if (!nominal || !recorded)
        return wr_setups_out_of_memory(diag);
    for (int c = 0; c < m->n_component; c++)
        for (int i = 0; i < m->n_published; i++) {
            const wr_component *const component = a->component[m->component[c]];
            const int y = m->published[i] - a->place[m->component[c]].first[WRSIM_OUTPUT];
            if (y >= 0 && y < component->n[WRSIM_OUTPUT])
                nominal[i] = component->variable[WRSIM_OUTPUT][y].nominal;
        }
    const wr_replay_config config = {
        .name = m->name,
        .arena = a->arena,
        .recording = {.context = n, .n_node = n->n_node, .time_s = time_of, .node = node_of},
        .n_published = m->n_published,
        .nominal = nominal,
        .rtol = set->simulation.rtol,
        .atol_factor = set->simulation.atol_factor,
        .n_recorded = m->n_recorded,
        .recorded = recorded,
        .start_s = set->simulation.start_s,
        .communication_step_s = set->simulation.communication_step_s,
        .cap_node = a->cap_node,
        .cap_row = cap_row,
        .record_events = set->output.events};
    m->subsystem = wr_replay_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}
