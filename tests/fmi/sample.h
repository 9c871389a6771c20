/* A sample FMU: a model with values by value reference, and the same functions for FMI 2.0 and 3.0 (sample_fmi2.c, sample_fmi3.c).
 *
 * Value references: state i is i, its derivative is 10 + i, and the other variables begin at 20. A model (one file of this folder) defines
 * the functions sample_*.
 */
#ifndef WR_SAMPLE_H
#define WR_SAMPLE_H

enum { SAMPLE_VALUES = 40, SAMPLE_DERIVATIVE = 10 };

typedef struct sample {
    double t_s, value[SAMPLE_VALUES];
    double slope[SAMPLE_VALUES]; /* derivatives of inputs */
    double next_s;               /* next time event; INFINITY: none */
    int n_iteration;             /* iterations of the present event */
    int is_terminated, has_new_states, has_new_nominals;
    double early_s; /* a co-simulation step ends here; INFINITY: never */
} sample;

extern const int sample_n_state, sample_n_indicator;
void sample_start(sample *s);
/* Computes derivatives and outputs. Returns 0, or a status of FMI. */
int sample_compute(sample *s);
void sample_indicators(const sample *s, double *z);
/* One iteration of an event. Returns 1 if a further iteration is needed. */
int sample_event(sample *s);
double sample_nominal(const sample *s, int i);
/* Number of elements of a variable. */
int sample_elements(unsigned number);

/* What the isolation cases do in a call; the other models do nothing. */
void sample_misbehave(const char *call);

/* A co-simulation step by classical Runge-Kutta steps (Hairer, Norsett, Wanner, Solving ODEs I, 1993, table II.1.2). */
int sample_step(sample *s, double h_s);

#endif
