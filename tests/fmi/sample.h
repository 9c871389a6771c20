/* A sample FMU: a model with values by value reference, and the same functions for FMI 2.0 and 3.0 (sample_fmi2.c, sample_fmi3.c).
 *
 * Value references: state i is i, its derivative is SAMPLE_DERIVATIVE + i, and the other variables begin at 2 SAMPLE_DERIVATIVE. A model
 * (one file of this folder) defines the functions sample_*. Larger models set SAMPLE_ROOM, the number of value references, and SAMPLE_OWN,
 * the number of own values.
 */
#ifndef WR_SAMPLE_H
#define WR_SAMPLE_H

#include <stddef.h>

#ifndef SAMPLE_ROOM
#define SAMPLE_ROOM 40
#endif
/* 1: if noSetFMUStatePriorToCurrentPoint is false, a co-simulation step begins at the start of the last step, as with newStep in FMI 1.0.
 * Kept states lack this start. */
#ifndef SAMPLE_NEW_STEP
#define SAMPLE_NEW_STEP 0
#endif
/* 1: the exit from initialisation mode prepares the solver of co-simulation. A state that is set earlier does not set the states. */
#ifndef SAMPLE_LATE_SOLVER
#define SAMPLE_LATE_SOLVER 0
#endif
#ifndef SAMPLE_OWN
#define SAMPLE_OWN 1
#endif
enum { SAMPLE_VALUES = SAMPLE_ROOM, SAMPLE_DERIVATIVE = SAMPLE_ROOM / 4 };

/* Parts of sample_compute(), as bits. */
enum { SAMPLE_RATES = 1 << 0, SAMPLE_OUTPUTS = 1 << 1, SAMPLE_ALL = SAMPLE_RATES | SAMPLE_OUTPUTS };
/* Values that delay.c stores. */
#ifdef SAMPLE_DELAY
enum { SAMPLE_PAST = 4096 };
#else
enum { SAMPLE_PAST = 1 };
#endif

/* Modes of the state machine of FMI 2.0 (sections 3.2.3 and 4.2.4) and 3.0 (sections 2.3, 3.2 and 4.2), as bits. */
enum {
    SAMPLE_INSTANTIATED = 1 << 0,
    SAMPLE_INITIALISATION = 1 << 1,
    SAMPLE_EVENT = 1 << 2,
    SAMPLE_CONTINUOUS = 1 << 3,
    SAMPLE_STEP = 1 << 4,
    SAMPLE_TERMINATED = 1 << 5,
    SAMPLE_FAILED = 1 << 6,
    SAMPLE_INITIALISED = SAMPLE_EVENT | SAMPLE_CONTINUOUS | SAMPLE_STEP,
    SAMPLE_READABLE = SAMPLE_INITIALISATION | SAMPLE_INITIALISED | SAMPLE_TERMINATED,
    SAMPLE_WRITABLE = SAMPLE_INSTANTIATED | SAMPLE_INITIALISATION | SAMPLE_INITIALISED
};

typedef struct sample {
    int mode;
    int is_set_up;  /* the start time is known */
    int is_settled; /* the event needs no further iteration */
    int is_stale;   /* co-simulation: values are set, and no step has followed */
    int is_due;     /* co-simulation: the last step asks for event mode */
    double t_s, value[SAMPLE_VALUES];
    double slope[SAMPLE_VALUES]; /* derivatives of inputs */
    double next_s;               /* next time event; INFINITY: none */
    int is_started;              /* 1: after the initialisation */
    int n_iteration;             /* iterations of the present event */
    int is_terminated, has_new_states, has_new_nominals;
    int is_fresh; /* the model's intermediate results belong to the present values */
    _Alignas(max_align_t) double own[SAMPLE_OWN];
    int n_past;
    double past[SAMPLE_PAST + 1][2]; /* times and values of an input at ends of steps */
    double early_s; /* a co-simulation step ends at this time; < 0: minus the longest step */
    double last[4]; /* states at the start of the last step, with SAMPLE_NEW_STEP */
} sample;

extern const int sample_n_state, sample_n_indicator;
void sample_start(sample *s);
/* Computes derivatives and outputs, at least the given parts. Returns 0, or a status of FMI. */
int sample_compute(sample *s, int parts);
void sample_indicators(sample *s, double *z);
/* Performs one iteration of an event. Returns 1 if a further iteration is needed, or -1 on an error. */
int sample_event(sample *s);
/* Returns the parts that a read of variables needs. */
static inline int sample_parts(const unsigned *number, size_t n)
{
    int parts = SAMPLE_OUTPUTS;
    for (size_t k = 0; k < n; k++)
        if (number[k] >= SAMPLE_DERIVATIVE && number[k] < 2 * SAMPLE_DERIVATIVE)
            parts = SAMPLE_ALL;
    return parts;
}
/* Stores values at the end of a step. The function of sample_step.c does nothing. */
void sample_complete(sample *s);
double sample_nominal(const sample *s, int i);
/* Returns the number of elements of a variable. With SAMPLE_SCALARS the model has no arrays. */
#ifdef SAMPLE_SCALARS
static inline int sample_elements(unsigned number) { return 1; }
#else
int sample_elements(unsigned number);
#endif

/* Misbehaves in a call of an isolation case. In the other models the function does nothing. */
void sample_misbehave(const char *call);

/* A text that is too long for the log of wrsim: a line feed, an invalid byte, and many u with diaeresis. */
enum { WR_SAMPLE_LONG = 1024 };
char *sample_long_text(char text[WR_SAMPLE_LONG]);
/* Copies a state to *state, which may be NULL; sets a state; frees a state. The functions count their calls (sample_states.c). */
void sample_keep(const sample *s, void **state);
void sample_go_back(sample *s, const void *state);
void sample_forget(void **state);

/* Begins a co-simulation step. is_new: noSetFMUStatePriorToCurrentPoint. */
void sample_begin_step(sample *s, int is_new);

/* Makes a co-simulation step by classical Runge-Kutta steps (Hairer, Norsett, Wanner, Solving ODEs I, 1993, table II.1.2). */
int sample_step(sample *s, double h_s);
/* Makes a step of h_s, or up to the first zero of an indicator. *ret_is_event: 1 at a zero. */
int sample_step_to_event(sample *s, double h_s, int *ret_is_event);

#endif
