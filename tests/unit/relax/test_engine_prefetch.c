/* Tests the memory that workers prefetch: memory of the next task, and only of models larger than caches. */
#include "wr_case.h"

#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_parts.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/prefetch.h"
#include "subsystems/ode/ode_parts.h"

enum { SMALL = 5, LARGE = 300, FEW_STATES = 5, MANY_STATES = 1000, SOME = 20 };
static const double WINDOW_S = 0.1;

/* Returns a config with a ring of ladders, one per subsystem. The caller frees the text. */
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
    wr_engine_options options =
        wr_case_options(wr_window_rule_find("fixed"), WINDOW_S, 1e-6, WINDOW_S);
    options.cap_node = 64;
    AUTO(wr_test_free) char *text = ring_of(n, n_state);
    wr_case_create(c, text, n_worker, &options, NULL);
}

static int is_in(const wr_prefetch *memory, const void *at)
{
    for (int k = 0; k < WR_PREFETCH_SPANS; k++) {
        const wr_prefetch_span *const span = &memory->span[k];
        const uintptr_t first = (uintptr_t)span->at, place = (uintptr_t)at;
        if (place >= first && place < first + (size_t)span->n_line * WR_CACHE_LINE)
            return 1;
    }
    return 0;
}

/* For most subsystems the engine knows all spans of memory. A span that crosses two chunks of the arena is unknown. */
TEST(memory_of_windows_is_known)
{
    AUTO(wr_case_destroy) wr_case c;
    ring_open(&c, LARGE, FEW_STATES, 1);
    const wr_engine *const e = c.engine;
    int n_known = 0;
    for (int i = 0; i < LARGE; i++) {
        const wr_run *const p = e->run[i];
        const wr_subsystem *const s = p->subsystem;
        const wr_prefetch *const memory = &e->prefetch[i];
        if (memory->span[1].n_line == 0 || memory->span[2].n_line == 0)
            continue;
        n_known++;
        const void *const read[] = {p,
                                    &p->runaway,
                                    &e->record[i].n_read,
                                    s,
                                    wr_ode_of(s),
                                    wr_ode_group(s)->values,
                                    s->x,
                                    s->external,
                                    wr_ode_of(s)->integrator,
                                    s->wave->t_s,
                                    p->iterate[1]->slope,
                                    e->waves[i].prediction[1]->value,
                                    p->predict,
                                    p->converge->delta,
                                    p->x_end,
                                    e->net->node[i].producer,
                                    e->net->node[i].read};
        for (size_t k = 0; k < WR_COUNT_OF(read); k++)
            assert_true(is_in(memory, read[k]));
        assert_false(is_in(memory, s->wave->many));
        assert_false(is_in(memory, &e->record[i + 1 < LARGE ? i + 1 : i - 1]));
    }
    assert_true(n_known > LARGE - 10);
}

/* Returns the number of subsystems with some known memory after three windows; *ret_is_large: 1 if the engine prefetches. */
static int n_known(int n, int n_state, int n_worker, int *ret_is_large)
{
    wr_case c;
    ring_open(&c, n, n_state, n_worker);
    wr_engine *const e = c.engine;
    assert_int_equal(wr_engine_run(e, 3.0 * WINDOW_S, NULL), WRSIM_OK);
    *ret_is_large = e->is_large;
    int n_with = 0;
    for (int i = 0; i < n; i++)
        n_with += e->prefetch[i].n_line > 0;
    wr_case_destroy(&c);
    return n_with;
}

TEST(workers_prefetch_of_large_models)
{
    int is_large = 0;
    assert_int_equal(n_known(SMALL, FEW_STATES, 1, &is_large), SMALL);
    assert_false(is_large);
    for (int n_worker = 1; n_worker <= 2; n_worker++) {
        assert_int_equal(n_known(LARGE, FEW_STATES, n_worker, &is_large), LARGE);
        assert_true(is_large);
    }
    /* The subsystems have over a megabyte in all, but most exceed the limit of a prefetch. If the memory of a subsystem crosses two chunks
     * of the arena, the engine knows only a part, which may be below the limit. */
    assert_true(n_known(SOME, MANY_STATES, 1, &is_large) < SOME / 2);
    assert_false(is_large);
}

/* Prefetch requests change no result. Memory above the limits counts as no memory. */
TEST(limits)
{
    static const char memory[4 * WR_CACHE_LINE];
    const wr_prefetch_span none = wr_prefetch_span_of(NULL, 0);
    const wr_prefetch_span few = wr_prefetch_span_of(memory, 3 * WR_CACHE_LINE + 1);
    assert_int_equal(few.n_line, 4);
    const wr_prefetch_span much = wr_prefetch_span_of(memory, (60 << 10) + 1); /* not read */
    const wr_prefetch_span endless = wr_prefetch_span_of(memory, SIZE_MAX / 2);
    const wr_prefetch cases[] = {
        wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){none, none, none}),
        wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){few, none, few}),
        wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){few, much, none}),
        wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){much, much, few}),
        wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){endless, none, few}),
    };
    static const int n_line[] = {0, 8, 4 + 961, 0, 4};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        assert_int_equal(cases[i].n_line, n_line[i]);
        for (int part = 0; part < WR_PREFETCH_PARTS; part++)
            wr_prefetch_part(&cases[i], part);
    }
    wr_prefetch_part(NULL, 0);
}
