/* Event logs and window records. See log_recording.h. Thread: as log_recording.h. Real-time: as log_recording.h. */
#include "runtime/sim/log_recording.h"

#include <math.h>
#include <string.h>

#include "base/heap_pool.h"
#include "runtime/sim/lookup.h"
#include "subsystems/event_log.h"

/* Subsystems and recorder have the same numbers. */
_Static_assert((int)WR_LOGGED_LOST == (int)WR_LOG_LOST &&
                   (int)WR_LOGGED_KIND_COUNT == (int)WR_LOG_KIND_COUNT &&
                   (int)WR_LOGGED_SLOPE == (int)WR_LOG_SLOPE &&
                   (int)WR_LOGGED_INPUT_JUMP == (int)WR_LOG_INPUT_JUMP,
               "kinds of entries");
_Static_assert((int)WR_LOGGED_CAUSE_STATE == (int)WRSIM_CAUSE_STATE &&
                   (int)WR_LOGGED_CAUSE_TIME == (int)WRSIM_CAUSE_TIME &&
                   (int)WR_LOGGED_CAUSE_JUMP == (int)WRSIM_CAUSE_INPUT_JUMP &&
                   (int)WR_LOGGED_CAUSE_START == (int)WR_LOG_CAUSE_START,
               "causes of stops");

struct wr_log_room {
    int *first_item; /* [n_subsystem] index of the subsystem's first item */
    double *window;  /* [WR_LOG_WINDOW_VALUES + n_subsystem] */
};

static const char *const reasons[WR_WINDOW_REASON_COUNT] = {
#define TEXT(name, text) [WR_WINDOW_##name] = (text),
    WR_WINDOW_REASONS(TEXT)
#undef TEXT
};

static const char *const type_names[WR_LOG_TYPE_COUNT] = {
    [WR_LOG_INDICATOR] = "indicator", [WR_LOG_COMPONENT] = "component", [WR_LOG_INPUT] = "input",
    [WR_LOG_STATE] = "state",         [WR_LOG_DISCRETE] = "discrete",   [WR_LOG_OUTPUT] = "output"};

/* ---- names ---- */

/* Appends the variables of a kind of all components of a subsystem. */
static int add_variables(const wr_assembly *a, const wr_setup *m, wrsim_kind kind, const char *type,
                         wr_log_item **item)
{
    for (int k = 0; k < m->n_component; k++) {
        const wr_component *const c = a->component[m->component[k]];
        for (int i = 0; i < c->n[kind]; i++) {
            const wr_variable *const v = &c->variable[kind][i];
            char *const name = wr_heap_pool_join(a->pool, c->name, v->name);
            if (!name)
                return -1;
            *(*item)++ = (wr_log_item){.name = name, .type = type, .unit = v->unit ? v->unit : ""};
        }
    }
    return 0;
}

/* Appends the items of a subsystem in the order of wr_event_log.first. */
static int add_items(const wr_assembly *a, const wr_setup *m, wr_log_item **item)
{
    static const struct {
        wr_log_type type;
        wrsim_kind kind;
    } after_inputs[] = {{WR_LOG_STATE, WRSIM_STATE},
                        {WR_LOG_DISCRETE, WRSIM_DISCRETE},
                        {WR_LOG_OUTPUT, WRSIM_OUTPUT}};
    if (add_variables(a, m, WRSIM_INDICATOR, type_names[WR_LOG_INDICATOR], item) < 0)
        return -1;
    for (int k = 0; k < m->n_component; k++)
        *(*item)++ = (wr_log_item){.name = a->component[m->component[k]]->name,
                                   .type = type_names[WR_LOG_COMPONENT],
                                   .unit = ""};
    for (int i = 0; i < m->n_external; i++) {
        const wr_component *const c = a->component[m->external_component[i]];
        const wr_variable *const v = &c->variable[WRSIM_OUTPUT][m->external_output[i]];
        char *const name = wr_heap_pool_join(a->pool, c->name, v->name);
        if (!name)
            return -1;
        *(*item)++ = (wr_log_item){
            .name = name, .type = type_names[WR_LOG_INPUT], .unit = v->unit ? v->unit : ""};
    }
    for (size_t k = 0; k < WR_COUNT_OF(after_inputs); k++)
        if (add_variables(a, m, after_inputs[k].kind, type_names[after_inputs[k].type], item) < 0)
            return -1;
    return 0;
}

const wr_log_info *wr_log_recording_place(wrsim *sim)
{
    wr_assembly *const a = sim->assembly;
    const size_t n = (size_t)a->n_subsystem;
    struct wr_log_room *const room = WR_NEW(a->arena, struct wr_log_room);
    wr_log_info *const info = WR_TAKE(a->pool, wr_log_info, 1);
    const char **const name = WR_TAKE(a->pool, const char *, n);
    unsigned char *const has_log = WR_TAKE(a->pool, unsigned char, n);
    if (!room || !info || !name || !has_log ||
        !(room->first_item = WR_NEW_ARRAY(a->arena, int, a->n_subsystem)) ||
        !(room->window = WR_NEW_ARRAY(a->arena, double, WR_LOG_WINDOW_VALUES + a->n_subsystem)))
        return NULL;
    int n_item = 0, cap_entry = 0;
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_event_log *const log = a->setup[i].subsystem->log;
        name[i] = a->setup[i].name;
        has_log[i] = log != NULL;
        room->first_item[i] = n_item;
        n_item += log ? log->first[WR_LOG_TYPE_COUNT] : 0;
        cap_entry = log && log->cap > cap_entry ? log->cap : cap_entry;
    }
    wr_log_item *const item = WR_TAKE(a->pool, wr_log_item, n_item), *end = item;
    if (!item)
        return NULL;
    for (int i = 0; i < a->n_subsystem; i++)
        if (has_log[i] && add_items(a, &a->setup[i], &end) < 0)
            return NULL;
    WR_ASSERT(end - item == n_item);
    *info =
        (wr_log_info){.n_subsystem = a->n_subsystem,
                      .subsystem = name,
                      .has_log = has_log,
                      .n_item = n_item,
                      .item = item,
                      .has_windows = wr_settings_relaxes(sim->settings) && !wr_lookup_is_lone(a),
                      .n_reason = WR_WINDOW_REASON_COUNT,
                      .reason = reasons,
                      .cap_entry = cap_entry};
    sim->log = room;
    return info;
}

/* ---- rows ---- */

static int n_subsystem(const wrsim *sim) { return sim->assembly->n_subsystem; }

/* Passes a row to the recorder, unless the file already has the row. i_log: number of the log stream. */
static wrsim_status push(wrsim *sim, int i_log, int kind, double t_s, const double *value)
{
    return wr_resume_filter_pass(&sim->gate[2 * n_subsystem(sim) + i_log], t_s)
               ? wr_recorder_push_log(sim->recorder, i_log, kind, t_s, value)
               : WRSIM_OK;
}

static wrsim_status push_entry(wrsim *sim, int i_subsystem, const wr_log_entry *entry)
{
    const int is_item = entry->item >= 0;
    const double value[WR_LOG_ENTRY_VALUES] = {
        [WR_LOG_ENTRY_ITEM] =
            is_item ? (double)(sim->log->first_item[i_subsystem] + entry->item) : -1.0,
        [WR_LOG_ENTRY_ROUND] = entry->round,
        [WR_LOG_ENTRY_DIRECTION] = entry->direction,
        [WR_LOG_ENTRY_BEFORE] = entry->before,
        [WR_LOG_ENTRY_AFTER] = entry->after};
    return push(sim, i_subsystem, entry->kind, entry->t_s, value);
}

static wrsim_status push_log(wrsim *sim, int i_subsystem, double t_s)
{
    const wr_event_log *const log = sim->assembly->setup[i_subsystem].subsystem->log;
    for (int k = 0; k < log->n; k++)
        WR_TRY(push_entry(sim, i_subsystem, &log->entry[k]));
    if (log->n_lost == 0)
        return WRSIM_OK;
    const wr_log_entry lost = {.t_s = t_s,
                               .before = (double)NAN,
                               .after = (double)log->n_lost,
                               .item = -1,
                               .round = -1,
                               .kind = WR_LOG_LOST};
    return push_entry(sim, i_subsystem, &lost);
}

wrsim_status wr_log_recording_start(wrsim *sim, int i_subsystem)
{
    const wr_subsystem *const s = sim->assembly->setup[i_subsystem].subsystem;
    if (!s->log)
        return WRSIM_OK;
    WR_TRY(push_log(sim, i_subsystem, s->t_s));
    wr_event_log_clear(s->log);
    return WRSIM_OK;
}

wrsim_status wr_log_recording_commit(wrsim *sim, int i_subsystem)
{
    const wr_subsystem *const s = sim->assembly->setup[i_subsystem].subsystem;
    if (!s->log)
        return WRSIM_OK;
    WR_TRY(push_log(sim, i_subsystem, s->t_s));
    wr_recorder_log_until(sim->recorder, i_subsystem, s->t_s);
    return WRSIM_OK;
}

void wr_log_recording_window(void *context, const wr_window_report *report)
{
    wrsim *const sim = context;
    const int n = n_subsystem(sim);
    double *const value = sim->log->window;
    value[WR_LOG_WINDOW_END] = report->end_s;
    value[WR_LOG_WINDOW_REASON] = report->reason;
    value[WR_LOG_WINDOW_SWEEPS] = report->n_sweep;
    value[WR_LOG_WINDOW_CONTRACTION] = report->contraction;
    value[WR_LOG_WINDOW_CHANGE] = report->change;
    value[WR_LOG_WINDOW_PREDICTION] = report->prediction;
    value[WR_LOG_WINDOW_FAILED] = report->i_failed;
    for (int i = 0; i < n; i++)
        value[WR_LOG_WINDOW_VALUES + i] = report->n_integration[i];
    /* The commit of the next rows reports a failure of the recorder. */
    (void)push(sim, n, 0, report->start_s, value);
    if (report->reason == WR_WINDOW_ACCEPTED)
        wr_recorder_log_until(sim->recorder, n, report->end_s);
}
