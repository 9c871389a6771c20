/* Calls that the standard forbids, past the state machine of fmu_session.c. */
#include "fmu_library.h"

#define CALL(s, name, ...)                                                                         \
    (IS_2(s) ? (int)(s)->fmu->call->f2##name(__VA_ARGS__)                                          \
             : (int)(s)->fmu->call->f3##name(__VA_ARGS__))

static int step(session *s)
{
    const fmu_functions *const call = s->fmu->call;
    const double h_s = s->fmu->table.step_s;
    bool is_event, has_ended, is_early;
    double reached_s;
    return IS_2(s) ? (int)call->f2DoStep(s->c, s->t_s, h_s, 0)
                   : (int)call->f3DoStep(s->c, s->t_s, h_s, false, &is_event, &has_ended, &is_early,
                                         &reached_s);
}

static int enter(session *s)
{
    const fmu_functions *const call = s->fmu->call;
    return IS_2(s) ? (int)call->f2EnterInitializationMode(s->c)
                   : (int)call->f3EnterInitializationMode(s->c, false, 0, s->t_s, false, 0);
}

static int leave(session *s) { return CALL(s, ExitInitializationMode, s->c); }
static int terminate(session *s) { return CALL(s, Terminate, s->c); }

/* Finds a real output. Returns 0 if the FMU has none. */
static int find_output(const fmu_table *table, unsigned *ret)
{
    for (size_t i = 0; i < table->n; i++)
        if (table->variable[i].causality == FMU_OUTPUT && table->variable[i].kind == FMU_Float64) {
            *ret = table->variable[i].number;
            return 1;
        }
    return 0;
}

static int set_output(session *s)
{
    const fmu_functions *const call = s->fmu->call;
    const double value = 0;
    unsigned number;
    return !find_output(&s->fmu->table, &number) ? ERROR
           : IS_2(s)                             ? (int)call->f2SetReal(s->c, &number, 1, &value)
                     : (int)call->f3SetFloat64(s->c, &number, 1, &value, 1);
}

/* FMI 3.0 allows the call in each phase. */
static int get_output_2(session *s)
{
    double value;
    unsigned number;
    return IS_2(s) && find_output(&s->fmu->table, &number)
               ? (int)s->fmu->call->f2GetReal(s->c, &number, 1, &value)
               : ERROR;
}

const char *session_find_unrefused(session *s, size_t choice)
{
    static const struct {
        const char *function;
        int allowed; /* phases */
        int (*call)(session *);
    } rows[] = {{"DoStep", PHASE_STEPPING, step},
                {"EnterInitializationMode", PHASE_INSTANTIATED, enter},
                {"ExitInitializationMode", PHASE_INITIALISING, leave},
                {"Terminate", PHASE_STEPPING | PHASE_STEP_FAILED, terminate},
                {"Set of an output", 0, set_output},
                {"GetReal of an output", PHASE_ALL & ~PHASE_INSTANTIATED, get_output_2}};
    const size_t i = choice % (sizeof rows / sizeof *rows);
    if (s->phase & rows[i].allowed)
        return NULL;
    session_calls++;
    return rows[i].call(s) < ERROR ? rows[i].function : NULL;
}

static int set_state(session *s, void *state)
{
    const fmu_functions *const call = s->fmu->call;
    return IS_2(s) ? (int)call->f2SetFMUstate(s->c, state) : (int)call->f3SetFMUState(s->c, state);
}

static int free_state(const fmu *f, void *c, void *state)
{
    return f->table.version == 2 ? (int)f->call->f2FreeFMUstate(c, &state)
                                 : (int)f->call->f3FreeFMUState(c, &state);
}

const char *session_find_unrefused_state(session *s)
{
    session_state state = {0};
    session_save(s, &state);
    void *const freed = state.state;
    session_forget(s, &state);
    session_calls += 2;
    return set_state(s, freed) < ERROR               ? "SetFMUState of a freed state"
           : free_state(s->fmu, s->c, freed) < ERROR ? "FreeFMUState of a freed state"
                                                     : NULL;
}

bool session_free_early(session **s, void *state)
{
    const fmu *const f = (*s)->fmu;
    void *const c = (*s)->c;
    (*s)->n_state = 0;
    session_free(s);
    session_calls++;
    return !state || free_state(f, c, state) >= ERROR;
}
