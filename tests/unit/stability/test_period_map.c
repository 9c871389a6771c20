/* The period map against closed forms, and against a simulation of the exchange by the test: random systems with feed-through. */
#include "wr_test.h"

#include "offline/stability/amplification.h"
#include "offline/stability/period_map.h"

/* x1' = -a x1 + c x2, x2' = -b x2 + d x1, each exact over the period with constant input. */
TEST(two_states_exact)
{
    const double a = 2.0, b = 3.0, c = 5.0, d = -4.0, one = 1.0, none = 0.0;
    const double minus_a = -a, minus_b = -b;
    const int first[1] = {0}, second[1] = {1}, output[1] = {0};
    const wr_integrator_ops *const ops = wr_integrator_find("dopri54");
    const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0};
    const wr_period_part part[2] = {
        {1, 1, 1, &minus_a, &c, &one, &none, second, output, ops, options, NULL},
        {1, 1, 1, &minus_b, &d, &one, &none, first, output, ops, options, NULL}};
    for (double period_s = 0.05; period_s < 3.0; period_s *= 1.5) {
        /* the map over a period P: [e^-aP, c (1 - e^-aP) / a; d (1 - e^-bP) / b, e^-bP] */
        const double p = exp(-a * period_s), q = exp(-b * period_s);
        const double off = c * (1.0 - p) / a * d * (1.0 - q) / b;
        const double complex root = csqrt(0.25 * (p - q) * (p - q) + off);
        const double expected = fmax(cabs(0.5 * (p + q) + root), cabs(0.5 * (p + q) - root));
        double radius;
        assert_int_equal(
            wr_period_map_radius(part, 2, period_s, WR_PERIOD_HOLD, WR_PERIOD_ANEW, &radius),
            WRSIM_OK);
        assert_close(radius, expected, 1e-7, 0.0);
    }
}

enum { N_PART = 3, N_X = 2, N_Y = 2, N_U = 2, N_STEP = 4 };

static double draw(uint64_t *seed) { return 2.0 * wr_random_share(seed) - 1.0; }

typedef struct sample {
    double a[N_X * N_X], b[N_X * N_U], c[N_Y * N_X], d[N_Y * N_U];
    int source_part[N_U], source_output[N_U];
    double x[N_X], y[N_Y], dy[N_Y];
} sample;

static void slope_of(const sample *s, const double *x, const double *u, double *dx)
{
    for (int i = 0; i < N_X; i++) {
        dx[i] = 0.0;
        for (int j = 0; j < N_X; j++)
            dx[i] += s->a[j * N_X + i] * x[j];
        for (int j = 0; j < N_U; j++)
            dx[i] += s->b[j * N_X + i] * u[j];
    }
}

static void outputs_of(const sample *s, const double *x, const double *u, double *y)
{
    for (int i = 0; i < N_Y; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N_X; j++)
            y[i] += s->c[j * N_Y + i] * x[j];
        for (int j = 0; j < N_U; j++)
            y[i] += s->d[j * N_Y + i] * u[j];
    }
}

/* Advances all subsystems by one period in four steps of forward Euler or Heun. */
static void advance(sample *all, double period_s, int is_linear, int is_heun)
{
    sample next[N_PART];
    memcpy(next, all, sizeof next);
    for (int p = 0; p < N_PART; p++) {
        sample *const s = &next[p];
        double u0[N_U], v[N_U], u[N_U], dx[N_X], dx1[N_X], x1[N_X];
        const double h = period_s / N_STEP;
        for (int k = 0; k < N_U; k++) {
            u0[k] = all[s->source_part[k]].y[s->source_output[k]];
            v[k] = is_linear ? all[s->source_part[k]].dy[s->source_output[k]] : 0.0;
        }
        for (int n = 0; n < N_STEP; n++) {
            for (int k = 0; k < N_U; k++)
                u[k] = u0[k] + n * h * v[k];
            slope_of(s, s->x, u, dx);
            for (int i = 0; i < N_X; i++)
                x1[i] = s->x[i] + h * dx[i];
            for (int k = 0; k < N_U; k++)
                u[k] = u0[k] + (n + 1) * h * v[k];
            slope_of(s, x1, u, dx1);
            for (int i = 0; i < N_X; i++)
                s->x[i] = is_heun ? s->x[i] + 0.5 * h * (dx[i] + dx1[i]) : x1[i];
        }
        /* The slope at the end is f with Heun, else the slope of the last step. */
        if (is_heun)
            slope_of(s, s->x, u, dx);
        outputs_of(s, s->x, u, s->y);
        outputs_of(s, dx, v, s->dy);
    }
    memcpy(all, next, sizeof next);
}

/* Returns the growth per period over many periods, from random values. */
static double simulated(const sample *from, double period_s, int is_linear, int is_heun)
{
    enum { SETTLE = 200, N = 6000 };
    sample all[N_PART];
    double sum = 0.0;
    memcpy(all, from, sizeof all);
    for (int n = 0; n < SETTLE + N; n++) {
        advance(all, period_s, is_linear, is_heun);
        double size = 0.0;
        for (int p = 0; p < N_PART; p++)
            for (int i = 0; i < N_X; i++)
                size = fmax(size, fmax(fabs(all[p].x[i]), fabs(all[p].y[i])));
        for (int p = 0; p < N_PART; p++)
            for (int i = 0; i < N_X; i++) {
                all[p].x[i] /= size;
                all[p].y[i] /= size;
                all[p].dy[i] /= size;
            }
        sum += n < SETTLE ? 0.0 : log(size);
    }
    return exp(sum / N);
}

TEST(random_systems_against_simulated_exchange)
{
    uint64_t seed = 9;
    int n_above = 0;
    for (int k = 0; k < 40; k++) {
        sample all[N_PART];
        wr_period_part part[N_PART];
        const int is_heun = k % 2, is_linear = k / 2 % 2;
        const double period_s = 0.1 + 0.3 * fabs(draw(&seed));
        for (int p = 0; p < N_PART; p++) {
            sample *const s = &all[p];
            for (size_t i = 0; i < sizeof s->a / sizeof *s->a; i++) {
                s->a[i] = 2.0 * draw(&seed) - (i % 3 == 0 ? 3.0 : 0.0);
                s->b[i] = 2.0 * draw(&seed);
                s->c[i] = draw(&seed);
                s->d[i] = 0.3 * draw(&seed);
            }
            for (int i = 0; i < N_X; i++) {
                s->x[i] = draw(&seed);
                s->y[i] = draw(&seed);
                s->dy[i] = draw(&seed);
                s->source_part[i] = (p + 1 + i) % N_PART;
                s->source_output[i] = i;
            }
            part[p] =
                (wr_period_part){N_X,
                                 N_U,
                                 N_Y,
                                 s->a,
                                 s->b,
                                 s->c,
                                 s->d,
                                 s->source_part,
                                 s->source_output,
                                 wr_integrator_find(is_heun ? "heun" : "euler"),
                                 {.rtol = 1e-6, .atol_factor = 1.0, .step_s = period_s / N_STEP},
                                 NULL};
        }
        double radius;
        assert_int_equal(wr_period_map_radius(part, N_PART, period_s,
                                              is_linear ? WR_PERIOD_LINEAR : WR_PERIOD_HOLD,
                                              WR_PERIOD_ANEW, &radius),
                         WRSIM_OK);
        const double grown = simulated(all, period_s, is_linear, is_heun);
        print_message("%d: map %.6f, simulated %.6f\n", k, radius, grown);
        assert_close(grown, radius, 1e-3, 0.0);
        n_above += radius > 1.0;
    }
    assert_between(n_above, 3, 37); /* both verdicts */
}

/* In a loop of two subsystems without states and with gains 0.5 and 3, values change by the square root of the product per period. */
TEST(parts_without_states)
{
    const int first[1] = {0}, second[1] = {1}, output[1] = {0};
    const double gain[2] = {0.5, 3.0}, nothing = 0.0;
    const wr_period_part part[2] = {{0,
                                     1,
                                     1,
                                     &nothing,
                                     &nothing,
                                     &nothing,
                                     &gain[0],
                                     second,
                                     output,
                                     NULL,
                                     {.rtol = 0.0},
                                     NULL},
                                    {0,
                                     1,
                                     1,
                                     &nothing,
                                     &nothing,
                                     &nothing,
                                     &gain[1],
                                     first,
                                     output,
                                     NULL,
                                     {.rtol = 0.0},
                                     NULL}};
    double radius;
    assert_int_equal(wr_period_map_radius(part, 2, 0.1, WR_PERIOD_HOLD, WR_PERIOD_ANEW, &radius),
                     WRSIM_OK);
    assert_close(radius, sqrt(1.5), 1e-12, 0.0);
}

/* A single subsystem with continued steps grows like its method for any period, because the step grid does not depend on the periods. Each
 * integrator of fixed step declares a formula or its growth. The eigenvalues are -1 + 2i and -1 - 2i. */
TEST(steps_that_go_on)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        for (int n_step = 1; n_step <= 6; n_step++) {
            const double a[] = {-1.0, 2.0, -2.0, -1.0}, period_s = 0.3, h_s = period_s / n_step;
            wr_stepper stepper;
            if (!((*ops)->flags & WR_INTEG_FIXED_STEP) || strcmp((*ops)->name, "multistep") == 0)
                continue;
            if (!wr_stepper_of_integrator(*ops, &stepper))
                fail_msg("'%s' declares neither a formula nor its growth", (*ops)->name);
            const wr_period_part part = {
                .n_x = 2,
                .a = a,
                .integrator = *ops,
                .options = {.rtol = 1e-6, .atol_factor = 1.0, .step_s = h_s}};
            double radius;
            assert_int_equal(
                wr_period_map_radius(&part, 1, period_s, WR_PERIOD_HOLD, WR_PERIOD_GO_ON, &radius),
                WRSIM_OK);
            const double expected = pow(
                wr_amplification_radius(&stepper.amplification, CMPLX(-h_s, 2.0 * h_s)), n_step);
            assert_close(radius, expected, 1e-9, 0.0);
            if (stepper.formula && stepper.formula->n_step > 1)
                assert_true(wr_period_map_minds_start(&part, 1, period_s));
        }
    /* Steps last 2/3 of a period. Continued steps divide two periods into 2/3, 1/3 and 1/3, 2/3. Restarts divide each period into 2/3,
     * 1/3. */
    const double a = -1.0, h = 0.8;
    const wr_period_part part = {.n_x = 1,
                                 .a = &a,
                                 .integrator = wr_integrator_find("heun"),
                                 .options = {.rtol = 1e-6, .atol_factor = 1.0, .step_s = h}};
    const double one = 1.0 - h + h * h / 2, half = 1.0 - h / 2 + h * h / 8;
    double radius;
    assert_true(wr_period_map_minds_start(&part, 1, 1.5 * h));
    assert_int_equal(
        wr_period_map_radius(&part, 1, 1.5 * h, WR_PERIOD_HOLD, WR_PERIOD_GO_ON, &radius),
        WRSIM_OK);
    assert_close(radius, one * half, 1e-9, 0.0);
}
