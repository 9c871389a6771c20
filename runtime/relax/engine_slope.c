/* Couplings whose slope is infinite. See engine.h and docs/NUMERICS.md, "Couplings without a finite slope".
 *
 * A flow through an orifice, k sqrt(|p1 - p2|), has an infinite slope where the pressures are equal. An error of d tolerances in a wave
 * then makes a flow in proportion to sqrt(d). No accuracy of waves makes that flow small, so a split run drifts, or its windows become very
 * short. One solver computes the flow once, and its errors cancel in the sum of the stored quantities on both sides.
 *
 * The engine tests the inputs of rings in turn. A test shifts an input by 1, 4 and 16 tolerances. The test measures the change of the
 * states' slopes, or of outputs that depend directly on the input. From one shift to the next, a finite slope gives four times the change,
 * and a square root gives twice the change.
 *
 * A full wave, which has no room for more nodes, contains noise of several tolerances. After a full wave the engine tests
 * wider shifts, too.
 *
 * Thread: serial section. Real-time: yes after placing. */
#include "runtime/relax/engine_slope.h"

#include <math.h>

#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"

/* Evaluations (right-hand sides of integrations, and nodes of their waves) between two tests, and after a test that has found an infinite
 * slope (docs/NUMERICS.md). A test takes 2 to 12 right-hand sides, after a full wave up to four times as many. */
static const double TEST_EVALUATIONS = 8000.0, SUSPECT_EVALUATIONS = 800.0;
/* Tests in a row with an infinite slope at an input after which the run ends (docs/NUMERICS.md). Two signals that only cross are equal for
 * a short time, so fewer tests in a row find this slope. */
enum { MOST_FOUND = 4 };
/* If more than NOISE_EVALUATIONS evaluations lie between two tests, the steps resolve mostly noise of the inputs, so one test decides
 * (docs/NUMERICS.md). An integration that fills its wave may take as many evaluations without this noise, so after a full wave MOST_FOUND
 * tests decide. */
static const double NOISE_EVALUATIONS = 1e5;
/* Least effect of the first shift of a series, in tolerances (docs/NUMERICS.md). The effect is the change of a state over the time
 * simulated so far, or the change of an output. */
static const double LEAST_CHANGE = 30.0;
/* Ratio of two successive shifts of an input, and limits of the ratio of the changes that the shifts cause. At an infinite slope the change
 * is a power of the shift with an exponent of 0.25 to 0.75 (docs/NUMERICS.md). */
static const double SHIFT_RATIO = 4.0, LEAST_RATIO = 1.41, MOST_RATIO = 2.83;
enum { N_RATIO = 2 };
/* Largest first shift after a full wave, tolerances: two signals that differ by 20 tolerances fill waves (tests/adversary/meson.build,
 * family level, seed 870349). */
static const double WIDEST_SHIFT = 64.0;

/* The search for couplings with infinite slopes. */
struct wr_slope {
    double *shift;       /* [largest n_read] scratch, 0 between two tests; NULL: n_input is 0 */
    double *effect;      /* [largest n_x] scratch */
    double n_evaluation; /* number of evaluations since the last test */
    /* number of integrations since the last test that have failed with a full wave */
    int n_full;
    int n_input;       /* number of inputs in rings */
    int i_run, i_read; /* the input tested last */
    int n_found; /* infinite slopes in a row at i_read; a test that decides alone adds MOST_FOUND */
};

static double change_by(wr_engine *e, double shift)
{
    const struct wr_slope *const slope = e->slope;
    return wr_request_change_by(e, slope->i_run, slope->i_read, shift,
                                e->window->t_end_s - e->options.start_s, slope->shift,
                                slope->effect);
}

/* Returns 1 if the slope of the tested input is infinite in a series of three shifts. The first shift of a series is 1 tolerance, after
 * a full wave also up to WIDEST_SHIFT tolerances. */
static int is_infinite(wr_engine *e)
{
    const wr_engine_read read = e->net->node[e->slope->i_run].read[e->slope->i_read];
    const int by = read.i_producer;
    const double tolerance = wr_record_weight(&e->record[by], e->value[by])[read.i_signal];
    const double widest = e->slope->n_full > 0 ? WIDEST_SHIFT : 1.0;
    for (double first = 1.0; first <= widest; first *= SHIFT_RATIO) {
        double shift = first * tolerance, change = change_by(e, shift);
        int is_one = change >= LEAST_CHANGE && change < (double)INFINITY;
        for (int k = 0; k < N_RATIO && is_one; k++) {
            shift *= SHIFT_RATIO;
            const double next = change_by(e, shift);
            is_one = next >= LEAST_RATIO * change && next <= MOST_RATIO * change;
            change = next;
        }
        if (is_one)
            return 1;
    }
    return 0;
}

/* Returns 1 if subsystem i and the producer of its input k have is_in_ring (engine_net.h), and subsystem i has rollback. */
static int is_ring_input(const wr_engine *e, int i, int k)
{
    const wr_net_node *const node = &e->net->node[i];
    return node->is_in_ring && !e->record[i].is_once &&
           e->net->node[node->read[k].i_producer].is_in_ring;
}

int wr_engine_place_slope(wr_engine *e, wr_arena *arena)
{
    if (!(e->slope = WR_NEW(arena, struct wr_slope)))
        return -1;
    int n_read = 0, n_x = 0;
    for (int i = 0; i < e->n; i++) {
        n_x = e->net->node[i].n_x > n_x ? e->net->node[i].n_x : n_x;
        for (int k = 0; k < e->record[i].n_read && e->net->has_cycle; k++) {
            e->slope->n_input += is_ring_input(e, i, k);
            n_read = k + 1 > n_read ? k + 1 : n_read;
        }
    }
    e->slope->i_read = -1;
    if (e->slope->n_input == 0)
        return 0;
    e->slope->shift = WR_NEW_ARRAY(arena, double, n_read);
    e->slope->effect = WR_NEW_ARRAY(arena, double, n_x);
    return e->slope->shift && e->slope->effect ? 0 : -1;
}

/* Tests the next input of a ring, or again an input with an infinite slope. */
static void test_input(wr_engine *e, double n_evaluation)
{
    struct wr_slope *const slope = e->slope;
    while (slope->n_found == 0) {
        slope->i_read++;
        while (slope->i_read >= e->record[slope->i_run].n_read) {
            slope->i_read = 0;
            slope->i_run = (slope->i_run + 1) % e->n;
        }
        if (is_ring_input(e, slope->i_run, slope->i_read))
            break;
    }
    /* A subsystem without integrations in this window is at the end of an earlier window. */
    if (e->record[slope->i_run].n_integrated == 0)
        return;
    if (!is_infinite(e))
        slope->n_found = 0;
    else
        slope->n_found += n_evaluation < NOISE_EVALUATIONS || slope->n_full > 0 ? 1 : MOST_FOUND;
}

void wr_engine_count_full(wr_engine *e)
{
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status != WRSIM_E_LIMIT || !p->is_wave_full)
            continue;
        e->slope->n_evaluation += p->n_rhs + (double)p->n_node;
        e->slope->n_full++;
    }
}

void wr_engine_count_evaluations(wr_engine *e)
{
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->i_batch == e->batch->number)
            e->slope->n_evaluation += p->n_rhs + (double)p->n_node;
    }
}

int wr_engine_ends_at_slope(wr_engine *e)
{
    struct wr_slope *const slope = e->slope;
    if (!slope->shift)
        return 0;
    wr_engine_count_evaluations(e);
    const double n_evaluation = slope->n_evaluation;
    if (n_evaluation < (slope->n_found > 0 ? SUSPECT_EVALUATIONS : TEST_EVALUATIONS))
        return 0;
    slope->n_evaluation = 0.0;
    const int n_test = (int)wr_min(wr_max(n_evaluation / TEST_EVALUATIONS, 1.0), slope->n_input);
    test_input(e, n_evaluation);
    for (int k = 1; k < n_test && slope->n_found == 0; k++)
        test_input(e, n_evaluation);
    slope->n_full = 0;
    if (slope->n_found < MOST_FOUND)
        return 0;
    const wr_net_node *const node = &e->net->node[slope->i_run];
    const wr_engine_read read = node->read[slope->i_read];
    wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                 "the slope of the right-hand sides of '%s' over '%s' looks infinite at the run's "
                 "tolerances, like a square-root flow between equal pressures. Put both ends of "
                 "the coupling into one subsystem, make the coupling linear near zero, or lower "
                 "simulation.rtol",
                 node->name, e->net->node[read.i_producer].signal_name[read.i_signal]);
    wr_control_place_failure(e->control, e->window->t_s, node->name);
    return 1;
}

void wr_engine_slope_state(wr_engine *e, wr_state_io *io)
{
    struct wr_slope *const slope = e->slope;
    WR_STATE(io, slope->n_evaluation);
    WR_STATE(io, slope->n_full);
    const int i_run = (int)wr_state_count(io, slope->i_run, e->n - 1);
    const int i_next = (int)wr_state_count(io, slope->i_read + 1, e->record[i_run].n_read);
    WR_STATE(io, slope->n_found);
    if (!wr_state_reads(io))
        return;
    slope->i_run = i_run;
    slope->i_read = i_next - 1;
    if (i_next == 0)
        slope->n_found = 0;
}
