/* Location of events: earliest first, to the tolerance, with few evaluations, and from difficult brackets. */
#include <float.h>

#include "fixture.h"
#include "subsystems/events.h"
#include "wr_test.h"

typedef struct functions {
    int n, n_call, is_all; /* is_all: evaluates all indicators on every request */
    double (*z[4])(double);
} functions;

static int probe(void *self, double t_s, const int *index, int n_index, double *ret_z)
{
    functions *const f = self;
    f->n_call++;
    if (!index || f->is_all)
        for (int i = 0; i < f->n; i++)
            ret_z[i] = f->z[i](t_s);
    else
        for (int k = 0; k < n_index; k++)
            ret_z[index[k]] = f->z[index[k]](t_s);
    return 0;
}

static double z_cubic(double t) { return t * t * t - 0.3; }
static double z_late(double t) { return t - 0.9; }
static double z_falling(double t) { return cos(3.0 * t) - 0.1; }
static double z_flat(double t) { return pow(t - 0.2, 9.0) - 1e-12; }
static double z_tiny(double t) { return 1e-30 * (t - 0.123456789); }

static int count_events(const wr_events *events, const double *z, const unsigned char *mode)
{
    int index[4];
    return wr_events_list(events, z, mode, index);
}

/* Searches (left_s, right_s] for the first event against the signs at left_s; returns its time. */
static double locate_between(functions *f, const unsigned char *direction, double left_s,
                             double right_s, double tolerance_s, double *ret_z)
{
    wr_arena *arena = wr_arena_create(1 << 20);
    wr_events *const events = wr_events_place(arena, f->n, direction);
    double left[4], right[4], moved[4], t = -1.0;
    unsigned char mode[4];
    probe(f, left_s, NULL, 0, left);
    probe(f, right_s, NULL, 0, right);
    for (int i = 0; i < f->n; i++)
        mode[i] = left[i] > 0.0;
    f->n_call = 0;
    const wr_events_span span = {.mode = mode,
                                 .left_s = left_s,
                                 .right_s = right_s,
                                 .z_left = left,
                                 .z_right = right,
                                 .tolerance_s = tolerance_s,
                                 .probe = probe,
                                 .self = f};
    assert_int_equal(wr_events_open(events, &span), count_events(events, right, mode));
    assert_true(events->n_candidate > 0);
    assert_int_equal(wr_events_land(events, &t, ret_z, moved), 0);
    assert_int_equal(events->n_evaluation, f->n_call);
    assert_true(count_events(events, ret_z, mode) > 0);
    wr_arena_destroy(&arena);
    return t;
}

static double locate(functions *f, const unsigned char *direction, double tolerance_s,
                     double *ret_z)
{
    return locate_between(f, direction, 0.0, 1.0, tolerance_s, ret_z);
}

TEST(roots_to_tolerance)
{
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

/* Searches (left_s, left_s + 1] for the zero of z, to a share of the span, with a least delay after left_s. */
static double locate_share(double (*z)(double), double left_s, double share, double least_s,
                           int *ret_n_call)
{
    functions f = {.n = 1, .z = {z}};
    wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    double left, right, at, moved, t;
    probe(&f, left_s, NULL, 0, &left);
    probe(&f, left_s + 1.0, NULL, 0, &right);
    const unsigned char mode = left > 0.0;
    f.n_call = 0;
    const wr_events_span span = {.mode = &mode,
                                 .left_s = left_s,
                                 .right_s = left_s + 1.0,
                                 .z_left = &left,
                                 .z_right = &right,
                                 .tolerance_share = share,
                                 .least_s = least_s,
                                 .probe = probe,
                                 .self = &f};
    assert_int_equal(wr_events_open(events, &span), 1);
    assert_int_equal(wr_events_land(events, &t, &at, &moved), 0);
    assert_true((at > 0.0) != mode);
    *ret_n_call = f.n_call;
    wr_arena_destroy(&arena);
    return t;
}

/* Delays of events add up. With a smooth indicator a delay is a small part of the tolerance. */
TEST(shares_of_the_span)
{
    int n_rough, n;
    const double root = 0.66943295008216952;
    assert_between(locate_share(z_cubic, 0.0, 1e-6, 0.0, &n_rough) - root, 0.0, 1e-7);
    assert_between(locate_share(z_cubic, 0.0, 1e-12, 0.0, &n) - root, 0.0, 1e-13);
    assert_true(n <= n_rough + 2); /* the order of convergence is above 1 */
    /* The tolerance 0 stands for the resolution of the clock, two roundings. */
    assert_between(locate_share(z_cubic, 0.0, 0.0, 0.0, &n) - root, -DBL_EPSILON,
                   2.0 * DBL_EPSILON);
    assert_true(n <= 12);
    /* The search delays an event nearer than least_s, but no later event. */
    assert_close(locate_share(z_cubic, 0.66943295, 1e-12, 1e-6, &n), 0.66943295 + 1e-6, 1e-15, 0.0);
    assert_true(n <= 2);
    assert_between(locate_share(z_cubic, 0.6694, 1e-12, 1e-6, &n) - root, 0.0, 1e-12);
}

TEST(smooth_roots_take_few_evaluations)
{
    static const unsigned char both[1] = {0};
    functions f = {.n = 1, .z = {z_cubic}};
    double z;
    locate(&f, both, 1e-8, &z);
    assert_true(f.n_call <= 12);
}

TEST(earliest_of_several)
{
    static const unsigned char both[3] = {0, 0, 0};
    functions f = {.n = 3, .z = {z_late, z_cubic, z_falling}};
    double z[3];
    const double t = locate(&f, both, 1e-12, z);
    assert_close(t, 0.49020963521111228, 0, 2e-12);
    assert_true(z[0] < 0 && z[1] < 0 && z[2] <= 0);
}

TEST(directions)
{
    static const unsigned char direction[3] = {2, 1, 1}; /* falling, rising, rising */
    functions f = {.n = 3, .z = {z_late, z_cubic, z_falling}};
    double z[3];
    assert_close(locate(&f, direction, 1e-12, z), 0.66943295008216952, 0, 2e-12);
    /* A change of sign in the other direction changes the mode without an event. */
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    wr_events *const events = wr_events_place(arena, 3, direction);
    unsigned char mode[3] = {0, 0, 1};
    const double now[3] = {1.0, 1.0, -1.0};
    int index[3];
    assert_int_equal(wr_events_list(events, now, mode, index), 1);
    assert_int_equal(index[0], 1);
    int n_silent = -1;
    assert_int_equal(wr_events_take(events, now, mode, index, &n_silent), 1);
    assert_int_equal(index[0], 1);
    assert_int_equal(mode[0], 1);
    assert_int_equal(mode[1], 0);
    assert_int_equal(mode[2], 0);
    assert_int_equal(n_silent, 2);
}

/* At the left end rounding gives the indicator the wrong sign. */
static double z_returns(double t) { return 1e-9 - t < 0 ? t - 0.5 : -1e-12; }
static double z_goes(double t) { return t - 1e-12; }
static double z_stays(double t) { return -1e-10 + t * 1e-10; }
static double z_falls(double t) { return 1.0 - t * 1.1 / 0.3; }
TEST(wrong_side_at_the_left_end)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    const unsigned char positive = 1, negative = 0;
    double t, z, moved;
    /* Mode 1 with a permanently negative indicator: the event is due at once. */
    functions f = {.n = 1, .z = {z_returns}};
    const double left = -1e-12, right = -0.2;
    wr_events_span span = {.mode = &positive,
                           .right_s = 0.3,
                           .z_left = &left,
                           .z_right = &right,
                           .tolerance_s = 1e-6,
                           .probe = probe,
                           .self = &f};
    assert_int_equal(wr_events_open(events, &span), 1);
    assert_int_equal(wr_events_land(events, &t, &z, &moved), 0);
    assert_close(t, 1e-6, 0, 1e-12);
    /* Mode 0 with an indicator that is positive at the left end, negative shortly after, positive at the right end. */
    functions g = {.n = 1, .z = {z_goes}};
    const double wrong = 1e-13, end = 0.5;
    span = (wr_events_span){.mode = &negative,
                            .right_s = 0.5,
                            .z_left = &wrong,
                            .z_right = &end,
                            .tolerance_s = 1e-13,
                            .probe = probe,
                            .self = &g};
    assert_int_equal(wr_events_open(events, &span), 1);
    assert_int_equal(wr_events_land(events, &t, &z, &moved), 0);
    assert_close(t, 1e-12, 0, 2e-13);
}

/* If errors of inputs make the indicator of mode 1 negative, no event fires while the indicator returns to zero. */
TEST(a_returning_indicator_is_no_event)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[2] = {0, 0};
    wr_events *const events = wr_events_place(arena, 2, both);
    const unsigned char positive[2] = {1, 1};
    const double left[2] = {-1e-10, 1.0}, nearer[2] = {-0.5e-10, 0.9}, same[2] = {-1e-10, 0.9},
                 farther[2] = {-1.1e-10, 0.9}, other[2] = {-0.5e-10, -0.1}, band[2] = {-1e-10, 0.0},
                 narrow[2] = {-0.9e-10, 0.0};
    wr_events_span span = {.mode = positive, .right_s = 0.3, .z_left = left, .tolerance_s = 1e-6};
    span.band = narrow;
    span.z_right = nearer;
    assert_int_equal(wr_events_open(events, &span), 1);
    span.band = band;
    span.until_s = 0.2;
    assert_int_equal(wr_events_open(events, &span), 1); /* too late to return */
    span.until_s = 0.3;
    assert_int_equal(wr_events_open(events, &span), 0);
    span.z_right = same;
    assert_int_equal(wr_events_open(events, &span), 0);
    span.z_right = farther;
    assert_int_equal(wr_events_open(events, &span), 1);
    /* An event of another indicator does not trigger this indicator. */
    functions f = {.n = 2, .z = {z_stays, z_falls}};
    span.z_right = other;
    span.probe = probe;
    span.self = &f;
    assert_int_equal(wr_events_open(events, &span), 1);
    double t, z[2], moved[2];
    assert_int_equal(wr_events_land(events, &t, z, moved), 0);
    assert_int_equal(events->n_found, 1);
    assert_int_equal(events->found[0], 1);
    assert_close(t, 0.3 / 1.1, 0, 2e-6);
}

static double z_turns(double t) { return -1e-10 * (1.0 - t + 5.0 * t * t); }

/* If an indicator turns back before zero, its event lies where its size exceeds the size at the left end. A step that ends earlier would
 * have no event, so the run would make tiny steps. */
TEST(a_turning_indicator_has_a_late_event)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    const unsigned char positive = 1;
    functions f = {.n = 1, .z = {z_turns}};
    const double left = z_turns(0.0), right = z_turns(0.5), band = left;
    const wr_events_span span = {.mode = &positive,
                                 .right_s = 0.5,
                                 .z_left = &left,
                                 .z_right = &right,
                                 .band = &band,
                                 .until_s = 0.5,
                                 .tolerance_s = 1e-6,
                                 .probe = probe,
                                 .self = &f};
    double t, z, moved;
    assert_int_equal(wr_events_open(events, &span), 1);
    assert_int_equal(wr_events_land(events, &t, &z, &moved), 0);
    assert_int_equal(events->n_found, 1);
    assert_true(t >= 0.2);
    assert_close(t, 0.2, 0, 1e-6);
}

static int failing_probe(void *self, double t_s, const int *index, int n_index, double *ret_z)
{
    ret_z[0] = 0;
    return 5;
}
TEST(failure_of_the_probe_is_passed_on)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[1] = {0};
    wr_events *const events = wr_events_place(arena, 1, both);
    const unsigned char mode = 0;
    const double left = -1, right = 1;
    double t = -7, z, moved;
    const wr_events_span span = {.mode = &mode,
                                 .right_s = 1,
                                 .z_left = &left,
                                 .z_right = &right,
                                 .tolerance_s = 1e-6,
                                 .probe = failing_probe};
    assert_int_equal(wr_events_open(events, &span), 1);
    assert_int_equal(wr_events_approach(events, 1e-2), 5);
    assert_int_equal(wr_events_land(events, &t, &z, &moved), 5);
    assert_close(t, -7.0, 0, 0);
}

/* z_bump() is positive from 0.3 to 0.5, z_late_bump() from 0.64 to 0.66. Both cross zero twice within the bracket. */
static double z_bump(double t) { return 0.01 - (t - 0.4) * (t - 0.4); }
static double z_late_bump(double t) { return 0.0001 - (t - 0.65) * (t - 0.65); }
static double z_line(double t) { return t - 0.6; }
static double z_sooner(double t) { return t - 0.45; }

TEST(double_crossings)
{
    static const unsigned char both[3] = {0, 0, 0};
    double z[3];
    /* A double crossing that ends before the found event stays undetected, as without an event. */
    functions f = {.n = 2, .z = {z_bump, z_line}};
    assert_close(locate(&f, both, 1e-12, z), 0.6, 0, 2e-12);
    /* A double crossing that contains the found event fires first. */
    functions g = {.n = 2, .z = {z_bump, z_sooner}};
    assert_close(locate(&g, both, 1e-12, z), 0.3, 0, 2e-12);
    assert_true(z[0] > 0 && z[1] < 0);
    /* A double crossing after the found event has no effect. */
    functions h = {.n = 3, .z = {z_late_bump, z_line, z_late}};
    assert_close(locate(&h, both, 1e-12, z), 0.6, 0, 2e-12);
}

/* Values of indicators that are no candidates change no result. */
TEST(same_bits_selective_or_not)
{
    static const unsigned char both[4] = {0, 0, 0, 0};
    static double (*const z[])(double) = {z_cubic, z_late, z_falling, z_bump, z_line, z_sooner};
    const int n = (int)WR_COUNT_OF(z);
    for (int i = 0; i < n * n * n * n; i++) {
        functions f = {.n = 4, .z = {z[i % n], z[i / n % n], z[i / n / n % n], z[i / n / n / n]}};
        functions all = f;
        all.is_all = 1;
        double z_f[4], z_all[4], z_1[4];
        probe(&f, 1.0, NULL, 0, z_1);
        probe(&f, 0.0, NULL, 0, z_f);
        int n_event = 0;
        for (int k = 0; k < 4; k++)
            n_event += (z_f[k] > 0) != (z_1[k] > 0);
        if (n_event == 0)
            continue;
        const double t = locate(&f, both, 1e-10, z_f);
        assert_memory_equal(&t, &(double){locate(&all, both, 1e-10, z_all)}, sizeof t);
        assert_memory_equal(z_f, z_all, sizeof z_f);
        assert_int_equal(f.n_call, all.n_call);
    }
}

static double z_pair(double t) { return t - 0.6 - 1e-13; }

/* Zeros closer together than the tolerance fire in one round, other zeros in sequence. */
TEST(two_events_in_one_bracket)
{
    static const unsigned char both[2] = {0, 0};
    functions f = {.n = 2, .z = {z_pair, z_line}};
    double z[2];
    assert_close(locate(&f, both, 1e-9, z), 0.6, 0, 1e-9);
    assert_true(z[0] > 0 && z[1] > 0);
    functions g = {.n = 2, .z = {z_sooner, z_line}};
    const double t = locate(&g, both, 1e-9, z);
    assert_close(t, 0.45, 0, 1e-9);
    assert_true(z[0] > 0 && z[1] < 0);
    assert_close(locate_between(&g, both, t, 1.0, 1e-9, z), 0.6, 0, 1e-9);
}

static double z_at_start(double t) { return t - 1e-11; }
static double z_at_end(double t) { return t - (1.0 - 1e-11); }
static double z_touches_end(double t) { return t < 1.0 ? -1.0 : 1.0; }

TEST(events_at_the_ends)
{
    static const unsigned char both[1] = {0};
    double z;
    functions f = {.n = 1, .z = {z_at_start}};
    assert_between(locate(&f, both, 1e-9, &z), 1e-11, 1e-9);
    assert_true(f.n_call <= 3);
    functions g = {.n = 1, .z = {z_at_end}};
    assert_between(locate(&g, both, 1e-9, &z), 1.0 - 1e-11, 1.0);
    assert_true(g.n_call <= 3);
    functions h = {.n = 1, .z = {z_touches_end}};
    assert_close(locate(&h, both, 1e-9, &z), 1.0, 0, 0);
    assert_close(z, 1.0, 0, 0);
}

/* The search to the tolerance continues from the bracket of a coarse search. */
TEST(approach_then_land)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[2] = {0, 0};
    wr_events *const events = wr_events_place(arena, 2, both);
    functions f = {.n = 2, .z = {z_late, z_cubic}};
    const unsigned char mode[2] = {0, 0};
    double left[2], right[2], before[2], earlier[2], moved[2] = {0.0, 0.0}, t;
    probe(&f, 0.0, NULL, 0, left);
    probe(&f, 1.0, NULL, 0, right);
    probe(&f, -0.1, NULL, 0, before);
    probe(&f, -0.3, NULL, 0, earlier);
    wr_events_span span = {.mode = mode,
                           .right_s = 1.0,
                           .z_left = left,
                           .z_right = right,
                           .tolerance_s = 1e-10,
                           .probe = probe,
                           .self = &f};
    assert_int_equal(wr_events_open(events, &span), 2);
    f.n_call = 0;
    assert_int_equal(wr_events_approach(events, 0.01), 0);
    assert_true(f.n_call <= 5);
    assert_between(events->right_s - 0.66943295008216952, 0.0, 0.011);
    /* If the values before are known, one probe confirms the event; the left end need not be close. */
    span.n_known = 2;
    span.known_s[0] = -0.1;
    span.known_s[1] = -0.3;
    span.z_known[0] = before;
    span.z_known[1] = earlier;
    assert_int_equal(wr_events_open(events, &span), 2);
    f.n_call = 0;
    assert_int_equal(wr_events_approach(events, 0.01), 0);
    assert_int_equal(f.n_call, 1);
    assert_close(events->left_s, 0.0, 0, 0);
    assert_between(events->right_s - 0.66943295008216952, 0.0, 0.011);
    assert_int_equal(events->n_candidate, 1);
    assert_int_equal(wr_events_land(events, &t, right, moved), 0);
    assert_between(t - 0.66943295008216952, 0.0, 1e-10);
    assert_true(f.n_call <= 10);
    /* The change over the last bracket; entries of other indicators stay unchanged. */
    assert_between(moved[1], 0.0, 1.5e-10);
    assert_true(moved[1] > 0.0);
    assert_close(moved[0], 0.0, 0, 0);
}

/* Searches z_cubic and z_late from 0.5 to 1 for an event; returns its time. */
static double search(const wr_events_span *options, int is_all, int *ret_n_call, double *ret_z)
{
    wr_arena *arena = wr_arena_create(1 << 20);
    static const unsigned char both[2] = {0, 0}, mode[2] = {0, 0};
    wr_events *const events = wr_events_place(arena, 2, both);
    functions f = {.n = 2, .z = {z_late, z_cubic}, .is_all = is_all};
    double left[2], right[2], moved[2], t = -1.0;
    probe(&f, 0.5, NULL, 0, left);
    probe(&f, 1.0, NULL, 0, right);
    f.n_call = 0;
    wr_events_span span = *options;
    span.mode = mode;
    span.left_s = 0.5;
    span.right_s = 1.0;
    span.z_left = left;
    span.z_right = right;
    span.tolerance_s = 1e-6;
    span.probe = probe;
    span.self = &f;
    assert_int_equal(wr_events_open(events, &span), 2);
    if (span.n_known == 1) /* the parabola through 0.3, 0.5, and 1 is 1.8 t^2 - 0.95 t - 0.15 */
        assert_close(wr_events_guess(events), (0.95 + sqrt(1.9825)) / 3.6, 1e-12, 0);
    if (span.n_known == 2) /* the cubic is z_cubic */
        assert_close(wr_events_guess(events), 0.66943295008216952, 1e-12, 0);
    assert_int_equal(wr_events_land(events, &t, ret_z, moved), 0);
    assert_int_equal(events->n_found, 1);
    assert_int_equal(events->found[0], 1);
    *ret_n_call = f.n_call;
    wr_arena_destroy(&arena);
    return t;
}

TEST(known_course_and_known_values_save_probes)
{
    int n_plain, n_course, n_all;
    double z_plain[2], z[2];
    const double root = 0.66943295008216952, before[2] = {z_late(0.3), z_cubic(0.3)},
                 earlier[2] = {z_late(0.2), z_cubic(0.2)};
    wr_events_span known = {.n_known = 0};
    const double plain = search(&known, 1, &n_plain, z_plain);
    assert_between(plain - root, 0.0, 1e-6);
    known = (wr_events_span){.n_known = 1, .known_s = {0.3, 0.2}, .z_known = {before, earlier}};
    double t = search(&known, 0, &n_course, z);
    assert_between(t - root, 0.0, 1e-6);
    assert_true(n_course < n_plain);
    /* The cubic is exact: one probe just past its zero confirms the event, then the search evaluates all indicators. */
    known.n_known = 2;
    t = search(&known, 0, &n_course, z);
    assert_between(t - root, 0.0, 1e-6);
    assert_int_equal(n_course, 2);
    /* The search does not repeat evaluations of the last probe. */
    const double all = search(&(wr_events_span){.probes_all = 1}, 1, &n_all, z);
    assert_memory_equal(&all, &plain, sizeof all);
    assert_memory_equal(z, z_plain, sizeof z);
    assert_int_equal(n_all, n_plain - 1);
}

/* Signs in blocks, at every place and for every kind of value, equal signs of single values. */
TEST(signs_at_every_place)
{
    enum { N = 37 };
    static const double values[] = {1.0, -1.0, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308};
    static const unsigned char both[N] = {0};
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    wr_events *const events = wr_events_place(arena, N, both);
    unsigned state_of = 12345;
    for (int round = 0; round < 2000; round++) {
        double z[N];
        unsigned char mode[N];
        int found[N], n = 0;
        for (int i = 0; i < N; i++) {
            state_of = state_of * 1664525u + 1013904223u;
            z[i] = values[state_of >> 29];
            mode[i] = z[i] > 0.0;
            if ((state_of >> 8) % 40 == 0) { /* most signs agree */
                mode[i] = !mode[i];
                found[n++] = i;
            }
        }
        int index[N];
        assert_int_equal(wr_events_list(events, z, mode, index), n);
        assert_memory_equal(index, found, (size_t)n * sizeof *found);
    }
}

/* Signs of sums in groups of less than a block, of one block, and of several blocks with a remainder. */
TEST(signs_of_sums_at_every_place)
{
    enum { N = 37 };
    static const int n_z[] = {1, 5, 16, 17, N};
    static const unsigned char both[N] = {0};
    static const double weight[3] = {2.5, -2.0, 0.5};
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    unsigned state_of = 12345;
    for (size_t k = 0; k < WR_COUNT_OF(n_z); k++) {
        const wr_events *const events = wr_events_place(arena, n_z[k], both);
        for (int round = 0; round < 500; round++) {
            double z[3][N];
            unsigned char mode[N];
            int index[N], found[N], n = 0;
            for (int i = 0; i < n_z[k]; i++) {
                for (int j = 0; j < 3; j++) {
                    state_of = state_of * 1664525u + 1013904223u;
                    z[j][i] = (double)(state_of >> 28) - 8.0; /* small: sums are exact */
                }
                const double sum = weight[0] * z[0][i] + weight[1] * z[1][i] + weight[2] * z[2][i];
                mode[i] = sum > 0.0;
                if ((state_of >> 8) % 10 == 0) {
                    mode[i] = !mode[i];
                    found[n++] = i;
                }
            }
            const wr_events_sum sum = {.weight = {weight[0], weight[1], weight[2]},
                                       .z = {z[0], z[1], z[2]}};
            assert_int_equal(wr_events_list_sum(events, &sum, mode, index), n);
            assert_memory_equal(index, found, (size_t)n * sizeof *found);
        }
    }
}
