/* Records of subsystems are bytes: a run whose decisions and tasks use copies has the same results. */
#include "wr_case.h"

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/engine_run.h"

enum { N = 3, MOST_VALUES = 64 };
static const double STOP_S = 2.0;

/* A ring of three ladders, one per subsystem. */
static const char *const TEXT =
    "[simulation]\nstop = 2.0\nrtol = 1e-6\n[solver]\nkind = \"bs32\"\n[output]\nfile = \"\"\n"
    "[[component]]\nname = \"a\"\nmodel = \"rc_ladder\"\nparameters = { n = 3, open_end = 0 }\n"
    "start = { \"v[1]\" = 1.0 }\n"
    "[[component]]\nname = \"b\"\nmodel = \"rc_ladder\"\nparameters = { n = 4, open_end = 0 }\n"
    "[[component]]\nname = \"c\"\nmodel = \"rc_ladder\"\nparameters = { n = 5, open_end = 0 }\n"
    "[[connection]]\nfrom = \"a.v_last\"\nto = \"b.u\"\n"
    "[[connection]]\nfrom = \"b.v_last\"\nto = \"c.u\"\n"
    "[[connection]]\nfrom = \"c.v_last\"\nto = \"a.u\"\n"
    "[[connection]]\nfrom = \"b.v_first\"\nto = \"a.v_right\"\n"
    "[[connection]]\nfrom = \"c.v_first\"\nto = \"b.v_right\"\n"
    "[[connection]]\nfrom = \"a.v_first\"\nto = \"c.v_right\"\n";

/* Memory for the records of an engine and their values. */
typedef struct copies {
    wr_record record[N];
    double value[N][MOST_VALUES];
} copies;

static struct {
    wr_engine *engine;
    copies copy[2]; /* in turn */
    int n_move;
} moved;

/* Moves all records to other memory and overwrites the old memory. */
static void move_records(void *context, int n, const int *subsystem, const int64_t *task_ns)
{
    (void)context, (void)n, (void)subsystem, (void)task_ns;
    wr_engine *const e = moved.engine;
    copies *const to = &moved.copy[moved.n_move++ & 1];
    memcpy(to->record, e->record, sizeof to->record);
    memset(e->record, 0xAA, sizeof to->record);
    e->record = to->record;
    for (int i = 0; i < N; i++) {
        wr_run *const p = e->run[i];
        const int n_signal = to->record[i].n_signal;
        const size_t n_value = wr_record_n_value(n_signal, to->record[i].n_read);
        assert_true(n_value <= MOST_VALUES);
        memcpy(to->value[i], e->value[i], n_value * sizeof(double));
        memset(e->value[i], 0xAA, n_value * sizeof(double));
        e->value[i] = to->value[i];
        p->record = &to->record[i];
        p->converge->delta = to->value[i];
        p->converge->moved = to->value[i] + n_signal;
        p->converge->weight = to->value[i] + 2 * (size_t)n_signal;
    }
}

/* Stores the states at the end of a run and returns its number of sweeps. */
static int64_t run(int is_moved, double *ret_x)
{
    wr_case c;
    const wr_engine_options options = wr_case_options(wr_window_rule_find("work"), 0.05, 1e-6, 0.5);
    wr_observer observer = {.batch = move_records};
    wr_case_create(&c, TEXT, 1, &options, is_moved ? &observer : NULL);
    moved.engine = c.engine;
    assert_int_equal(c.engine->n, N);
    assert_int_equal(wr_engine_run(c.engine, STOP_S, NULL), WRSIM_OK);
    for (int i = 0; i < N; i++) {
        const wr_subsystem *const s = c.engine->run[i]->subsystem;
        for (int k = 0; k < s->n_x; k++)
            *ret_x++ = s->x[k];
    }
    const int64_t n_sweep = wr_engine_stats_get(c.engine)->n_sweep;
    wr_case_destroy(&c);
    return n_sweep;
}

static void test_decisions_from_copies_are_the_same(void **state)
{
    double x[3 + 4 + 5], x_moved[3 + 4 + 5];
    const int64_t n_sweep = run(0, x);
    assert_int_equal(run(1, x_moved), n_sweep);
    assert_true(moved.n_move > 20);
    assert_memory_equal(x, x_moved, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions_from_copies_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
