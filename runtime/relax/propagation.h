/* Propagates the error of one subsystem through its linearisation.
 *
 * If the inputs of a subsystem x' = f(x, u), y = h(x, u) have errors e_u, its states and outputs have the errors
 *
 *     E' = (df/dx) E + (df/du) e_u + s,   E_y = (dh/dx) E + (dh/du) e_u
 *
 * (Hairer, Norsett, Wanner, "Solving ODEs I", 1993, I.10 and II.3), where s are errors from other sources. The owner supplies the errors
 * of the inputs. splitting_error.h propagates the windows of all subsystems together, slack/delay_error.h the periods of one subsystem.
 *
 *   - J contains all derivatives by x and u. Differences measure columns of J, and the derivative along the error. A two-stage method that
 *     is stable for stiff J integrates E: SDIRK of order 2 (Alexander, "Diagonally implicit Runge-Kutta methods for stiff O.D.E.'s", SIAM
 *     J. Numer. Anal. 14, 1977). If J has many states or entries, the method uses the diagonal of J only.
 *   - The owner may supply the errors of discrete states (event_error.h), which are constant between events. Otherwise a discrete state
 *     that an event sets gets the largest relative error of inputs and states.
 *   - No error exceeds the range of its variable.
 *
 * The subsystem is at the end of the time span. The functions do not change the subsystem's inputs.
 *
 * Order of variables: states, published outputs, inputs.
 *
 * Thread: one at a time, as the subsystem. Real-time: yes after placing. */
#ifndef WR_PROPAGATION_H
#define WR_PROPAGATION_H

#include "subsystems/subsystem.h"

typedef struct wr_propagation wr_propagation;

/* Returns the size of the work space that an object needs, in doubles. */
int wr_propagation_n_work(const wr_subsystem *subsystem);

/* Places an object whose errors are 0. work: space for wr_propagation_n_work() doubles, which objects of one thread may share; NULL: the
 * object places its own. Returns NULL when the arena is exhausted. The subsystem outlives the object. */
wr_propagation *wr_propagation_place(wr_arena *arena, wr_subsystem *subsystem, double *work);

/* Places memory for the derivatives along errors of discrete states. Returns 0, or -1 when the arena is exhausted. */
int wr_propagation_place_discrete(wr_propagation *carry, wr_arena *arena);

/* Sets discrete[n_d]: errors of discrete states, which the caller owns and updates; NULL: not known. */
void wr_propagation_set_discrete(wr_propagation *carry, const double *discrete);

/* Measures the derivatives along errors of discrete states at the present point. Returns 1; or 0 if all these errors are 0. */
int wr_propagation_feel_discrete(wr_propagation *carry);

/* Groups columns of J that one difference can measure. Returns 0, or -1 when the arena is exhausted. */
int wr_propagation_place_colours(wr_propagation *carry, wr_arena *arena);

/* Returns the present errors of states [n_x] and of published outputs [n_published], in the variables' units. The owner may add to the
 * errors of states. */
double *wr_propagation_error(const wr_propagation *carry);
const double *wr_propagation_output(const wr_propagation *carry);

/* Returns the cost of one propagation, in right-hand sides, without the columns that wr_propagation_measure() counts. */
double wr_propagation_cost(const wr_propagation *carry);

/* ---- ranges ---- */

/* Widens the ranges by the present values and the values at the end of the wave. */
void wr_propagation_note_ranges(wr_propagation *carry, const wr_wave *wave);
/* Returns the range of variable i, at least the absolute tolerance. If the range is noise, returns the largest size of the variable; if the
 * range is not known, 0. */
double wr_propagation_range(const wr_propagation *carry, int i);
/* Returns the error as a share of a range, at most 1. */
static inline double wr_propagation_relative(double error, double range)
{
    return range > 0.0 ? wr_min(fabs(error) / range, 1.0) : 0.0;
}
/* Returns the range of variable i, or 1 if the range is not known, as a unit for comparisons of variables. i counts states, then inputs. */
double wr_propagation_size(const wr_propagation *carry, int i);
/* Returns the largest error of all states and outputs, relative to the range of each, at most 1. */
double wr_propagation_largest(const wr_propagation *carry);

/* ---- propagation, in this order ---- */

/* Measures columns of J: all in the first call, then one column per call. With is_seldom only one call in four measures a column. Returns
 * the number of columns, 0 in the first call. */
int wr_propagation_measure(wr_propagation *carry, int is_seldom);

/* Measures all columns, one difference for columns that share no row (Curtis, Powell, Reid, "On the estimation of sparse Jacobian
 * matrices", J. Inst. Math. Appl. 13, 1974). Requires wr_propagation_place_colours(). Returns the number of differences. If only the
 * diagonal of J is stored, calls wr_propagation_measure(). */
int wr_propagation_measure_all(wr_propagation *carry);

/* Returns 1 if a step with these arguments of wr_propagation_begin() and wr_propagation_on() leaves all errors 0. The result is 1 if the
 * errors, their sources and the errors of discrete states are 0, and J is finite. Unknown errors of discrete states do not count as 0. */
int wr_propagation_is_zero(const wr_propagation *carry, const double *input,
                           const double *mean_more, const double *end_more, const double *source);

/* Begins a step of h seconds from the present errors. input[n_external]: errors of inputs at the beginning;
 * mean_more[n_external]: additional errors of inputs, as means over h. */
void wr_propagation_begin(wr_propagation *carry, double h, const double *input,
                          const double *mean_more);

/* Finds the errors at the end of the step. input[n_external]: errors of inputs at the end, interpolated from the beginning;
 * end_more[n_external]: additional errors at the end; source[n_x]: errors from other sources over h, or NULL. The caller may repeat the
 * call with other errors of inputs. Returns the largest change of an output's error, relative to the output's range. */
double wr_propagation_on(wr_propagation *carry, double h, const double *input,
                         const double *end_more, const double *source);

/* Limits the relative errors of states to `before` plus the errors that inputs add, because J is no measure of growth over a long step.
 * Does nothing if only the diagonal of J is stored. Requires wr_propagation_on() with the same h and input. */
void wr_propagation_limit(wr_propagation *carry, double h, const double *input, double before);

/* Returns the largest relative error at the end of a step that begins without errors of states and inputs. Only mean_more, end_more,
 * `source` and the errors of discrete states act. If only the diagonal of J is stored, present errors count, too. Changes no errors.
 * Requires wr_propagation_begin(). */
double wr_propagation_response(wr_propagation *carry, double h, const double *end_more,
                               const double *source);

/* ---- if the owner propagates the errors of states ---- */

/* Returns 1 if the owner must measure J for steps up to h seconds; 0 if the last measured J is far from stiff over h. */
int wr_propagation_needs_rates(const wr_propagation *carry, double h);
/* Factors (1 - g h J), g = 1 - sqrt(1/2), with the last measured J. If the factorisation fails, the function uses the diagonal of J. If J
 * is not stiff over h, J counts as 0. */
void wr_propagation_factor(wr_propagation *carry, double h);
/* Solves with the matrix of wr_propagation_factor(), in place, value[n_x]. */
void wr_propagation_solve(wr_propagation *carry, double *value);
/* Limits error[n_x] to the ranges of the states. */
void wr_propagation_limit_states(const wr_propagation *carry, double *error);
/* Sets the errors of published outputs, within their ranges, to output[n_published], after the owner has propagated the errors of
 * states. Returns 0. If output is NULL, the function computes these errors with the input errors input[n_external]. The function then
 * returns the largest change of an output's error, relative to the output's range. */
double wr_propagation_show(wr_propagation *carry, const double *input, const double *output);

/* Multiplies all errors by factor. */
void wr_propagation_scale(wr_propagation *carry, double factor);

/* Returns the largest effect on a state, in the state's ranges per second, of an input error as large as the input's range. Returns 1
 * without states, or if only the diagonal of J is stored. */
double wr_propagation_weight(const wr_propagation *carry, int i_external);

/* Visits the state (base/state_io.h). */
void wr_propagation_state(wr_propagation *carry, wr_state_io *io);

#endif
