/* Explores the publication store in every execution that C11 allows, within bounds: no race for a slot, and each read returns the
 * requested version. This file compiles the source of the store with its atomics redirected to the explorer.
 *
 * The users of the store are as general as possible. The writer tries to publish n_try times and stops after n_version versions.
 * A reader loads the count of versions, perhaps an old value, and reads all versions that it has not released. The reader then
 * chooses a new oldest version, at most the second unpublished version, reads the versions before it again, and releases them.
 *
 * usage: test_store_model [long]
 */
#include "wr_test.h"

#include "base/check.h"
#include "explorer.h"
#include "subsystems/waves/wave.h"

/* Reports a false assertion of the source. Assertions contain loads, which multiply executions, so few cases set is_asserting. */
static void hold(int holds, const char *what) { wr_model_require_that(holds, what); }
static int is_asserting; /* global, because WR_ASSERT has no argument for it */
#undef WR_ASSERT
#define WR_ASSERT(condition)                                                                       \
    do {                                                                                           \
        if (is_asserting)                                                                          \
            hold((condition), #condition);                                                         \
    } while (0)

#include "model_atomics.h"

#include "runtime/slack/wave_store.c"

typedef struct bounds {
    int n_reader, cap, n_version, n_try, n_look;
    int is_asserting;
    int first;
} bounds;

/* Deliberate mistakes of a user of the store, or of the store. */
typedef enum fault {
    NO_FAULT,
    READS_RELEASED,
    READS_TOO_FAR,
    FORGETS_A_READER,
    OVERTAKES,
    GOES_BACK /* causes no race; an assertion of the source fails */
} fault;

typedef struct play {
    bounds b;
    fault fault;
    wr_wave_store *store;
    /* Maxima over all executions. */
    int most_published, was_full, most_read;
} play;

enum { TRIES, PUBLISHED, WAS_FULL };    /* numbers of the writer */
enum { LOOKS, SEEN, RELEASED, N_READ }; /* numbers of a reader */

static int write_round(play *p, int64_t *number)
{
    const wr_wave_store_slot *const slot = wr_wave_store_begin(p->store);
    number[WAS_FULL] |= !slot;
    if (slot) {
        wr_model_write(slot->extra, p->b.first + number[PUBLISHED]);
        wr_wave_store_publish(p->store);
        number[PUBLISHED]++;
    }
    return ++number[TRIES] < p->b.n_try && number[PUBLISHED] < p->b.n_version;
}

static void read_versions(const play *p, int64_t from, int64_t below)
{
    for (int64_t v = from; v < below; v++)
        wr_model_require(wr_model_read(wr_wave_store_read(p->store, v)->extra) == v);
}

static int read_round(play *p, int i_reader, int64_t *number)
{
    const int64_t released = number[RELEASED], written = wr_wave_store_written(p->store);
    wr_model_require(written >= number[SEEN]);
    number[SEEN] = written;
    read_versions(p, released, written);
    number[N_READ] += written > released;
    /* The next oldest version may be unpublished: the reader may skip the version that the writer publishes next. */
    const int64_t newest = written + 1 > released ? written + 1 : released;
    const int64_t to = released + wr_model_choose((int)(newest - released) + 1);
    if (to > released) {
        read_versions(p, released, to < written ? to : written);
        wr_wave_store_release(p->store, i_reader, to);
        if (p->fault == READS_RELEASED && to <= written)
            read_versions(p, to - 1, to);
    }
    if (p->fault == GOES_BACK && to > released)
        wr_wave_store_release(p->store, i_reader, released);
    if (p->fault == READS_TOO_FAR && to <= written)
        read_versions(p, written, written + 1);
    number[RELEASED] = to;
    return ++number[LOOKS] < p->b.n_look;
}

static int round_of(void *context, int thread, int64_t *number)
{
    play *const p = context;
    if (thread == 0)
        return write_round(p, number);
    if (number[LOOKS] == 0)
        number[SEEN] = number[RELEASED] = p->b.first;
    const int64_t writers_own = p->store->writer->released_seen;
    const int goes_on = read_round(p, thread - 1, number);
    wr_model_require(p->store->writer->released_seen == writers_own);
    return goes_on;
}

static void end(void *context, const int64_t *number)
{
    play *const p = context;
    if (number[PUBLISHED] > p->most_published)
        p->most_published = (int)number[PUBLISHED];
    p->was_full |= number[WAS_FULL] != 0;
    for (int i = 1; i <= p->b.n_reader; i++)
        if (number[i * WR_MODEL_NUMBERS + N_READ] > p->most_read)
            p->most_read = (int)number[i * WR_MODEL_NUMBERS + N_READ];
}

static wr_model model_of(play *p, int relaxed_written, int relaxed_released)
{
    static const char *const names[] = {"released[0]", "released[1]", "released[2]"};
    writer_line *const w = p->store->writer;
    wr_model model = {.n_thread = 1 + p->b.n_reader,
                      .n_location = 1 + p->b.n_reader,
                      .n_cell = p->b.cap,
                      .plain = {[0] = {&w->released_seen, 1}},
                      .round = round_of,
                      .end = end,
                      .context = p,
                      .most_states = 1 << 28};
    model.location[0] = (wr_model_location){&w->written, 0, relaxed_written, "written"};
    for (int i = 0; i < p->b.n_reader; i++)
        model.location[1 + i] =
            (wr_model_location){&p->store->reader[i].released, 1 + i, relaxed_released, names[i]};
    for (int i = 0; i < p->b.cap; i++)
        model.cell[i] = p->store->slot[i].extra;
    return model;
}

/* Explores the store of p with its mistake and with the given accesses relaxed. */
static wr_model_result *explore_store(play *p, int relaxed_written, int relaxed_released)
{
    static wr_model_result result; /* static, because it is large */
    wr_arena *arena = wr_arena_create(1 << 20);
    p->store = wr_wave_store_place(
        arena, &(wr_wave_store_options){
                   .n_reader = p->b.n_reader, .cap = p->b.cap, .cap_node = 2, .n_extra = 1});
    assert_non_null(p->store);
    wr_wave_store_reset(p->store, p->b.first);
    wr_model model = model_of(p, relaxed_written, relaxed_released);
    if (p->fault == FORGETS_A_READER)
        p->store->n_reader--;
    if (p->fault == OVERTAKES)
        p->store->writer->released_seen++;
    is_asserting = p->b.is_asserting;
    wr_model_explore(&model, &result);
    is_asserting = 0;
    wr_arena_destroy(&arena);
    return &result;
}

static void assert_holds_within(const bounds *b)
{
    play p = {.b = *b};
    const wr_model_result *const r = explore_store(&p, 0, 0);
    print_message(
        "%d readers, cap %d, %d versions, %d tries, %d looks%s: %.6g executions, %lld states\n",
        b->n_reader, b->cap, b->n_version, b->n_try, b->n_look,
        b->is_asserting ? ", asserting" : "", r->n_execution, (long long)r->n_state);
    if (r->is_violated)
        print_error("%s", r->text);
    assert_false(r->is_violated);
    /* Some executions publish all versions, some find the store full if n_try exceeds cap, and in some a reader reads n_look times. */
    assert_int_equal(p.most_published, b->n_version);
    assert_int_equal(p.was_full, b->n_try > b->cap);
    assert_int_equal(p.most_read, b->n_look);
}

TEST(quick_bounds)
{
    const bounds all[] = {
        {.n_reader = 1, .cap = 1, .n_version = 4, .n_try = 6, .n_look = 4},
        {.n_reader = 1, .cap = 2, .n_version = 5, .n_try = 7, .n_look = 5},
        {.n_reader = 1, .cap = 3, .n_version = 5, .n_try = 6, .n_look = 4, .first = 7},
        {.n_reader = 1, .cap = 2, .n_version = 4, .n_try = 5, .n_look = 3, .is_asserting = 1},
        {.n_reader = 2, .cap = 1, .n_version = 3, .n_try = 5, .n_look = 3},
        {.n_reader = 2, .cap = 2, .n_version = 4, .n_try = 5, .n_look = 2},
    };
    for (size_t i = 0; i < WR_COUNT_OF(all); i++)
        assert_holds_within(&all[i]);
}

TEST(long_bounds)
{
    const bounds all[] = {
        {.n_reader = 2, .cap = 2, .n_version = 3, .n_try = 4, .n_look = 2, .is_asserting = 1},
        {.n_reader = 2, .cap = 3, .n_version = 4, .n_try = 5, .n_look = 2},
        {.n_reader = 2, .cap = 2, .n_version = 4, .n_try = 5, .n_look = 3},
        {.n_reader = 3, .cap = 1, .n_version = 2, .n_try = 3, .n_look = 2},
        {.n_reader = 3, .cap = 2, .n_version = 3, .n_try = 3, .n_look = 1},
        {.n_reader = 3, .cap = 2, .n_version = 3, .n_try = 4, .n_look = 2},
        {.n_reader = 2, .cap = 2, .n_version = 5, .n_try = 6, .n_look = 3},
    };
    for (size_t i = 0; i < WR_COUNT_OF(all); i++)
        assert_holds_within(&all[i]);
}

static void assert_fails(play *p, int relaxed_written, int relaxed_released, const char *what)
{
    const wr_model_result *const r = explore_store(p, relaxed_written, relaxed_released);
    print_message("%s, after %lld states: %.*s\n", what, (long long)r->n_state,
                  (int)strcspn(r->text, "\n"), r->text);
    assert_true(r->is_violated);
}

/* The source needs each of its four memory orders: if one is relaxed, a check fails. */
TEST(each_order_matters)
{
    for (int n_reader = 1; n_reader <= 2; n_reader++) {
        play p = {.b = {.n_reader = n_reader, .cap = 2, .n_version = 3, .n_try = 4, .n_look = 2}};
        assert_fails(&p, WR_MODEL_STORES, 0, "relaxed store in wr_wave_store_publish()");
        assert_fails(&p, WR_MODEL_LOADS, 0, "relaxed load in wr_wave_store_written()");
        assert_fails(&p, 0, WR_MODEL_STORES, "relaxed store in wr_wave_store_release()");
        assert_fails(&p, 0, WR_MODEL_LOADS, "relaxed load in wr_wave_store_begin()");
        assert_false(explore_store(&p, 0, 0)->is_violated);
    }
}

/* The exploration finds mistakes of the users and of a store that counts wrongly. */
TEST(mistakes_are_found)
{
    play p = {.b = {.n_reader = 2, .cap = 2, .n_version = 3, .n_try = 4, .n_look = 2}};
    static const char *const what[] = {[READS_RELEASED] = "a released version is read",
                                       [READS_TOO_FAR] = "a version is read that is not published",
                                       [FORGETS_A_READER] = "the writer asks one reader only",
                                       [OVERTAKES] = "the writer's copy is one too far"};
    for (p.fault = READS_RELEASED; p.fault <= OVERTAKES; p.fault++)
        assert_fails(&p, 0, 0, what[p.fault]);
    /* Assertions of the source find these two mistakes. Reading too far also causes a race, going back does not. */
    p.b.is_asserting = 1;
    p.fault = READS_TOO_FAR;
    assert_non_null(strstr(explore_store(&p, 0, 0)->text, "version < "));
    p.fault = GOES_BACK;
    assert_non_null(strstr(explore_store(&p, 0, 0)->text, "version >= "));
}

TEST(counters_have_lines)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    assert_non_null(wr_arena_push(arena, 1, 16)); /* moves the store off a line boundary */
    const wr_wave_store *const store = wr_wave_store_place(
        arena, &(wr_wave_store_options){.n_reader = 3, .cap = 2, .cap_node = 2});
    const uintptr_t writer = (uintptr_t)store->writer / WR_CACHE_LINE;
    assert_true((uintptr_t)store->writer % WR_CACHE_LINE == 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal((uintptr_t)&store->reader[i] % WR_CACHE_LINE, 0);
        assert_true((uintptr_t)&store->reader[i] / WR_CACHE_LINE != writer);
        assert_true(i == 0 || &store->reader[i] != &store->reader[i - 1]);
    }
}

/* The argument "long" runs the tests with prefix long_ only; without an argument these tests are left out. */
int main(int argc, char **argv)
{
    cmocka_set_test_filter(argc > 1 ? "long_*" : NULL);
    cmocka_set_skip_filter(argc > 1 ? NULL : "long_*");
    return wr_test_run();
}
