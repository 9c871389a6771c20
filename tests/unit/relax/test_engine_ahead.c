/* What workers fetch ahead, and when: memory of the next task, of models larger than caches. */
#include "wr_case.h"

#include "runtime/relax/engine_work.h"
#include "subsystems/hybrid_work.h"

enum { SMALL = 5, LARGE = 300, FEW_STATES = 5, MANY_STATES = 1000, SOME = 20 };
static const double WINDOW_S = 0.1;

/* A ring of ladders, a subsystem each. The caller frees the text. */
static char *ring_of(int n, int n_state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, "[simulation]\nstop = 1.0\nrtol = 1e-5\n[solver]\nkind = \"bs32\"\n"
                 "[output]\nfile = \"\"\n");
    for (int i = 0; i < n; i++) {
        const int right = (i + 1) % n;
        fprintf(out,
                "[[component]]\nname = \"p%d\"\nmodel = \"rc_ladder\"\nparameters = { n = %d, "
                "open_end = 0 }\nstart = { \"v[1]\" = 1.0 }\n"
                "[[connection]]\nfrom = \"p%d.v_last\"\nto = \"p%d.u\"\n"
                "[[connection]]\nfrom = \"p%d.v_first\"\nto = \"p%d.v_right\"\n",
                i, n_state, i, right, right, i);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void ring_open(wr_case *c, int n, int n_state, int n_worker)
{
    wr_engine_options options = wr_case_options(WR_WINDOW_RULE_FIXED, WINDOW_S, 1e-6, WINDOW_S);
    options.cap_node = 64;
    char *const text = ring_of(n, n_state);
    wr_case_create(c, text, n_worker, &options, NULL);
    free(text);
}

static int is_in(const wr_engine_memory *memory, const void *at)
{
    for (int k = 0; k < WR_ENGINE_SPANS; k++) {
        const wr_span *const span = &memory->span[k];
        const uintptr_t first = (uintptr_t)span->at, place = (uintptr_t)at;
        if (place >= first && place < first + (size_t)span->n_line * WR_CACHE_LINE)
            return 1;
    }
    return 0;
}

/* Of most: where a chunk of memory ends, it is not known. */
static void test_what_windows_read_is_known(void **state)
{
    (void)state;
    wr_case c;
    ring_open(&c, LARGE, FEW_STATES, 1);
    const wr_engine *const e = c.engine;
    int n_known = 0;
    for (int i = 0; i < LARGE; i++) {
        const wr_participant *const p = &e->participant[i];
        const wr_subsystem *const s = p->subsystem;
        const wr_engine_memory *const memory = &e->memory[i];
        if (memory->span[1].n_line == 0 || memory->span[2].n_line == 0)
            continue;
        n_known++;
        const void *const read[] = {p,
                                    &p->fault_s,
                                    s,
                                    wr_hybrid_of(s),
                                    wr_hybrid_group(s)->work,
                                    s->x,
                                    s->external,
                                    wr_hybrid_of(s)->integrator,
                                    s->wave->t_s,
                                    p->iterate[1]->slope,
                                    p->prediction[1]->value,
                                    p->predict,
                                    p->converge->delta,
                                    p->x_end,
                                    p->producer,
                                    p->read};
        for (size_t k = 0; k < WR_COUNT_OF(read); k++)
            assert_true(is_in(memory, read[k]));
        assert_false(is_in(memory, s->wave->many));
        assert_false(is_in(memory, &e->participant[i + 1 < LARGE ? i + 1 : i - 1]));
    }
    assert_true(n_known > LARGE - 10);
    wr_case_destroy(&c);
}

/* In how many subsystems the last integration has fetched ahead, after three windows. */
static int n_fetching(int n, int n_state, int n_worker)
{
    wr_case c;
    ring_open(&c, n, n_state, n_worker);
    wr_engine *const e = c.engine;
    assert_int_equal(wr_engine_run(e, 3.0 * WINDOW_S, NULL), WRSIM_OK);
    for (int i = 0; i < n_worker; i++) {
        assert_int_equal(e->fetch[i].ahead.n_span, 0); /* all was asked for, also of others */
        assert_null(e->fetch[i].of);
    }
    int n_ahead = 0;
    for (int i = 0; i < n; i++)
        n_ahead += e->participant[i].subsystem->ahead != NULL;
    wr_case_destroy(&c);
    return n_ahead;
}

static void test_workers_fetch_of_large_models(void **state)
{
    (void)state;
    assert_int_equal(n_fetching(SMALL, FEW_STATES, 1), 0);
    assert_true(n_fetching(LARGE, FEW_STATES, 1) >=
                LARGE - 1); /* nothing comes after the last of a batch */
    /* A worker does not know what it will take of others' before it has begun with that. */
    assert_true(n_fetching(LARGE, FEW_STATES, 2) > LARGE * 3 / 4);
    /* More than a megabyte in all, but each so large that not all of it can be wanted. */
    assert_int_equal(n_fetching(SOME, MANY_STATES, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_windows_read_is_known),
        cmocka_unit_test(test_workers_fetch_of_large_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
