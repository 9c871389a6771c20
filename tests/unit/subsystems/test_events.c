/* Locating: earliest first, to the tolerance, with few evaluations, and from awkward brackets. */
#include "fixture.h"
#include "subsystems/events.h"
#include "wr_test.h"

typedef struct functions {
    int n, n_call;
    double (*z[4])(double);
} functions;

static int probe(void *self, double t_s, double *ret_z)
{
    functions *const f = self;
    f->n_call++;
    for (int i = 0; i < f->n; i++)
        ret_z[i] = f->z[i](t_s);
    return 0;
}

static double z_cubic(double t) { return t * t * t - 0.3; }
static double z_late(double t) { return t - 0.9; }
static double z_falling(double t) { return cos(3.0 * t) - 0.1; }
static double z_flat(double t) { return pow(t - 0.2, 9.0) - 1e-12; }
static double z_tiny(double t) { return 1e-30 * (t - 0.123456789); }

static double locate(functions *f, const unsigned char *direction, double tolerance_s,
                     double *ret_z)
{
    wr_arena *arena = wr_arena_create(1 << 20);
    wr_events *const events = wr_events_place(arena, f->n, direction);
    double left[4], right[4], moved[4], t = -1.0;
    unsigned char mode[4];
    probe(f, 0.0, left);
    probe(f, 1.0, right);
    for (int i = 0; i < f->n; i++)
        mode[i] = left[i] > 0.0;
    f->n_call = 0;
    assert_true(wr_events_count(events, right, mode) > 0);
    assert_int_equal(wr_events_locate(events, mode, 0.0, left, 1.0, right, tolerance_s, probe, f,
                                      &t, ret_z, moved),
                     0);
    assert_int_equal(events->n_evaluation, f->n_call);
    assert_true(wr_events_count(events, ret_z, mode) > 0);
    wr_arena_destroy(&arena);
    return t;
}

static void test_roots_to_tolerance(void **state)
{
    (void)state;
    static const struct {
        double (*z)(double);
        double root;
    } rows[] = {{z_cubic, 0.66943295008216952},
                {z_falling, 0.49020963521111228},
                {z_flat, 0.2 + 0.046415888336127795},
                {z_tiny, 0.123456789}};
    static const unsigned char both[1] = {0};
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        for (double tolerance_s = 1e-3; tolerance_s > 1e-15; tolerance_s *= 0.01) {
            functions f = {.n = 1, .z = {rows[i].z}};
            double z;
            const double t = locate(&f, both, tolerance_s, &z);
            assert_between(t - rows[i].root, -1e-15, tolerance_s + 1e-15);
            assert_true(f.n_call <= 60);
        }
}

static void test_smooth_roots_take_few_evaluations(void **state)
{
    (void)state;
    static const unsigned char both[1] = {0};
    functions f = {.n = 1, .z = {z_cubic}};
    double z;
    locate(&f, both, 1e-8, &z);
    assert_true(f.n_call <= 12);
}

static void test_earliest_of_several(void **state)
{
    (void)state;
    static const unsigned char both[3] = {0, 0, 0};
    functions f = {.n = 3, .z = {z_late, z_cubic, z_falling}};
    double z[3];
    const double t = locate(&f, both, 1e-12, z);
    assert_close(t, 0.49020963521111228, 0, 2e-12);
    assert_true(z[0] < 0 && z[1] < 0 && z[2] <= 0);
}

static void test_directions(void **state)
{
    (void)state;
    static const unsigned char direction[3] = {2, 1, 1}; /* falling, rising, rising */
    functions f = {.n = 3, .z = {z_late, z_cubic, z_falling}};
    double z[3];
    assert_close(locate(&f, direction, 1e-12, z), 0.66943295008216952, 0, 2e-12);
    /* Silent signs follow. */
    wr_arena *arena = wr_arena_create(1 << 20);
    wr_events *const events = wr_events_place(arena, 3, direction);
    unsigned char mode[3] = {0, 0, 1};
    signed char fired[3];
    const double now[3] = {1.0, 1.0, -1.0};
    assert_int_equal(wr_events_count(events, now, mode), 1);
    assert_int_equal(wr_events_mark(events, now, mode, fired), 1);
    assert_int_equal(fired[0], 0);
    assert_int_equal(fired[1], 1);
    assert_int_equal(fired[2], 0);
    wr_events_follow(events, now, mode);
    assert_int_equal(mode[0], 1);
    assert_int_equal(mode[1], 0);
    assert_int_equal(mode[2], 0);
    wr_arena_destroy(&arena);
}

/* At the left end the indicator is already on the wrong side, by rounding. */
static double z_returns(double t) { return 1e-9 - t < 0 ? t - 0.5 : -1e-12; }
static double z_goes(double t) { return t - 1e-12; }
static void test_wrong_side_at_the_left_end(void **state)
{
    (void)state;
    wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    const unsigned char positive = 1, negative = 0;
    double t, z, moved;
    /* Mode 1 but negative, and it stays so: due at once. */
    functions f = {.n = 1, .z = {z_returns}};
    const double left = -1e-12, right = -0.2;
    assert_int_equal(wr_events_locate(events, &positive, 0.0, &left, 0.3, &right, 1e-6, probe, &f,
                                      &t, &z, &moved),
                     0);
    assert_close(t, 1e-6, 0, 1e-12);
    /* Mode 0 but positive at the left end, negative a moment later, positive at the end. */
    functions g = {.n = 1, .z = {z_goes}};
    const double wrong = 1e-13, end = 0.5;
    assert_int_equal(wr_events_locate(events, &negative, 0.0, &wrong, 0.5, &end, 1e-13, probe, &g,
                                      &t, &z, &moved),
                     0);
    assert_close(t, 1e-12, 0, 2e-13);
    wr_arena_destroy(&arena);
}

static int failing_probe(void *self, double t_s, double *ret_z)
{
    (void)self;
    (void)t_s;
    ret_z[0] = 0;
    return 5;
}
static void test_failure_of_the_probe_is_passed_on(void **state)
{
    (void)state;
    wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    const unsigned char mode = 0;
    const double left = -1, right = 1;
    double t = -7, z, moved;
    assert_int_equal(wr_events_locate(events, &mode, 0, &left, 1, &right, 1e-6, failing_probe, NULL,
                                      &t, &z, &moved),
                     5);
    assert_close(t, -7.0, 0, 0);
    wr_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots_to_tolerance),
        cmocka_unit_test(test_smooth_roots_take_few_evaluations),
        cmocka_unit_test(test_earliest_of_several),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_wrong_side_at_the_left_end),
        cmocka_unit_test(test_failure_of_the_probe_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
