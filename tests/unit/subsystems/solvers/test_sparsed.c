/* Partial Jacobians, and linearly implicit Euler with partial Jacobians and a mass matrix. The systems are f_i = sum_j a_ij sin(x_j + i) +
 * t over a random pattern, with the Jacobian a_ij cos(x_j + i). */
#include "wr_test.h"

#include "base/dense.h"
#include "subsystems/solvers/consistent.h"
#include "subsystems/solvers/integrator.h"

enum { MOST = 24 };

static uint64_t seed = 21;

static double draw(void) { return wr_random_share(&seed); }

typedef struct system_of {
    wr_arena *arena;
    int n;
    double a[MOST * MOST]; /* column by column */
    unsigned char full[MOST * MOST], kept[MOST * MOST];
    double nominal[MOST], factor[MOST];
    wr_equations ode;
    const wr_matrix *part;
} system_of;

static int rhs(void *self, double t_s, const double *x, double *ret_f)
{
    const system_of *const s = self;
    for (int i = 0; i < s->n; i++) {
        ret_f[i] = t_s;
        for (int j = 0; j < s->n; j++)
            ret_f[i] += s->a[j * s->n + i] * sin(x[j] + i);
    }
    return 0;
}

static double entry(const system_of *s, const double *x, int i, int j)
{
    return s->a[j * s->n + i] * cos(x[j] + i);
}

static int jacobian(void *self, double t_s, const double *x, double *ret_value)
{
    const system_of *const s = self;
    for (int j = 0, k = 0; j < s->n; j++)
        for (int i = 0; i < s->n; i++)
            if (s->full[j * s->n + i])
                ret_value[k++] = entry(s, x, i, j);
    return 0;
}

static int tangent(void *self, double t_s, const double *x, const double *change, double *ret_df)
{
    const system_of *const s = self;
    for (int i = 0; i < s->n; i++) {
        ret_df[i] = 0.0;
        for (int j = 0; j < s->n; j++)
            ret_df[i] += entry(s, x, i, j) * change[j];
    }
    return 0;
}

static void make(system_of *s, int n, double density, double kept_share)
{
    *s = (system_of){.arena = wr_arena_create(1 << 22), .n = n};
    for (int k = 0; k < n * n; k++) {
        s->full[k] = draw() < density || k % (n + 1) == 0;
        s->kept[k] = s->full[k] && (draw() < kept_share || k % (n + 1) == 0);
        s->a[k] = s->full[k] ? 2.0 * draw() - 1.0 - 2.0 * n * (k % (n + 1) == 0) : 0.0;
    }
    for (int i = 0; i < n; i++)
        s->nominal[i] = s->factor[i] = 1.0;
    s->ode = (wr_equations){.n_x = n,
                            .self = s,
                            .rhs = rhs,
                            .pattern = wr_sparsity_place(s->arena, n, n, s->full),
                            .nominal = s->nominal,
                            .tolerance_factor = s->factor};
    s->part = wr_sparsity_place(s->arena, n, n, s->kept);
}

static void draw_x(const system_of *s, double *ret_x)
{
    for (int i = 0; i < s->n; i++)
        ret_x[i] = 2.0 * draw() - 1.0;
}

/* All kept entries equal the Jacobian's: by differences, directional derivatives and the ODE's own Jacobian. */
TEST(parts_are_exact)
{
    for (int round = 0; round < 300; round++) {
        system_of s;
        make(&s, 2 + round % (MOST - 1), 0.05 + 0.4 * draw(), draw());
        s.ode.tangent = round % 3 == 1 ? tangent : NULL;
        s.ode.jacobian = round % 3 == 2 ? jacobian : NULL;
        wr_jac_color *const jac = wr_jac_color_place_part(s.arena, &s.ode, s.part);
        assert_non_null(jac);
        wr_integ_stats stats = {0};
        double x[MOST], f[MOST], value[MOST * MOST];
        draw_x(&s, x);
        rhs(&s, 0.5, x, f);
        assert_int_equal(wr_jac_color_eval(jac, &stats, 0.5, x, f, value), 0);
        assert_int_equal(stats.n_rhs, s.ode.jacobian ? 0 : jac->n_colour);
        for (int j = 0; j < s.n; j++)
            for (int k = s.part->start[j]; k < s.part->start[j + 1]; k++)
                /* Differences: eps |f| over an increment of at least 1e-10; dropped entries add an error of the size of an entry. */
                assert_close(value[k], entry(&s, x, s.part->row[k], j), round % 3 ? 1e-14 : 0.0,
                             round % 3 ? 1e-14 : 1e-3);
        wr_arena_destroy(&s.arena);
    }
}

TEST(no_part_is_refused)
{
    system_of s;
    make(&s, 4, 0.0, 1.0);
    unsigned char other[16] = {[1] = 1};
    assert_null(wr_jac_color_place_part(s.arena, &s.ode, wr_sparsity_place(s.arena, 4, 4, other)));
    wr_arena_destroy(&s.arena);
}

/* Returns a random L of a block of the states; most draws are singular. */
static const wr_mass *draw_mass(system_of *s, double *ret_dense)
{
    double block[MOST * MOST] = {0.0};
    const int first = s->n / 3, n = s->n - first, rank = (int)(draw() * (n + 1));
    memset(ret_dense, 0, (size_t)(s->n * s->n) * sizeof *ret_dense);
    for (int k = 0; k < rank; k++) {
        double left[MOST], right[MOST];
        for (int i = 0; i < n; i++) {
            left[i] = draw() < 0.4 || i == k ? 1.0 + draw() : 0.0;
            right[i] = draw() < 0.4 || i == k ? 1.0 + draw() : 0.0;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                block[i * n + j] += left[i] * right[j];
    }
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            ret_dense[j * s->n + i] =
                i < first || j < first ? i == j : block[(i - first) * n + j - first];
    const wr_mass_block one = {.first = first, .n = n, .entry = block};
    const wr_mass *const mass = wr_mass_place(s->arena, s->n, &one, 1);
    assert_non_null(mass);
    assert_int_equal(mass->n_algebraic, n - rank);
    return mass;
}

/* A step of the method equals its formula with dense elimination. */
TEST(steps_follow_the_formula)
{
    int n_step = 0;
    for (int round = 0; round < 200; round++) {
        system_of s;
        const double h_s = 0.01;
        double mass[MOST * MOST], matrix[MOST * MOST], x[MOST], d[MOST], end[MOST], t_s;
        int pivot[MOST];
        make(&s, 3 + round % (MOST - 2), 0.3, round % 2 ? 1.0 : 0.6);
        for (int k = 0; k < s.n * s.n; k++)
            mass[k] = k % (s.n + 1) == 0;
        s.ode.mass = round % 3 == 0 ? draw_mass(&s, mass) : NULL;
        s.ode.jacobian = jacobian;
        draw_x(&s, x);
        for (int j = 0; j < s.n; j++)
            for (int i = 0; i < s.n; i++)
                matrix[j * s.n + i] =
                    mass[j * s.n + i] / h_s - (s.kept[j * s.n + i] ? entry(&s, x, i, j) : 0.0);
        rhs(&s, h_s, x, d);
        assert_int_equal(wr_dense_factor(s.n, matrix, pivot), 0);
        wr_dense_solve(s.n, matrix, pivot, d);
        const wr_integ_options options = {
            .rtol = 1e-6, .atol_factor = 1.0, .step_s = h_s, .kept = round % 2 ? NULL : s.part};
        wr_integrator *integrator = NULL;
        assert_int_equal(wr_integ_linimp.place(s.arena, &s.ode, &options, &integrator), WRSIM_OK);
        assert_int_equal(wr_integ_linimp.start(integrator, 0.0, x, NULL), 0);
        assert_int_equal(wr_integ_linimp.step(integrator, 1.0, &t_s), 0);
        wr_integ_linimp.dense(integrator, t_s, end, NULL);
        for (int i = 0; i < s.n; i++)
            assert_close(end[i], x[i] + d[i], 1e-8, 1e-8);
        n_step += wr_integrator_stats(integrator)->n_other_pivots == 0;
        wr_integ_linimp.destroy(integrator);
        wr_arena_destroy(&s.arena);
    }
    assert_true(n_step > 100); /* fixed pivots suffice in most draws */
}

/* L x stays constant, the algebraic equations hold, and the slope preserves them. */
TEST(consistent_points)
{
    int n_solved = 0, n_moved = 0;
    for (int round = 0; round < 200; round++) {
        system_of s;
        double mass[MOST * MOST], x[MOST], start[MOST], dx[MOST], f[MOST], later[MOST];
        make(&s, 3 + round % (MOST - 2), 0.3, 1.0);
        s.ode.mass = draw_mass(&s, mass);
        const wr_mass *const l = s.ode.mass;
        wr_consistent *const c = wr_consistent_place(s.arena, &s.ode);
        wr_integ_stats stats = {0};
        for (int i = 0; i < s.n; i++)
            x[i] = 0.2 * draw();
        memcpy(start, x, sizeof x);
        const int code = wr_consistent_solve(c, &stats, 0.1, x);
        if (code != 0) { /* sines may not reach the requested value: x then stays unchanged */
            assert_int_equal(code, WRSIM_E_SOLVER);
            assert_memory_equal(x, start, (size_t)s.n * sizeof *x);
            wr_arena_destroy(&s.arena);
            continue;
        }
        n_solved++;
        n_moved += memcmp(x, start, (size_t)s.n * sizeof *x) != 0;
        double residual[MOST];
        rhs(&s, 0.1, x, f);
        wr_row_matrix_multiply(&l->left, f, residual);
        for (int i = 0; i < s.n; i++) {
            double stayed = 0.0;
            for (int j = 0; j < s.n; j++)
                stayed += mass[j * s.n + i] * (x[j] - start[j]);
            assert_close(stayed, 0.0, 0.0, 1e-8);
            assert_true(i >= l->n_algebraic || fabs(residual[i]) < 1e-6);
        }
        memcpy(start, x, sizeof x);
        assert_int_equal(wr_consistent_solve(c, &stats, 0.1, x), 0);
        assert_memory_equal(x, start, (size_t)s.n * sizeof *x); /* x stays unchanged */
        assert_int_equal(wr_consistent_slope(c, &stats, 0.1, x, dx), 0);
        double fastest = 1.0;
        for (int i = 0; i < s.n; i++)
            fastest = fmax(fastest, fabs(dx[i]));
        for (int i = 0; i < s.n; i++) {
            double l_dx = -f[i];
            for (int j = 0; j < s.n; j++)
                l_dx += mass[j * s.n + i] * dx[j];
            assert_close(l_dx, 0.0, 0.0, 1e-5 * fastest);
            later[i] = x[i] + 1e-5 / fastest * dx[i];
        }
        rhs(&s, 0.1 + 1e-5 / fastest, later, f);
        wr_row_matrix_multiply(&l->left, f, residual);
        for (int k = 0; k < l->n_algebraic; k++)
            assert_close(residual[k], 0.0, 0.0, 1e-6);
        wr_arena_destroy(&s.arena);
    }
    assert_true(n_solved > 100 && n_moved > 80);
}

/* The algebraic equation 0 = x_1 lacks the algebraic variable x_2, so the system has index 2. */
static int rhs_of_index_2(void *self, double t_s, const double *x, double *ret_f)
{
    (void)self, (void)t_s;
    ret_f[0] = x[1];
    ret_f[1] = x[0];
    return 0;
}

TEST(index_2_is_refused)
{
    system_of s;
    make(&s, 2, 1.0, 1.0);
    double block[4] = {1, 0, 0, 0}, x[2] = {1.0, 2.0};
    const wr_mass_block one = {.first = 0, .n = 2, .entry = block};
    s.ode.rhs = rhs_of_index_2;
    s.ode.mass = wr_mass_place(s.arena, 2, &one, 1);
    wr_consistent *const c = wr_consistent_place(s.arena, &s.ode);
    wr_integ_stats stats = {0};
    assert_int_equal(wr_consistent_solve(c, &stats, 0.0, x), WRSIM_E_SOLVER);
    assert_non_null(strstr(c->message, "equations of index 1"));
    wr_arena_destroy(&s.arena);
}
