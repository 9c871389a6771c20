/* Instances behind the state machine of the standard. See fmu_session.h. */
#include "fmu_library.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 4096 };
static const double RELATIVE_TIME_ERROR = 1e-12; /* of times that the FMU adds on its own */

long session_calls;

/* ---- calls ---- */

static const char *name_of(int phase)
{
    return phase == PHASE_INSTANTIATED   ? "instantiated"
           : phase == PHASE_INITIALISING ? "in initialisation mode"
           : phase == PHASE_STEPPING     ? "between steps"
           : phase == PHASE_STEP_FAILED  ? "after a discarded step"
                                         : "terminated";
}

static void allow(const session *s, const char *function, int phases)
{
    if (!s)
        fmu_stop(3, "%s is not allowed without an instance", function);
    if (!(s->phase & phases))
        fmu_stop(3, "%s is not allowed for an instance that is %s", function, name_of(s->phase));
}

static void need(const session *s, const char *function, int status)
{
    session_calls++;
    if (status > WARNING)
        fmu_stop(1, "%s returned the status %d at t = %.17g s: %s", function, status, s->t_s,
                 s->fmu->call->last);
}

/* Calls a function that both versions have with equal arguments, and fails unless its status is OK or a warning. */
#define CALL2(s, name, ...)                                                                        \
    do {                                                                                           \
        if (!(s)->fmu->call->f2##name)                                                             \
            fmu_stop(1, "the binary lacks fmi2%s", #name);                                         \
        need(s, "fmi2" #name, (int)(s)->fmu->call->f2##name(__VA_ARGS__));                         \
    } while (0)
#define CALL3(s, name, ...)                                                                        \
    do {                                                                                           \
        if (!(s)->fmu->call->f3##name)                                                             \
            fmu_stop(1, "the binary lacks fmi3%s", #name);                                         \
        need(s, "fmi3" #name, (int)(s)->fmu->call->f3##name(__VA_ARGS__));                         \
    } while (0)
/* Calls a function with the same name and arguments in both versions. */
#define CALL(s, name, ...)                                                                         \
    do {                                                                                           \
        if (IS_2(s))                                                                               \
            CALL2(s, name, __VA_ARGS__);                                                           \
        else                                                                                       \
            CALL3(s, name, __VA_ARGS__);                                                           \
    } while (0)

static void log_2(void *env, const char *instance, wr_fmi2_status status, const char *category,
                  const char *message, ...)
{
    fmu_functions *const call = env;
    va_list list;
    va_start(list, message);
    (void)vsnprintf(call->last, sizeof call->last, message, list);
    va_end(list);
}

static void log_3(void *env, wr_fmi3_status status, const char *category, const char *message)
{
    fmu_functions *const call = env;
    (void)snprintf(call->last, sizeof call->last, "%s", message);
}

/* ---- life ---- */

session *session_open(const fmu *f, const char *name)
{
    session *const s = calloc(1, sizeof *s);
    static wr_fmi2_callbacks shared; /* an FMU may keep the pointer */
    if (!s)
        fmu_stop(2, "memory is short");
    shared = (wr_fmi2_callbacks){log_2, calloc, free, NULL, f->call};
    session_calls++;
    if (f->table.version == 2 && f->call->f2Instantiate)
        s->c =
            f->call->f2Instantiate(name, WR_FMI2_CS, f->table.token, f->resources, &shared, 0, 1);
    else if (f->call->f3InstantiateCoSimulation)
        s->c = f->call->f3InstantiateCoSimulation(name, f->table.token, f->resources, false, true,
                                                  false, true, NULL, 0, f->call, log_3, NULL);
    if (!s->c)
        fmu_stop(1, "the FMU makes no instance: %s", f->call->last);
    s->fmu = f;
    s->phase = PHASE_INSTANTIATED;
    s->stop_s = INFINITY;
    s->restore_s = -INFINITY;
    return s;
}

void session_free(session **s)
{
    allow(*s, "FreeInstance", PHASE_ALL);
    if ((*s)->n_state > 0)
        fmu_stop(3, "FreeInstance is not allowed before %d saved states are freed", (*s)->n_state);
    session_calls++;
    if (IS_2(*s))
        (*s)->fmu->call->f2FreeInstance((*s)->c);
    else
        (*s)->fmu->call->f3FreeInstance((*s)->c);
    free(*s);
    *s = NULL;
}

void session_enter(session *s, double start_s, double stop_s)
{
    allow(s, "EnterInitializationMode", PHASE_INSTANTIATED);
    const bool has_stop = isfinite(stop_s);
    if (has_stop && !(stop_s > start_s))
        fmu_stop(3, "the stop time is not allowed to be at or before the start time");
    if (IS_2(s)) {
        CALL2(s, SetupExperiment, s->c, 0, 0, start_s, has_stop, has_stop ? stop_s : 0);
        CALL2(s, EnterInitializationMode, s->c);
    } else {
        CALL3(s, EnterInitializationMode, s->c, false, 0, start_s, has_stop, has_stop ? stop_s : 0);
    }
    s->phase = PHASE_INITIALISING;
    s->t_s = start_s;
    s->stop_s = stop_s;
    s->restore_s = -INFINITY;
    s->is_stale = s->must_stop = false;
}

void session_exit(session *s)
{
    allow(s, "ExitInitializationMode", PHASE_INITIALISING);
    CALL(s, ExitInitializationMode, s->c);
    s->phase = PHASE_STEPPING;
    s->is_stale = false;
}

void session_terminate(session *s)
{
    allow(s, "Terminate", PHASE_STEPPING | PHASE_STEP_FAILED);
    CALL(s, Terminate, s->c);
    s->phase = PHASE_TERMINATED;
}

void session_reset(session *s)
{
    allow(s, "Reset", PHASE_ALL);
    CALL(s, Reset, s->c);
    s->phase = PHASE_INSTANTIATED;
    s->is_stale = s->must_stop = false;
    s->stop_s = INFINITY;
    s->restore_s = -INFINITY;
}

/* ---- steps ---- */

static bool is_near(double a_s, double b_s)
{
    return fabs(a_s - b_s) <= RELATIVE_TIME_ERROR * fmax(1, fmax(fabs(a_s), fabs(b_s)));
}

/* Takes the result of fmi2DoStep. */
static bool end_step_2(session *s, double h_s, int status)
{
    if (status != DISCARD) {
        need(s, "fmi2DoStep", status);
        s->t_s += h_s;
        return true;
    }
    double reached_s = s->t_s;
    wr_fmi2_bool has_ended = 0;
    s->phase = PHASE_STEP_FAILED;
    CALL2(s, GetRealStatus, s->c, WR_FMI2_LAST_TIME, &reached_s);
    CALL2(s, GetBooleanStatus, s->c, WR_FMI2_TERMINATED, &has_ended);
    s->must_stop = has_ended != 0;
    if (reached_s < s->t_s && !is_near(reached_s, s->t_s))
        fmu_stop(1, "after a discarded step from %.17g s the last time is %.17g s", s->t_s,
                 reached_s);
    s->t_s = reached_s;
    return false;
}

static bool step_3(session *s, double h_s, bool is_final)
{
    bool is_event = false, has_ended = false, is_early = false;
    double reached_s = NAN;
    if (!s->fmu->call->f3DoStep)
        fmu_stop(1, "the binary lacks fmi3DoStep");
    const int status = (int)s->fmu->call->f3DoStep(s->c, s->t_s, h_s, is_final, &is_event,
                                                   &has_ended, &is_early, &reached_s);
    if (status == DISCARD) { /* the FMU has the state from before the call */
        session_calls++;
        return false;
    }
    need(s, "fmi3DoStep", status);
    if (is_event)
        fmu_stop(1, "fmi3DoStep requires event mode, which is not in use");
    if (!(reached_s >= s->t_s) || (!is_early && !is_near(reached_s, s->t_s + h_s)))
        fmu_stop(1, "fmi3DoStep to %.17g s reached %.17g s", s->t_s + h_s, reached_s);
    s->t_s = is_early ? reached_s : s->t_s + h_s;
    s->must_stop = has_ended;
    return !is_early;
}

bool session_step(session *s, double h_s, bool is_final)
{
    allow(s, "DoStep", PHASE_STEPPING);
    if (!(h_s > 0))
        fmu_stop(3, "DoStep is not allowed with the step %g s", h_s);
    if (s->must_stop)
        fmu_stop(3, "DoStep is not allowed after the FMU has asked for the end");
    if (s->t_s + h_s > s->stop_s && !is_near(s->t_s + h_s, s->stop_s))
        fmu_stop(3, "DoStep is not allowed beyond the stop time %.17g s", s->stop_s);
    s->is_stale = false;
    if (is_final)
        s->restore_s = s->t_s;
    if (!IS_2(s))
        return step_3(s, h_s, is_final);
    if (!s->fmu->call->f2DoStep)
        fmu_stop(1, "the binary lacks fmi2DoStep");
    return end_step_2(s, h_s, (int)s->fmu->call->f2DoStep(s->c, s->t_s, h_s, is_final));
}

/* ---- values ---- */

bool session_can_set(const session *s, const fmu_variable *v)
{
    const bool is_input = v->causality == FMU_INPUT;
    if (v->kind == FMU_OTHER || v->is_constant || v->causality == FMU_INDEPENDENT)
        return false;
    switch (s->phase) {
    case PHASE_INSTANTIATED: /* inputs have no attribute initial in FMI 2.0 */
        return IS_2(s) && is_input ? false : v->initial == FMU_EXACT || v->initial == FMU_APPROX;
    case PHASE_INITIALISING:
        return is_input || v->initial == FMU_EXACT;
    case PHASE_STEPPING:
        return is_input || (v->causality == FMU_PARAMETER && v->is_tunable);
    default:
        return false;
    }
}

bool session_can_get(const session *s, const fmu_variable *v)
{
    if (v->kind == FMU_OTHER || s->is_stale)
        return false;
    if (s->phase == PHASE_INSTANTIATED)
        return !IS_2(s);
    if (s->phase == PHASE_INITIALISING && IS_2(s))
        return v->causality == FMU_OUTPUT || v->is_initial_unknown;
    return true;
}

static void allow_value(const session *s, const char *verb, const fmu_variable *v, bool is_allowed)
{
    if (!is_allowed)
        fmu_stop(3, "%s of the variable \"%s\" is not allowed for an instance that is %s%s", verb,
                 v->name, name_of(s->phase),
                 s->is_stale ? " and has new values without a step" : "");
    if (v->n > MAX_ELEMENTS)
        fmu_stop(2, "the variable \"%s\" has more than %d elements", v->name, MAX_ELEMENTS);
}

void session_set(session *s, const fmu_variable *v, const double *value)
{
    allow_value(s, "Set", v, session_can_set(s, v));
    if (IS_2(s) && v->kind == FMU_Float64) {
        CALL2(s, SetReal, s->c, &v->number, 1, value);
    } else if (IS_2(s)) {
        const int whole = (int)*value;
        if (v->kind == FMU_Boolean)
            CALL2(s, SetBoolean, s->c, &v->number, 1, &whole);
        else
            CALL2(s, SetInteger, s->c, &v->number, 1, &whole);
    } else {
        switch (v->kind) {
#define X(name, ctype)                                                                             \
    case FMU_##name: {                                                                             \
        ctype block[MAX_ELEMENTS];                                                                 \
        for (size_t i = 0; i < v->n; i++)                                                          \
            block[i] = (ctype)value[i];                                                            \
        CALL3(s, Set##name, s->c, &v->number, 1, block, v->n);                                     \
        break;                                                                                     \
    }
            FMU_KINDS(X)
#undef X
        default:
            break;
        }
    }
    s->is_stale = s->phase == PHASE_STEPPING;
}

/* Takes the status of fmi3Get. An FMU may discard the call for a variable without a start value before the initialisation. */
static bool has_value(const session *s, const fmu_variable *v, int status)
{
    const bool has_start = v->initial == FMU_EXACT || v->initial == FMU_APPROX;
    const bool is_discarded = status == DISCARD && s->phase == PHASE_INSTANTIATED && !has_start;
    need(s, "fmi3Get", is_discarded ? OK : status);
    return !is_discarded;
}

void session_get(session *s, const fmu_variable *v, double *value)
{
    allow_value(s, "Get", v, session_can_get(s, v));
    if (IS_2(s) && v->kind == FMU_Float64) {
        CALL2(s, GetReal, s->c, &v->number, 1, value);
    } else if (IS_2(s)) {
        int whole = 0;
        if (v->kind == FMU_Boolean)
            CALL2(s, GetBoolean, s->c, &v->number, 1, &whole);
        else
            CALL2(s, GetInteger, s->c, &v->number, 1, &whole);
        *value = whole;
    } else {
        switch (v->kind) {
#define X(name, ctype)                                                                             \
    case FMU_##name: {                                                                             \
        ctype block[MAX_ELEMENTS] = {0};                                                           \
        if (!s->fmu->call->f3Get##name)                                                            \
            fmu_stop(1, "the binary lacks fmi3Get%s", #name);                                      \
        if (!has_value(s, v, (int)s->fmu->call->f3Get##name(s->c, &v->number, 1, block, v->n)))    \
            break;                                                                                 \
        for (size_t i = 0; i < v->n; i++)                                                          \
            value[i] = (double)block[i];                                                           \
        break;                                                                                     \
    }
            FMU_KINDS(X)
#undef X
        default:
            break;
        }
    }
    if (v->causality == FMU_INDEPENDENT && s->phase != PHASE_INSTANTIATED &&
        !is_near(*value, s->t_s))
        fmu_stop(1, "the variable \"%s\" is %.17g s at t = %.17g s", v->name, *value, s->t_s);
}

void session_set_slope(session *s, const fmu_variable *v, double slope)
{
    allow(s, "SetRealInputDerivatives", PHASE_INSTANTIATED | PHASE_INITIALISING | PHASE_STEPPING);
    if (!IS_2(s) || !s->fmu->table.can_interpolate || v->causality != FMU_INPUT ||
        v->kind != FMU_Float64)
        fmu_stop(3, "SetRealInputDerivatives of \"%s\" is not allowed", v->name);
    const int order = 1;
    CALL2(s, SetRealInputDerivatives, s->c, &v->number, 1, &order, &slope);
    s->is_stale = s->phase == PHASE_STEPPING;
}

/* ---- states ---- */

static void allow_state(const session *s, const char *function, int phases)
{
    allow(s, function, phases);
    if (!s->fmu->table.can_save)
        fmu_stop(3, "%s is not allowed, because the FMU keeps no states", function);
}

void session_save(session *s, session_state *to)
{
    allow_state(s, "GetFMUState", PHASE_ALL & ~PHASE_STEP_FAILED);
    s->n_state += !to->state;
    if (IS_2(s))
        CALL2(s, GetFMUstate, s->c, &to->state);
    else
        CALL3(s, GetFMUState, s->c, &to->state);
    if (!to->state)
        fmu_stop(1, "GetFMUState returned no state");
    to->at = *s;
}

bool session_can_restore(const session *s, const session_state *from)
{
    return from->state && !(from->at.t_s < s->restore_s);
}

void session_restore(session *s, const session_state *from)
{
    allow_state(s, "SetFMUState", PHASE_ALL);
    if (!session_can_restore(s, from))
        fmu_stop(3, "SetFMUState is not allowed with a freed state, or before the announced time");
    if (IS_2(s))
        CALL2(s, SetFMUstate, s->c, from->state);
    else
        CALL3(s, SetFMUState, s->c, from->state);
    const session now = *s;
    *s = from->at;
    s->c = now.c;
    s->n_state = now.n_state;
    s->restore_s = now.restore_s;
}

void session_forget(session *s, session_state *state)
{
    allow_state(s, "FreeFMUState", PHASE_ALL);
    s->n_state -= state->state != NULL;
    if (IS_2(s))
        CALL2(s, FreeFMUstate, s->c, &state->state);
    else
        CALL3(s, FreeFMUState, s->c, &state->state);
    if (state->state)
        fmu_stop(1, "FreeFMUState left a pointer to the freed state");
}

static void allow_serialise(const session *s, const char *function)
{
    allow_state(s, function, PHASE_ALL);
    if (!s->fmu->table.can_serialise)
        fmu_stop(3, "%s is not allowed, because the FMU does not serialise states", function);
}

unsigned char *session_serialise(session *s, const session_state *from, size_t *ret_bytes)
{
    allow_serialise(s, "SerializeFMUState");
    if (!from->state)
        fmu_stop(3, "SerializeFMUState is not allowed without a state");
    size_t bytes = 0;
    if (IS_2(s))
        CALL2(s, SerializedFMUstateSize, s->c, from->state, &bytes);
    else
        CALL3(s, SerializedFMUStateSize, s->c, from->state, &bytes);
    unsigned char *const to = malloc(bytes + 1);
    if (!to || bytes == 0)
        fmu_stop(1, "a serialised state has %zu bytes", bytes);
    if (IS_2(s))
        CALL2(s, SerializeFMUstate, s->c, from->state, (char *)to, bytes);
    else
        CALL3(s, SerializeFMUState, s->c, from->state, to, bytes);
    *ret_bytes = bytes;
    return to;
}

void session_deserialise(session *s, const unsigned char *from, size_t bytes, const session *at,
                         session_state *to)
{
    allow_serialise(s, "DeserializeFMUState");
    to->state = NULL;
    if (IS_2(s))
        CALL2(s, DeSerializeFMUstate, s->c, (const char *)from, bytes, &to->state);
    else
        CALL3(s, DeserializeFMUState, s->c, from, bytes, &to->state);
    if (!to->state)
        fmu_stop(1, "DeserializeFMUState returned no state");
    s->n_state++;
    to->at = *at;
}
