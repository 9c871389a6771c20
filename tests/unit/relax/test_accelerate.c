#include "wr_test.h"

#include "runtime/relax/accelerate.h"

/* A linear fixed point on waveforms: w = c + A w. A mixes two signals and has an eigenvalue of size above 1, so plain iteration
 * diverges. */
static const double A[2][2] = {{0.0, 1.5}, {1.0, 0.2}};

static void apply(const wr_wave *w, wr_wave *y)
{
    wr_wave_clear(y);
    for (int i = 0; i < w->n_node; i++) {
        const double t = w->t_s[i], *const v = w->value + 2 * i, *const s = w->slope + 2 * i;
        const double value[2] = {1 + t + A[0][0] * v[0] + A[0][1] * v[1],
                                 2 - t * t + A[1][0] * v[0] + A[1][1] * v[1]};
        const double slope[2] = {1 + A[0][0] * s[0] + A[0][1] * s[1],
                                 -2 * t + A[1][0] * s[0] + A[1][1] * s[1]};
        wr_wave_append(y, t, value, slope);
    }
}

/* Returns the largest residual after n_sweep sweeps, with Anderson's method or with plain iteration. */
static double residual_after(int is_accelerated, int n_sweep)
{
    wr_arena *arena = wr_arena_create(1 << 22);
    const int n_signal = 2;
    wr_accelerate *const a = wr_accelerate_place(arena, 1, &n_signal);
    wr_wave *const w = wr_wave_place(arena, 2, WR_ACCELERATE_GRID);
    wr_wave *const y = wr_wave_place(arena, 2, WR_ACCELERATE_GRID);
    const double zero[2] = {0, 0}, unit[2] = {1, 1}, *const scale = unit;
    for (int i = 0; i < WR_ACCELERATE_GRID; i++)
        wr_wave_append(w, (double)i / (WR_ACCELERATE_GRID - 1), zero, zero);
    wr_accelerate_reset(a);
    double residual = 0.0, error;
    for (int k = 0; k <= n_sweep; k++) {
        apply(w, y);
        residual = 0.0;
        for (int i = 0; i < 2 * WR_ACCELERATE_GRID; i++)
            residual = fmax(residual, fabs(y->value[i] - w->value[i]));
        const wr_wave *const before = w, *const now = y;
        if (is_accelerated)
            assert_int_equal(wr_accelerate_step(a, &before, &now, &scale, &w, 0.0, 0.0, &error),
                             WRSIM_OK);
        else
            assert_int_equal(wr_wave_copy(w, y), WRSIM_OK);
    }
    wr_arena_destroy(&arena);
    return residual;
}

TEST(anderson_solves_a_diverging_iteration)
{
    assert_true(residual_after(0, 20) > 1.0);
    assert_true(residual_after(1, 8) < 1e-9);
}

/* The wave before the sweep has a steep slope at a grid point, and at its nodes the values of the wave after the sweep. The guess has these
 * values without the steep slope. */
TEST(slopes_beside_kinks_make_no_bumps)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    const int n_signal = 1;
    wr_accelerate *const a = wr_accelerate_place(arena, 1, &n_signal);
    wr_wave *const w = wr_wave_place(arena, 1, WR_ACCELERATE_GRID);
    wr_wave *const y = wr_wave_place(arena, 1, WR_ACCELERATE_GRID);
    wr_wave *const next = wr_wave_place(arena, 1, WR_ACCELERATE_GRID);
    const double h = 1.0 / (WR_ACCELERATE_GRID - 1), zero = 0.0, steep = 100.0, unit = 1.0;
    const double used_s[] = {0.0, 9 * h, 10 * h, 11 * h, 1.0}, came_s[] = {0.0, 10.5 * h, 1.0};
    for (int i = 0; i < 5; i++)
        wr_wave_append(w, used_s[i], &zero, i == 2 ? &steep : &zero);
    for (int i = 0; i < 3; i++)
        wr_wave_append(y, came_s[i], &zero, &zero);
    const wr_wave *const before = w, *const now = y;
    const double *const scale = &unit;
    double error;
    wr_accelerate_reset(a);
    assert_int_equal(wr_accelerate_step(a, &before, &now, &scale, &next, 0.0, 0.0, &error),
                     WRSIM_OK);
    assert_int_equal(next->n_node, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(next->value[i]) < 1e-12);
        assert_true(fabs(next->slope[i]) < 1e-12);
    }
}

/* A jump beside a grid point moves between sweeps. Guesses exceed the values of the two waves by at most a tenth of the jump. */
TEST(jumps_that_move_make_no_spikes)
{
    const double aside[] = {1e-7, 1e-4, 1e-3}, zero = 0.0, one = 1.0, unit = 1.0;
    for (int i = 0; i < 3; i++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
        const int n_signal = 1;
        wr_accelerate *const a = wr_accelerate_place(arena, 1, &n_signal);
        wr_wave *const w = wr_wave_place(arena, 1, 600), *const y = wr_wave_place(arena, 1, 600);
        wr_wave *const next = wr_wave_place(arena, 1, 600);
        const double came_s = 0.5 - aside[i], used_s = came_s + 1e-2;
        const double start_s[] = {0.0, used_s, used_s, 1.0};
        for (int k = 0; k < 4; k++)
            wr_wave_append(w, start_s[k], k < 2 ? &zero : &one, &zero);
        wr_wave_append(y, 0.0, &zero, &zero);
        wr_wave_append(y, came_s, &zero, &zero);
        for (int k = 0; k < 400; k++)
            wr_wave_append(y, came_s + 5e-5 * k, &one, &zero);
        wr_wave_append(y, 1.0, &one, &zero);
        const wr_wave *const before = w, *const now = y;
        const double *const scale = &unit;
        double error;
        wr_accelerate_reset(a);
        for (int k = 0; k < 2; k++) /* the first call stores the number of jumps */
            wr_accelerate_step(a, &before, &now, &scale, &next, 0.0, 0.0, &error);
        assert_true(next->n_node == now->n_node);
        for (int k = 0; k < next->n_node; k++)
            assert_true(next->value[k] >= -0.1 && next->value[k] <= 1.1);
    }
}
