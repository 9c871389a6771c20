/* The largest eigenvalue of linear problems, and the stability limit of methods in its direction. */
#include "ivp.h"

#include "subsystems/solvers/spectrum.h"

enum { MAX_STATES = 6 };

typedef struct linear {
    int n;
    double a[MAX_STATES][MAX_STATES];
} linear;

static int rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    const linear *const of = self;
    for (int i = 0; i < of->n; i++) {
        ret_dx[i] = 0.0;
        for (int j = 0; j < of->n; j++)
            ret_dx[i] += of->a[i][j] * x[j];
    }
    return 0;
}

/* Returns the result after n_look iterations at one point. */
static wr_spectrum_scalars look(linear *of, int n_look)
{
    const double nominal[MAX_STATES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const double x[MAX_STATES] = {0.3, -0.2, 0.5, 0.7, -0.1, 0.9};
    double f[MAX_STATES];
    wr_arena *arena = wr_arena_create(1 << 16);
    const wr_equations ode = {.n_x = of->n, .self = of, .rhs = rhs, .nominal = nominal};
    wr_spectrum spectrum;
    int64_t n_rhs = 0;
    assert_int_equal(wr_spectrum_place(&spectrum, arena, &ode), WRSIM_OK);
    rhs(of, 0.0, x, f);
    for (int i = 0; i < n_look; i++)
        assert_int_equal(wr_spectrum_look(&spectrum, 0.0, x, f, &n_rhs), 0);
    assert_true(n_rhs <= 4 * n_look);
    const wr_spectrum_scalars found = spectrum.now;
    wr_arena_destroy(&arena);
    return found;
}

/* A spring and a mass: x'' = -w^2 x - 2 d w x'. J v has the length w^2 or 1: only two steps together determine w. */
TEST(oscillators_in_their_own_units)
{
    for (double w = 10.0; w < 2e4; w *= 10.0)
        for (int k = 0; k < 10; k++) { /* a pair, not a double eigenvalue */
            const double damping = 0.1 * k;
            linear of = {2, {{0.0, 1.0}, {-w * w, -2.0 * damping * w}}};
            const wr_spectrum_scalars found = look(&of, 1);
            assert_close(found.size_per_s, w, 0.0, 1e-3 * w);
            assert_close(found.cosine, damping, 0.0, 1e-2);
        }
}

TEST(one_state)
{
    linear damped = {1, {{-40.0}}}, growing = {1, {{40.0}}}, still = {1, {{0.0}}};
    assert_close(look(&damped, 1).size_per_s, 40.0, 0.0, 1e-4);
    assert_close(look(&damped, 1).cosine, 1.0, 0.0, 0.0);
    assert_close(look(&growing, 1).size_per_s, 40.0, 0.0, 1e-4);
    assert_close(look(&growing, 1).cosine, -1.0, 0.0, 0.0);
    assert_close(look(&still, 1).size_per_s, 0.0, 0.0, 0.0);
}

/* Other modes beside the largest pair, -20 +- 500 i, decay from iteration to iteration. */
TEST(the_largest_of_several)
{
    linear of = {6,
                 {{-20.0, 500.0, 3.0},
                  {-500.0, -20.0, 0.0, 1.0},
                  {0.0, 0.0, -100.0, 5.0},
                  {1.0, 0.0, 0.0, -70.0},
                  {0.0, 0.0, 0.0, 0.0, 0.0, 200.0},
                  {0.0, 0.0, 0.0, 0.0, -200.0, 0.0}}};
    const wr_spectrum_scalars found = look(&of, 12);
    assert_close(found.size_per_s, 500.4, 0.0, 5.0);
    assert_close(found.cosine, 0.04, 0.0, 0.01);
}

/* Real axis: Hairer, Wanner 1996, "Solving ODEs II", IV.2. On the imaginary axis classic Runge-Kutta reaches sqrt(8), a method of order 3
 * in three stages sqrt(3). */
TEST(reach)
{
    const double bs32[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6};
    const double rk4[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24};
    const double dopri54[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 600};
    const double grid = 0.051;
    assert_close(wr_spectrum_reach(bs32, 3, 1.0), 2.5127, 0.0, grid);
    assert_close(wr_spectrum_reach(bs32, 3, 0.0), sqrt(3.0), 0.0, grid);
    assert_close(wr_spectrum_reach(rk4, 4, 1.0), 2.7853, 0.0, grid);
    assert_close(wr_spectrum_reach(rk4, 4, 0.0), sqrt(8.0), 0.0, grid);
    assert_close(wr_spectrum_reach(rk4, 4, -1.0), sqrt(8.0), 0.0, grid);
    assert_close(wr_spectrum_reach(dopri54, 6, 1.0), 3.3066, 0.0, grid);
    /* |R(i y)|^2 = 1 - y^6 / 1800 + y^8 / 1600 - ... is 1 again at y = 0.998. */
    assert_close(wr_spectrum_reach(dopri54, 6, 0.0), 0.998, 0.0, grid);
}
