/* Tests of the model checker: known litmus tests, random programs against the axioms, counts against combinatorics.
 *
 * Names and verdicts of litmus tests: Alglave, Maranget, Tautschnig, "Herding cats", 2014; Lahav et al., "Repairing sequential
 * consistency in C/C++11", PLDI 2017.
 */
#include "wr_test.h"

#include "axioms.h"
#include "base/check.h"
#include "litmus.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define LD(location, order)                                                                        \
    {                                                                                              \
        WR_LOAD, location, 0, order                                                                \
    }
#define ST(location, value, order)                                                                 \
    {                                                                                              \
        WR_STORE, location, value, order                                                           \
    }
#define ADD(location, value, order)                                                                \
    {                                                                                              \
        WR_ADD, location, value, order                                                             \
    }
#define READ                                                                                       \
    {                                                                                              \
        WR_READ_CELL, 0, 0, RLX                                                                    \
    }
#define WRITE(value)                                                                               \
    {                                                                                              \
        WR_WRITE_CELL, 0, value, RLX                                                               \
    }

enum { X, Y };
enum { N_RANDOM = 10000 };

/* A litmus test with a notable outcome: the values read in octal digits, thread by thread. */
typedef struct known_litmus {
    const char *name;
    wr_litmus litmus;
    unsigned outcome;
    int is_allowed, n_outcome;
} known_litmus;

static const known_litmus known[] = {
    {"message passing", {2, {{ST(X, 1, RLX), ST(Y, 1, REL)}, {LD(Y, ACQ), LD(X, RLX)}}}, 010, 0, 3},
    {"message passing, relaxed store",
     {2, {{ST(X, 1, RLX), ST(Y, 1, RLX)}, {LD(Y, ACQ), LD(X, RLX)}}},
     010,
     1,
     4},
    {"message passing, relaxed load",
     {2, {{ST(X, 1, RLX), ST(Y, 1, REL)}, {LD(Y, RLX), LD(X, RLX)}}},
     010,
     1,
     4},
    {"store buffering", {2, {{ST(X, 1, REL), LD(Y, ACQ)}, {ST(Y, 1, REL), LD(X, ACQ)}}}, 000, 1, 4},
    {"store buffering, relaxed",
     {2, {{ST(X, 1, RLX), LD(Y, RLX)}, {ST(Y, 1, RLX), LD(X, RLX)}}},
     000,
     1,
     4},
    {"read-read coherence", {2, {{ST(X, 1, RLX)}, {LD(X, RLX), LD(X, RLX)}}}, 010, 0, 3},
    {"read-write coherence",
     {2, {{LD(X, RLX), ST(X, 1, RLX), LD(X, RLX)}, {ST(X, 2, RLX)}}},
     022,
     0,
     3},
    {"write-read coherence", {2, {{ST(X, 1, RLX), LD(X, RLX)}, {ST(X, 2, RLX)}}}, 0, 0, 2},
    {"read-read coherence of two writers",
     {4, {{ST(X, 1, RLX)}, {ST(X, 2, RLX)}, {LD(X, RLX), LD(X, RLX)}, {LD(X, RLX), LD(X, RLX)}}},
     01221,
     0,
     47},
    {"independent reads of independent writes",
     {4, {{ST(X, 1, REL)}, {ST(Y, 1, REL)}, {LD(X, ACQ), LD(Y, ACQ)}, {LD(Y, ACQ), LD(X, ACQ)}}},
     01010,
     1,
     16},
    {"write-read causality",
     {3, {{ST(X, 1, RLX)}, {LD(X, RLX), ST(Y, 1, REL)}, {LD(Y, ACQ), LD(X, RLX)}}},
     0110,
     0,
     7},
    {"write-read causality, relaxed store",
     {3, {{ST(X, 1, RLX)}, {LD(X, RLX), ST(Y, 1, RLX)}, {LD(Y, ACQ), LD(X, RLX)}}},
     0110,
     1,
     8},
    {"2+2W",
     {2, {{ST(X, 1, REL), ST(Y, 2, REL), LD(Y, RLX)}, {ST(Y, 1, REL), ST(X, 2, REL), LD(X, RLX)}}},
     011,
     1,
     4},
    {"load buffering", {2, {{LD(X, RLX), ST(Y, 1, RLX)}, {LD(Y, RLX), ST(X, 1, RLX)}}}, 011, 0, 3},
    {"updates do not get lost", {2, {{ADD(X, 1, RLX)}, {ADD(X, 1, RLX)}}}, 000, 0, 2},
    {"release sequence of an update",
     {3, {{ST(X, 1, RLX), ST(Y, 1, REL)}, {ADD(Y, 1, RLX)}, {LD(Y, ACQ), LD(X, RLX)}}},
     0120,
     0,
     8},
    {"no release sequence of a store",
     {2, {{ST(X, 1, RLX), ST(Y, 1, REL), ST(Y, 2, RLX)}, {LD(Y, ACQ), LD(X, RLX)}}},
     020,
     1,
     5},
};

TEST(known_litmus)
{
    AUTO(wr_test_free)
    wr_outcomes *found = malloc(sizeof *found), *expected = malloc(sizeof *expected);
    for (size_t i = 0; i < WR_COUNT_OF(known); i++) {
        const known_litmus *const k = &known[i];
        wr_litmus_explore(&k->litmus, &(wr_litmus_how){0}, found);
        print_message("%-42s %6.0f executions, %2d outcomes\n", k->name, found->n_execution,
                      wr_litmus_count(found));
        assert_int_equal(found->is_there[k->outcome], k->is_allowed);
        wr_axioms_outcomes(&k->litmus, expected);
        assert_memory_equal(found->is_there, expected->is_there, sizeof found->is_there);
        assert_int_equal(wr_litmus_count(found), k->n_outcome);
    }
}

/* Unordered accesses of two threads to a cell race if at least one access is a write. */
TEST(races)
{
    const wr_litmus handed_over = {2, {{WRITE(1), ST(X, 1, REL), LD(Y, ACQ)}, {LD(X, ACQ)}}};
    const wr_litmus unordered = {2, {{WRITE(1)}, {WRITE(2)}}};
    const wr_litmus both_read = {2, {{READ}, {READ}}};
    const wr_litmus read_early = {2, {{READ, ST(X, 1, REL)}, {WRITE(1)}}};
    AUTO(wr_test_free) wr_outcomes *found = malloc(sizeof *found);
    wr_litmus_explore(&handed_over, &(wr_litmus_how){0}, found);
    assert_false(found->has_race);
    wr_litmus_explore(&unordered, &(wr_litmus_how){0}, found);
    assert_true(found->has_race);
    wr_litmus_explore(&both_read, &(wr_litmus_how){0}, found);
    assert_false(found->has_race);
    wr_litmus_explore(&read_early, &(wr_litmus_how){0}, found);
    assert_true(found->has_race);
}

typedef struct handed {
    _Atomic int64_t flag;
    int is_late; /* 1: the thread writes the cell after the release */
} handed;

/* Thread 0 publishes the cell by the flag. Thread 1 reads the cell only if its load of the flag returns 1. */
static int hand_over(void *context, int thread, int64_t *number)
{
    handed *const h = context;
    if (thread == 1) {
        if (wr_model_load(&h->flag, ACQ) == 1)
            wr_model_require(wr_model_read(h) == 7);
        return 0;
    }
    if (!h->is_late)
        wr_model_write(h, 7);
    wr_model_store(&h->flag, 1, REL);
    if (h->is_late)
        wr_model_write(h, 7);
    return 0;
}

/* A release orders the accesses before it, and no access after it. */
TEST(race_after_release)
{
    static wr_model_result result; /* static, because it is large */
    for (int is_late = 0; is_late < 2; is_late++) {
        handed h = {.is_late = is_late};
        const wr_model model = {.n_thread = 2,
                                .n_location = 1,
                                .n_cell = 1,
                                .location = {{&h.flag, 0, 0, "flag"}},
                                .cell = {&h},
                                .round = hand_over,
                                .context = &h,
                                .most_states = 100};
        wr_model_explore(&model, &result);
        assert_int_equal(result.is_violated, is_late);
        if (is_late)
            assert_true(strncmp(result.text, "a race", 6) == 0 &&
                        strstr(result.text, "stores flag 1"));
    }
}

static wr_litmus_instruction random_instruction(unsigned *seed, int *left_reads)
{
    static const memory_order loads[] = {RLX, ACQ}, stores[] = {RLX, REL};
    static const memory_order updates[] = {RLX, ACQ, REL, memory_order_acq_rel};
    static const wr_litmus_kind kinds[] = {WR_LOAD,  WR_LOAD, WR_LOAD,      WR_STORE,     WR_STORE,
                                           WR_STORE, WR_ADD,  WR_READ_CELL, WR_WRITE_CELL};
    wr_litmus_instruction i = {
        .kind = kinds[rand_r(seed) % 9], .location = rand_r(seed) % 2, .order = RLX};
    if ((i.kind == WR_LOAD || i.kind == WR_ADD) && (*left_reads)-- <= 0)
        i.kind = WR_STORE;
    if (i.kind == WR_LOAD)
        i.order = loads[rand_r(seed) % 2];
    else if (i.kind == WR_STORE)
        i.order = stores[rand_r(seed) % 2];
    else if (i.kind == WR_ADD)
        i.order = updates[rand_r(seed) % 4];
    return i;
}

/* Draws a program of six instructions, in the first two threads. Stored values are 1 to 3, so the first three stores differ. */
static wr_litmus random_litmus(unsigned *seed)
{
    wr_litmus litmus = {.n_thread = 2 + rand_r(seed) % 2};
    int n_left = 6, left_reads = 4, n_write = 0;
    for (int t = 0; t < litmus.n_thread; t++)
        for (int i = 0; i < 3 && n_left > 0; i++) {
            wr_litmus_instruction *const to = &litmus.thread[t][i];
            *to = random_instruction(seed, &left_reads);
            to->value = to->kind == WR_STORE ? 1 + n_write % 3 : 1;
            n_write += to->kind == WR_STORE;
            n_left--;
        }
    return litmus;
}

static void assert_as_expected(const wr_outcomes *found, const wr_outcomes *expected)
{
    assert_int_equal(found->has_race, expected->has_race);
    if (!found->has_race) /* A race ends the exploration. */
        assert_memory_equal(found->is_there, expected->is_there, sizeof found->is_there);
}

/* Views and axioms allow the same outcomes. The vector clocks find a race exactly if the axioms find a race. Both statements also hold with
 * declared owners, which reduce the number of schedules. */
TEST(against_axioms)
{
    unsigned seed = 1;
    int n_race = 0, n_more = 0;
    AUTO(wr_test_free)
    wr_outcomes *found = malloc(sizeof *found), *expected = malloc(sizeof *expected);
    for (int round = 0; round < N_RANDOM; round++) {
        const wr_litmus litmus = random_litmus(&seed);
        wr_axioms_outcomes(&litmus, expected);
        wr_litmus_explore(&litmus, &(wr_litmus_how){0}, found);
        assert_as_expected(found, expected);
        n_race += found->has_race;
        n_more += !found->has_race && wr_litmus_count(found) > 4;
        wr_litmus_explore(&litmus, &(wr_litmus_how){.has_owners = 1}, found);
        assert_as_expected(found, expected);
    }
    print_message("%d random programs, %d with a race, %d with more than four outcomes\n",
                  (int)N_RANDOM, n_race, n_more);
    assert_true(n_race > N_RANDOM / 10 && n_race < N_RANDOM / 2 && n_more > N_RANDOM / 10);
}

/* Two threads of two stores each, to different locations, have 4 choose 2 = 6 schedules. Merging of states does not change the number of
 * executions. */
TEST(counts)
{
    const wr_litmus schedules = {2,
                                 {{ST(X, 1, RLX), ST(X, 2, RLX)}, {ST(Y, 1, RLX), ST(Y, 2, RLX)}}};
    AUTO(wr_test_free) wr_outcomes *merged = malloc(sizeof *merged), *apart = malloc(sizeof *apart);
    wr_litmus_explore(&schedules, &(wr_litmus_how){0}, merged);
    assert_true(merged->n_execution == 6);
    for (size_t i = 0; i < WR_COUNT_OF(known); i++) {
        wr_litmus_explore(&known[i].litmus, &(wr_litmus_how){0}, merged);
        wr_litmus_explore(&known[i].litmus, &(wr_litmus_how){.does_not_merge = 1}, apart);
        assert_true(merged->n_execution == apart->n_execution && apart->n_execution > 0);
        assert_memory_equal(merged->is_there, apart->is_there, sizeof apart->is_there);
    }
}

/* The option relaxed weakens the memory orders of the accesses that it names. */
TEST(weakening)
{
    const wr_litmus passing = {2, {{WRITE(1), ST(X, 1, REL)}, {LD(X, ACQ)}}};
    const wr_litmus *const message_passing = &known[0].litmus;
    const int relaxed[] = {0, WR_MODEL_LOADS, WR_MODEL_STORES, WR_MODEL_LOADS | WR_MODEL_STORES};
    AUTO(wr_test_free) wr_outcomes *found = malloc(sizeof *found);
    for (int i = 0; i < 4; i++) {
        wr_litmus_explore(message_passing, &(wr_litmus_how){.relaxed = relaxed[i]}, found);
        assert_int_equal(found->is_there[010], i > 0);
        wr_litmus_explore(&passing, &(wr_litmus_how){.relaxed = relaxed[i]}, found);
        assert_false(found->has_race);
    }
}
