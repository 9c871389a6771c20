/* Carry: the error of one subsystem, carried on through its linearisation.
 *
 * A subsystem x' = f(x, u), y = h(x, u) whose inputs err by e_u errs by
 *
 *     E' = (df/dx) E + (df/du) e_u + s,   E_y = (dh/dx) E + (dh/du) e_u
 *
 * (Hairer, Norsett, Wanner, "Solving ODEs I", 2nd ed., I.10 and II.3), where s is what else comes in. Whoever has one
 * says what inputs err by; who carries windows of all subsystems on together is account.h, who carries periods of one on its
 * own is slack/delay_error.h.
 *
 *   - J, all derivatives by x and u, is measured by differences: its columns in turn, and the derivative along the
 *     error itself each time. E is carried on by a two-stage method that is
 *     stable where J is stiff (Alexander, SIAM J. Numer. Anal. 14, 1977: SDIRK of order 2); where there are
 *     many states, with the diagonal of J only.
 *   - discrete states keep their errors between events. The owner finds these errors (event_error.h). Without them a discrete value
 *     that an event sets takes the largest relative error of the inputs.
 *   - no error is larger than the range of what errs.
 *
 * The subsystem stands at the end of what is carried over. Nothing that it reads is changed.
 *
 * Order of variables: states, published outputs, inputs.
 *
 * Thread: one at a time, as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_CARRY_H
#define WR_CARRY_H

#include "subsystems/subsystem.h"

typedef struct wr_carry wr_carry;

/* Places one that has no error. NULL when the arena is exhausted. The subsystem outlives it. */
wr_carry *wr_carry_place(wr_arena *arena, wr_subsystem *subsystem);

/* Room for the derivatives along errors of discrete states. 0, or -1 when the arena is exhausted. */
int wr_carry_place_discrete(wr_carry *carry, wr_arena *arena);

/* discrete[n_d]: errors of discrete states, read from now on. They are constant between events and
 * act on states and outputs. NULL: they are not known, and a discrete value that changes takes the
 * largest relative error of the inputs. The caller keeps the array. */
void wr_carry_set_discrete(wr_carry *carry, const double *discrete);

/* Measures these derivatives at the subsystem's present point. Returns the number of right-hand
 * sides: 0 without errors. */
int wr_carry_feel_discrete(wr_carry *carry);

/* Which columns of J are measured together. 0, or -1 when the arena is exhausted. */
int wr_carry_place_colours(wr_carry *carry, wr_arena *arena);

/* Errors by now, in the variables' units: [n_x] of states and [n_published]. Whoever has it may add to those of states. */
double *wr_carry_error(const wr_carry *carry);
const double *wr_carry_output(const wr_carry *carry);

/* Right-hand sides that carrying on takes about as long as; columns are counted by wr_carry_measure(). */
double wr_carry_cost(const wr_carry *carry);

/* ---- ranges ---- */

/* The present values, and those at the end of the wave, widen ranges. */
void wr_carry_note_ranges(wr_carry *carry, const wr_wave *wave);
/* Of variable i: the largest value where the range is noise, and no less than the absolute tolerance; 0 if none is known. */
double wr_carry_range(const wr_carry *carry, int i);
/* The error as a share of a range, at most 1. */
static inline double wr_carry_relative(double error, double range)
{
    return range > 0.0 ? wr_min(fabs(error) / range, 1.0) : 0.0;
}
/* What the variables are measured in where they are compared with one another; i: states, then inputs. */
double wr_carry_size(const wr_carry *carry, int i);
/* The largest error of all, relative to its range. */
double wr_carry_largest(const wr_carry *carry);

/* ---- carrying on, in this order ---- */

/* Columns of J: all at first, then one at a time, seldom where time is short. Returns how many; those of the first time, which
 * are many, do not count. */
int wr_carry_measure(wr_carry *carry, int is_seldom);

/* The same for all columns at once, those that share no row together (Curtis, Powell, Reid, J. Inst. Math. Appl. 13, 1974),
 * after wr_carry_place_colours(). */
int wr_carry_measure_all(wr_carry *carry);

/* Begins from where errors are, over h seconds. input[n_external]: errors of inputs at the beginning, mean_more[n_external]:
 * by how much more they err in the mean over h. */
void wr_carry_begin(wr_carry *carry, double h, const double *input, const double *mean_more);

/* Errors at the end: input[n_external], of inputs there, of which those of the beginning grow to these, and
 * end_more[n_external], by how much more they err there; source[n_x]: what else has come in over h, NULL: nothing. May be called again
 * with other errors of inputs. Returns the largest change of an output's error, relative to its range. */
double wr_carry_on(wr_carry *carry, double h, const double *input, const double *end_more,
                   const double *source);

/* After wr_carry_on() with the same h and input: errors of states are not larger, relative to their ranges, than `before` and
 * what has come in: over a time that is long for J it says nothing of growth. */
void wr_carry_limit(wr_carry *carry, double h, const double *input, double before);

/* Without any error at the beginning, with inputs that err by no more than mean_more and end_more: the largest error that
 * comes of it, relative. After wr_carry_begin(); errors stay as they are. */
double wr_carry_response(wr_carry *carry, double h, const double *end_more, const double *source);

/* ---- or by whoever carries states on himself ---- */

/* Is J, as last measured, needed at all where steps are h at most, or has it not been measured yet? Far from the limit no. */
int wr_carry_needs_rates(const wr_carry *carry, double h);
/* Prepares (1 - g h J), g = 1 - sqrt(1/2), of J as last measured; with the diagonal of J where it cannot be factored, and 1
 * where nothing is stiff over h. */
void wr_carry_factor(wr_carry *carry, double h);
/* Solves with it, in place, [n_x]. */
void wr_carry_solve(wr_carry *carry, double *value);
/* No error[n_x] of a state is larger than its range. */
void wr_carry_limit_states(const wr_carry *carry, double *error);
/* Errors of states are carried on, and inputs err by input[n_external] here: errors of what is published follow, or are
 * output[n_published], if given. Returns the largest change of an output's error, relative to its range. */
double wr_carry_show(wr_carry *carry, const double *input, const double *output);

/* Errors by that factor smaller. */
void wr_carry_scale(wr_carry *carry, double factor);

/* What an input that errs by its range does to a state, of the state's range and per second, at most. */
double wr_carry_weight(const wr_carry *carry, int i_external);

/* Passes over all that changes (base/state_io.h). */
void wr_carry_state(wr_carry *carry, wr_state_io *io);

#endif
