/* Distance of two iterates of a waveform.
 *
 * Differences are in tolerance units, |y_k - y_{k-1}| / (rtol * max|y_k| + atol), with the largest |y_k| at a node. The comparison covers
 * the whole window: every node of both waves, and the middle of long intervals and of intervals after a jump (docs/METHODS.md, Distance of
 * waveforms). If the jumps of both waves match in number, time and at least one signal, the functions compare the intervals between jumps
 * one by one. The shift of a jump then counts as a time difference. A separate comparison covers the jumps at the window's end, after the
 * last left limit.
 *
 * Thread: the subsystem's worker. Real-time: yes after placing. */
#ifndef WR_WAVE_DISTANCE_H
#define WR_WAVE_DISTANCE_H

#include "subsystems/waves/wave.h"

/* Number of equal parts of the span, for the course of the differences (docs/lab/2026-11-28-repetitions.md). */
enum { WR_COURSE_PARTS = 16 };

/* Scales and work space for the waves of one subsystem. */
typedef struct wr_wave_distance {
    int n_signal;
    double rtol;
    double *atol;       /* [n_signal] */
    double jump_time_s; /* shift of a jump that counts as one tolerance unit */
    double threshold;   /* differences above the threshold end the converged prefix */
    double *delta;      /* [n_signal] result: largest difference, in tolerance units */
    /* [n_signal] result: delta in the signal's unit, with the sign of the difference at the end */
    double *moved;
    double delta_max; /* result: largest delta of all signals */
    double t_bad_s;   /* result: first time with a difference above the threshold; INFINITY: none */
    int is_end_new;   /* result: the jumps at the span's end have changed */
    double end_change; /* result: change of the values after these jumps, tolerance units */
    /* result: largest shift of a jump, in units of jump_time_s; INFINITY: jumps do not match */
    double jump_shift;
    int has_course; /* set by the caller: the comparison sets the course; else course is INFINITY */
    /* [WR_COURSE_PARTS] result: largest delta up to the end of a part of the span; delta_max if jumps do not match */
    double *course;
    /* Work space. */
    int i_part; /* present part */
    double start_s, part_s;
    double *weight, *per_weight; /* [n_signal] tolerance unit, and its reciprocal */
    double *y_now, *y_before;    /* [n_signal] */
} wr_wave_distance;

/* Places an object for n_signal signals. The caller fills the scales. delta, moved, weight and course are one array, followed by n_beside
 * doubles for the caller. Returns NULL when the arena is exhausted. */
wr_wave_distance *wr_wave_distance_place(wr_arena *arena, int n_signal, int n_beside);

/* Sets the tolerance units from a wave, and all differences to 0. Jumps at the wave's end count as changed (is_end_new). */
void wr_wave_distance_begin(wr_wave_distance *converge, const wr_wave *now);

/* Compares two waves over the span of `now`, and stores the results. */
void wr_wave_distance_compare(wr_wave_distance *converge, const wr_wave *now,
                              const wr_wave *before);

/* Visits jump_time_s, tolerance units, and all results except jump_shift and the course (base/state_io.h). */
void wr_wave_distance_state_io(wr_wave_distance *converge, wr_state_io *io);

/* Returns the largest |a_i - b_i| / (rtol * max(|a_i|, |b_i|) + atol_i). */
double wr_wave_distance_state(int n, const double *a, const double *b, double rtol,
                              const double *atol);

#endif
