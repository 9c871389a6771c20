/* An instance of an FMU of co-simulation behind the state machine of its standard: FMI 2.0.5 section 4.2.4, FMI 3.0.2 sections 2.3 and 4.2.
 *
 * A function ends the program with status 3 if the standard does not allow the call in the present phase, and with status 1 if the FMU
 * fails where it must not, or violates the standard. Event mode and clocks of FMI 3.0 are not used. Thread: one owner. */
#ifndef WR_TEST_FMU_SESSION_H
#define WR_TEST_FMU_SESSION_H

#include "fmu_table.h"

/* Phases, as bits. */
enum {
    PHASE_INSTANTIATED = 1 << 0,
    PHASE_INITIALISING = 1 << 1,
    PHASE_STEPPING = 1 << 2,
    PHASE_STEP_FAILED = 1 << 3, /* FMI 2.0: a step has returned discard */
    PHASE_TERMINATED = 1 << 4,
    PHASE_ALL = (1 << 5) - 1
};

typedef struct fmu {
    fmu_table table;
    void *library;
    char *resources; /* argument of instantiation; NULL: the FMU has none */
    struct fmu_functions *call;
} fmu;

/* Loads the FMU of an unpacked folder. */
void fmu_open(fmu *f, const char *folder);
void fmu_close(fmu *f);

typedef struct session {
    const fmu *fmu;
    void *c;
    int phase;
    bool is_stale;      /* values are set, and no step has followed */
    bool must_stop;     /* the FMU requests the end of the simulation */
    double t_s, stop_s; /* stop_s INFINITY: none */
    double restore_s;   /* states before this time must not be restored */
    int n_state;        /* saved states */
} session;

/* A state that the FMU keeps, and the members of the session that belong to it. */
typedef struct session_state {
    void *state;
    session at;
} session_state;

extern long session_calls; /* number of calls of FMUs */

session *session_open(const fmu *f, const char *name);
void session_free(session **s);
/* stop_s: INFINITY for none */
void session_enter(session *s, double start_s, double stop_s);
void session_exit(session *s);
/* A step to t + h. Returns false if the FMU has discarded the step or has ended earlier; s->t_s is the reached time. is_final: no state
 * before the present time will be restored. */
bool session_step(session *s, double h_s, bool is_final);
void session_terminate(session *s);
void session_reset(session *s);
/* Whether the standard allows the call for this variable in the present phase. */
bool session_can_set(const session *s, const fmu_variable *v);
bool session_can_get(const session *s, const fmu_variable *v);
/* value: v->n values. Values of integers are whole. */
void session_set(session *s, const fmu_variable *v, const double *value);
/* Leaves value as it is if an FMU of FMI 3.0 has no value before the initialisation. */
void session_get(session *s, const fmu_variable *v, double *value);
/* Sets the first derivative of a real input for the next step (FMI 2.0). */
void session_set_slope(session *s, const fmu_variable *v, double slope);
/* to->state: NULL, or a state of this session, which is overwritten. */
void session_save(session *s, session_state *to);
bool session_can_restore(const session *s, const session_state *from);
void session_restore(session *s, const session_state *from);
void session_forget(session *s, session_state *state);
/* Returns bytes from malloc. */
unsigned char *session_serialise(session *s, const session_state *from, size_t *ret_bytes);
void session_deserialise(session *s, const unsigned char *from, size_t bytes, const session *at,
                         session_state *to);
/* Makes a call that the standard forbids in the present phase (fmu_refusal.c). choice: any number. Returns the name of the function if the
 * FMU does not refuse the call; else NULL. The standard then allows SetFMUState, Reset and FreeInstance only. */
const char *session_find_unrefused(session *s, size_t choice);
/* As session_find_unrefused(), with a state that has been freed. */
const char *session_find_unrefused_state(session *s);
/* Frees the instance before its saved states, and then one of the states (NULL: none), which the standard forbids. Returns whether the FMU
 * refuses to free the state. */
bool session_free_early(session **s, void *state);

#endif
