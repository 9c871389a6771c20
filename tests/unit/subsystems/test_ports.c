/* Random groups give the same bits with and without input blocks, in any order of evaluations. Event blocks give the same bits as no event
 * blocks, with their parts executed from any first part on. */
#include "fixture.h"
#include "subsystems/group/group.h"
#include "subsystems/group/group_values.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

enum { COMPONENTS = 5, MOST = 8, GROUPS = 150, STEPS = 30 };

static uint64_t bits = 88172645463325252u; /* xorshift64: Marsaglia 2003, "Xorshift RNGs" */
static int pick(int n)                     /* random number of 0 to n - 1 */
{
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return (int)(bits % (uint64_t)n);
}
static double value(void) { return pick(20001) / 10000.0 - 1.0; }

/* Specification of a component: computed outputs, then states. Small gains give loops a solution. */
typedef struct spec {
    int n_x, n_u, n_computed, n_shown, n_z;
    int n_port, first[MOST], n[MOST];
    int port_of[MOST]; /* input block of each input; -1: none */
    int has_ports;
    unsigned char reads[MOST][MOST]; /* [output][input] 1: direct dependence */
    double gain[MOST][MOST];
} spec;

static const spec *spec_of(const wrsim_instance *self) { return self->user; }

static double input_of(const spec *s, const wrsim_point *at, int i)
{
    const int k = s->has_ports ? s->port_of[i] : -1;
    return k < 0 ? at->u[i] : at->port[k][i - s->first[k]];
}

static double mix(const spec *s, const wrsim_point *at, int row, const unsigned char *reads)
{
    double sum = (row < s->n_z && at->mode[row] ? 0.5 : 0.7) * row + 0.01 * at->d[0];
    for (int i = 0; i < s->n_x; i++)
        sum += s->gain[row][i] * at->x[i];
    for (int i = 0; i < s->n_u; i++)
        if (!reads || reads[i])
            sum += 0.05 * s->gain[i][row] * input_of(s, at, i);
    return sum;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const spec *const s = spec_of(self);
    char name[16];
    int rc = to->depends(to, WRSIM_U_Y, -1, -1);
    for (int i = 0; i < s->n_x; i++) {
        snprintf(name, sizeof name, "x%d", i);
        rc |= add_variable(to, WRSIM_STATE, name, 0.1, 0, 0);
    }
    rc |= add_variable(to, WRSIM_DISCRETE, "d", 0.0, 0, 0);
    for (int i = 0; i < s->n_u; i++) {
        snprintf(name, sizeof name, "u%d", i);
        rc |= add_variable(to, WRSIM_INPUT, name, 0.25 * i, 0, 0);
    }
    for (int i = 0; i < s->n_computed + s->n_shown; i++) {
        const int is_state = i >= s->n_computed;
        snprintf(name, sizeof name, "y%d", i);
        rc |= add_variable(to, WRSIM_OUTPUT, name, 0.0, is_state ? WRSIM_IS_STATE : 0,
                           i - s->n_computed);
        for (int k = 0; k < s->n_u && !is_state; k++)
            if (s->reads[i][k])
                rc |= to->depends(to, WRSIM_U_Y, i, k);
    }
    for (int i = 0; i < s->n_z; i++) {
        snprintf(name, sizeof name, "z%d", i);
        rc |= add_variable(to, WRSIM_INDICATOR, name, 0.0, 0, 0);
    }
    for (int k = 0; k < s->n_port && s->has_ports; k++)
        rc |= to->port(to, s->first[k], s->n[k]);
    return rc ? -1 : 0;
}

RHS(rhs)
{
    for (int i = 0; i < spec_of(self)->n_x; i++)
        ret_dx[i] = mix(spec_of(self), at, i, NULL);
}

OUTPUTS(output)
{
    const spec *const s = spec_of(self);
    for (int i = 0; i < s->n_computed; i++)
        ret_y[i] = mix(s, at, i, s->reads[i]) + at->t_s;
    for (int i = 0; i < s->n_shown; i++)
        ret_y[s->n_computed + i] =
            1e300; /* the contract: a model does not compute outputs that are states */
}

INDICATORS(indicator)
{
    for (int i = 0; i < spec_of(self)->n_z; i++)
        ret_z[i] = mix(spec_of(self), at, i, NULL);
}

EVENT(event)
{
    d[0] = mix(spec_of(self), at, 0, NULL);
    for (int i = 0; i < spec_of(self)->n_x; i++)
        x[i] += 0.1 * d[0];
}

static void make_spec(spec *s)
{
    *s = (spec){
        .n_x = 1 + pick(4), .n_u = 1 + pick(MOST), .n_computed = 1 + pick(4), .n_z = 1 + pick(3)};
    s->n_shown = pick(s->n_x + 1);
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < MOST; k++) {
            s->reads[i][k] = pick(3) == 0;
            s->gain[i][k] = value();
        }
    for (int i = 0; i < s->n_u;) {
        const int n = 1 + pick(s->n_u - i);
        const int is_port = pick(4) > 0;
        for (int k = i; k < i + n; k++)
            s->port_of[k] = is_port ? s->n_port : -1;
        if (is_port) {
            s->first[s->n_port] = i;
            s->n[s->n_port++] = n;
        }
        i += n;
    }
}

/* Two groups that differ in input blocks, in some tests also in event blocks. */
typedef struct pair {
    rig r[2];
    spec s[2][COMPONENTS];
    wrsim_model model[2][COMPONENTS];
    int n_external;
    double z[2][2][COMPONENTS * 2 * MOST]; /* per group two arrays of indicators */
} pair;

static void connect_both(pair *p, int from, int i_output, int to, int i_input)
{
    for (int k = 0; k < 2; k++)
        if (from < 0)
            rig_external(&p->r[k], 0, i_output, to, i_input);
        else
            rig_connect(&p->r[k], from, i_output, to, i_input);
}

/* Connects inputs of a component, mostly to values that are adjacent in their source. */
static void drive(pair *p, int to)
{
    const spec *const s = &p->s[0][to];
    int from = 0, at = 0, left = 0;
    for (int i = 0; i < s->n_u; i++, at++, left--) {
        const int is_new =
            left <= 0 || pick(8) == 0 || (s->port_of[i] >= 0 && s->first[s->port_of[i]] == i);
        if (is_new) {
            from = pick(COMPONENTS + 3) - 3; /* -3: open */
            const spec *const source = &p->s[0][from < 0 ? 0 : from];
            const int n_y = source->n_computed + source->n_shown;
            at = from < 0 ? p->n_external : pick(2) ? 0 : pick(n_y);
            if (from >= 0 && source->n_shown > 0 && pick(2))
                at = source->n_computed;
            left = from < 0 ? MOST : n_y - at;
        }
        if (from != -3)
            connect_both(p, from, at, to, i);
        if (from == -1 || from == -2)
            p->n_external = at + 1;
    }
}

/* Executes the parts on one thread, in turn from a random part on. */
static void share_in_any_order(void *team, int n_part, void (*work)(void *context, int i_part),
                               void *context)
{
    const int first = pick(n_part);
    for (int i = 0; i < n_part; i++)
        work(context, (first + i) % n_part);
}

static void open_pair(pair *p, int has_blocks)
{
    *p = (pair){.n_external = 0};
    for (int c = 0; c < COMPONENTS; c++)
        make_spec(&p->s[0][c]);
    memcpy(p->s[1], p->s[0], sizeof p->s[0]);
    for (int k = 0; k < 2; k++) {
        rig_open(&p->r[k]);
        for (int c = 0; c < COMPONENTS; c++) {
            char name[8];
            snprintf(name, sizeof name, "c%d", c);
            p->s[k][c].has_ports = k == 1;
            p->model[k][c] = (wrsim_model){
                MODEL_HEAD("mixed"),    .describe = describe, .rhs = rhs,         .output = output,
                .indicator = indicator, .event = event,       .user = &p->s[k][c]};
            rig_add(&p->r[k], name, &p->model[k][c]);
        }
    }
    for (int c = 0; c < COMPONENTS; c++)
        drive(p, c);
    for (int k = 0; k < 2; k++)
        rig_build_group(&p->r[k]);
    if (!has_blocks)
        return;
    assert_int_equal(wr_group_place_blocks(p->r[1].arena, p->r[1].group, 1), 0);
    const wr_group_helpers helpers = {.n_worker = 1 + pick(3), .share = share_in_any_order};
    wr_group_use_helpers(p->r[1].group, &helpers);
}

enum { ROOM = COMPONENTS * 2 * MOST };

/* Arrays for evaluations of the two groups, with equal values in the groups. x and external exist twice, so addresses change. */
typedef struct arrays {
    double t_s, x[2][ROOM], external[2][ROOM], d[ROOM];
    unsigned char mode[ROOM];
} arrays;

static wr_group_point draw_point(arrays *a)
{
    const int i = pick(2), j = pick(2), is_other_time = pick(2);
    for (int k = 0; k < ROOM; k++) {
        a->x[i][k] = pick(is_other_time ? 3 : 20) ? a->x[1 - i][k] : value();
        a->external[j][k] = pick(is_other_time ? 3 : 400) ? a->external[1 - j][k] : value();
        a->mode[k] = pick(10) ? a->mode[k] : !a->mode[k];
        a->d[k] = pick(10) ? a->d[k] : value();
    }
    a->t_s = is_other_time ? value() : a->t_s;
    return (wr_group_point){a->t_s, a->x[i], a->d, a->external[j], a->mode};
}

typedef struct result {
    int rc, n;
    double value[4 * ROOM];
} result;

static void give(result *to, const double *from, int n)
{
    memcpy(to->value + to->n, from, (size_t)n * sizeof *from);
    to->n += n;
}

/* Makes evaluation number `what` of group k, and stores all defined results. */
static void evaluate(pair *p, int k, int what, int which, const wr_plan *plan,
                     const wr_group_point *point, result *ret)
{
    wr_group *const g = p->r[k].group;
    double *const z = p->z[k][which < 4];
    double y[ROOM] = {0}, x[ROOM], d[ROOM];
    unsigned char due[COMPONENTS] = {0};
    int n_given, is_all, list[ROOM] = {0}, n_list = 0;
    *ret = (result){.rc = 0};
    switch (what) {
    case 0:
        ret->rc = wr_group_rhs(g, point, y);
        give(ret, y, g->n_x);
        if (ret->rc == 0 && wr_group_can_follow(g, point->t_s)) {
            assert_int_equal(wr_group_indicators_after_rhs(g, y), 0);
            give(ret, y, g->n_z);
        }
        break;
    case 1:
        ret->rc = wr_group_indicators(g, point, z);
        give(ret, z, g->n_z);
        if (ret->rc == 0)
            wr_group_keep_indicators(g, point, z);
        break;
    case 2:
        ret->rc = wr_group_outputs(g, point, y);
        give(ret, y, g->n_y);
        break;
    case 3:
        for (int i = which; i < g->n_z; i += 1 + which % 3)
            list[n_list++] = i;
        ret->rc = wr_group_indicators_listed(g, point, list, n_list, z, &is_all);
        for (int i = 0; i < n_list; i++)
            give(ret, &z[list[i]], 1);
        break;
    case 4:
        memcpy(x, point->x, sizeof x);
        memcpy(d, point->d, sizeof d);
        due[which] = due[COMPONENTS - 1] = WR_DUE_STATE;
        ret->rc = wr_group_event(g, point, NULL, due, which % 2, x, d);
        give(ret, x, g->n_x);
        give(ret, d, g->n_d);
        break;
    case 5: /* all inputs */
        ret->rc = wr_group_evaluate(g, plan, point, NULL);
        for (int u = 0; u < g->n_u && ret->rc == 0; u++) {
            const double is = wr_group_input(g, u);
            give(ret, &is, 1);
        }
        break;
    case 6: /* indicators, then at random f at the same point */
        ret->rc = wr_group_indicators_before_rhs(g, point, z);
        give(ret, z, g->n_z);
        if (ret->rc == 0 && which % 2 == 0) {
            assert_int_equal(wr_group_rhs_after_indicators(g, point, y), 0);
            give(ret, y, g->n_x);
        }
        break;
    default: { /* one output */
        ret->rc = wr_group_evaluate(g, plan, point, y);
        const int *const given = wr_group_plan_gives(plan, &n_given);
        for (int i = 0; i < n_given; i++)
            give(ret, &y[given[i]], 1);
    }
    }
}

/* Places plans for all inputs and for one output, for the two groups. */
static void place_plans(pair *p, const wr_plan *ret_plan[2][2])
{
    int all[ROOM];
    const int i_output = pick(p->r[0].group->n_y);
    for (int u = 0; u < ROOM; u++)
        all[u] = u;
    for (int k = 0; k < 2; k++) {
        wr_group *const g = p->r[k].group;
        ret_plan[k][0] = wr_group_plan_place(p->r[k].arena, g, NULL, 0, all, g->n_u);
        ret_plan[k][1] = wr_group_plan_place(p->r[k].arena, g, &i_output, 1, NULL, 0);
        assert_true(ret_plan[k][0] && ret_plan[k][1]);
    }
    unsigned char reads[2][ROOM] = {{0}};
    for (int i = -1; i < 2; i++) {
        for (int k = 0; k < 2; k++)
            wr_group_plan_reads(p->r[k].group, i < 0 ? NULL : ret_plan[k][i], reads[k]);
        assert_memory_equal(reads[0], reads[1], sizeof reads[0]);
        if (i >= 0)
            assert_int_equal(wr_group_plan_has_states(p->r[0].group, ret_plan[0][i]),
                             wr_group_plan_has_states(p->r[1].group, ret_plan[1][i]));
    }
}

/* Counts the linked input blocks of a group by the array that they point to: x, external, y. */
static void count_links(const wr_group *g, int ret_n[3])
{
    const wr_group_values *const values = g->values;
    for (int k = 0; k < values->ports.n; k++) {
        const double *const at = values->ports.at[k];
        if (values->ports.link_of[values->ports.first[k]] != k)
            assert_ptr_equal(at, values->u + values->ports.first[k]);
        else if (at >= values->y && at < values->y + g->n_y)
            ret_n[2]++;
    }
    for (int i = 0; i < values->ports.n_x; i++)
        ret_n[0] += values->ports.x[i].to >= values->ports.at &&
                    values->ports.x[i].to < values->ports.at + values->ports.n;
    ret_n[1] += values->ports.n_external;
}

/* Counts of compare_groups(): links by kind, loops, refused and successful evaluations, event blocks, and evaluated indicators. */
typedef struct tally {
    int n_link[3], n_loop, n_refused, n_done, n_block;
    int64_t n_indicator[2];
} tally;

static void compare_groups(int has_blocks, tally *ret)
{
    static pair p;
    static arrays a;
    static result with, without;
    *ret = (tally){.n_loop = 0};
    for (int round = 0; round < GROUPS; round++) {
        open_pair(&p, has_blocks);
        const wr_plan *plan[2][2];
        place_plans(&p, plan);
        memset(&a, 0, sizeof a);
        for (int step = 0; step < STEPS; step++) {
            const wr_group_point point = draw_point(&a);
            const int what = pick(8), which = pick(COMPONENTS), i_plan = what == 5 ? 0 : 1;
            evaluate(&p, 0, what, which, plan[0][i_plan], &point, &without);
            evaluate(&p, 1, what, which, plan[1][i_plan], &point, &with);
            assert_int_equal(with.rc, without.rc);
            ret->n_refused += with.rc != 0;
            ret->n_done += with.rc == 0;
            assert_int_equal(with.n, without.n);
            if (with.rc == 0)
                assert_memory_equal(with.value, without.value, (size_t)with.n * sizeof *with.value);
        }
        count_links(p.r[1].group, ret->n_link);
        ret->n_loop += p.r[1].group->n_loop;
        ret->n_block += wr_group_n_block(p.r[1].group);
        for (int k = 0; k < 2; k++) {
            ret->n_indicator[k] += wr_group_count_values(p.r[k].group, 0);
            rig_close(&p.r[k]);
        }
    }
    /* The draws contain all kinds of links, and loops. */
    assert_true(ret->n_link[0] > 100 && ret->n_link[1] > 100 && ret->n_link[2] > 100);
    assert_true(ret->n_loop > 50 && ret->n_done > 10 * ret->n_refused);
}

TEST(ports_give_the_bits_of_copies)
{
    tally n;
    compare_groups(0, &n);
    assert_int_equal(n.n_indicator[0], n.n_indicator[1]);
}

TEST(blocks_give_the_bits_of_all)
{
    tally n;
    compare_groups(1, &n);
    assert_true(n.n_block > 2 * GROUPS); /* of five components each */
    assert_true(n.n_indicator[1] < n.n_indicator[0]);
}
