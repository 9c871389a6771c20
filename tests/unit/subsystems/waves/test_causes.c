/* Causes of jumps: sets merge by member, full lists lose only causes, and a wave keeps its list in copies. */
#include "arena_test.h"
#include "wr_test.h"

#include "subsystems/waves/wave.h"

static wr_cause make_cause(int i_member, int count, int is_located)
{
    return (wr_cause){.i_member = i_member, .count = count, .is_located = is_located};
}

TEST(a_member_keeps_its_largest_count)
{
    wr_cause_set a = {0}, b = {0};
    wr_cause_set_add(&a, make_cause(3, 2, 0));
    wr_cause_set_add(&a, make_cause(3, 1, 1)); /* an earlier, but located round */
    wr_cause_set_add(&a, make_cause(0, 1, 0));
    wr_cause_set_add(&b, make_cause(0, 4, 0));
    wr_cause_set_add(&b, make_cause(5, 1, 0));
    wr_cause_set_join(&a, &b);
    assert_int_equal(a.n, 3);
    assert_int_equal(wr_cause_set_count(&a, 3), 2);
    assert_int_equal(wr_cause_set_count(&a, 0), 4);
    assert_int_equal(wr_cause_set_count(&a, 5), 1);
    assert_int_equal(wr_cause_set_count(&a, 1), 0);
    assert_true(a.at[0].is_located);
    assert_false(a.at[1].is_located);
}

TEST(a_full_set_still_counts_its_members)
{
    wr_cause_set set = {0};
    for (int i = 0; i < WR_CAUSES_MOST + 3; i++)
        wr_cause_set_add(&set, make_cause(i, 1, 0));
    assert_int_equal(set.n, WR_CAUSES_MOST);
    wr_cause_set_add(&set, make_cause(WR_CAUSES_MOST - 1, 7, 0));
    assert_int_equal(wr_cause_set_count(&set, WR_CAUSES_MOST - 1), 7);
    assert_int_equal(wr_cause_set_count(&set, WR_CAUSES_MOST), 0);
}

TEST(nodes_have_their_own_causes)
{
    wr_causes *const causes = wr_causes_place(arena, 1);
    wr_cause_set set = {0}, none = {0}, joined = {0};
    wr_cause_set_add(&set, make_cause(1, 1, 1));
    wr_causes_write(causes, 2, &set);
    wr_causes_write(causes, 3, &none);
    wr_cause_set_add(&set, make_cause(4, 2, 0));
    wr_causes_write(causes, 7, &set);
    assert_int_equal(wr_causes_count(causes, 2, 1), 1);
    assert_int_equal(wr_causes_count(causes, 2, 4), 0);
    assert_int_equal(wr_causes_count(causes, 3, 1), 0);
    assert_int_equal(wr_causes_count(causes, 7, 4), 2);
    assert_int_equal(wr_causes_count(causes, 8, 4), 0);
    wr_cause_set_join_node(&joined, causes, 3);
    assert_int_equal(joined.n, 0);
    wr_cause_set_join_node(&joined, causes, 7);
    assert_int_equal(joined.n, 2);
}

TEST(a_full_list_loses_the_last_causes)
{
    wr_causes *const causes = wr_causes_place(arena, 1);
    wr_cause_set set = {0};
    wr_cause_set_add(&set, make_cause(1, 1, 0));
    wr_cause_set_add(&set, make_cause(2, 1, 0));
    wr_cause_set_add(&set, make_cause(3, 1, 0));
    for (int i = 0; i < causes->cap; i++)
        wr_causes_write(causes, i, &set);
    assert_int_equal(causes->n, causes->cap);
    const int i_last = (causes->cap - 1) / set.n;
    assert_int_equal(wr_causes_count(causes, i_last, 1), 1);
    assert_int_equal(wr_causes_count(causes, i_last + 1, 1), 0);
}

TEST(a_jump_without_kept_causes_is_taken_to_be_located)
{
    const double node_s[] = {0.0, 1.0, 1.0, 2.0, 2.0};
    wr_causes *const causes = wr_causes_place(arena, 5);
    wr_cause_set announced = {0}, located = {0};
    wr_cause_set_add(&announced, make_cause(0, 1, 0));
    wr_cause_set_add(&located, make_cause(0, 2, 1));
    wr_causes_write(causes, 2, &announced);
    wr_causes_write(causes, 4, &located);
    assert_false(wr_causes_is_located(causes, node_s, 1.0));
    assert_true(wr_causes_is_located(causes, node_s, 2.0));
    assert_true(wr_causes_is_located(NULL, node_s, 1.0));
}

TEST(a_jump_has_the_latest_time_found)
{
    const double node_s[] = {0.0, 1.0, 1.0, 1.0, 2.0, 2.0};
    wr_causes *const causes = wr_causes_place(arena, 6);
    wr_cause_set first = {0}, second = {0}, announced = {0};
    wr_cause early = make_cause(0, 1, 1), late = make_cause(0, 2, 1);
    early.found_s = 0.75;
    late.found_s = 0.5; /* of a later round, but found before the earlier round */
    wr_cause_set_add(&first, early);
    wr_cause_set_add(&second, early);
    wr_cause_set_add(&second, late);
    wr_cause_set_add(&announced, make_cause(1, 1, 0));
    wr_causes_write(causes, 2, &first);
    wr_causes_write(causes, 3, &second);
    wr_causes_write(causes, 5, &announced);
    assert_true(wr_causes_found(causes, node_s, 1.0) == 0.75);
    assert_true(isinf(wr_causes_found(causes, node_s, 2.0)));
    assert_true(isinf(wr_causes_found(NULL, node_s, 1.0)));
}

TEST(a_wave_copies_and_clears_its_causes)
{
    wr_wave *const from = wr_wave_place(arena, 1, 4), *const to = wr_wave_place(arena, 1, 4),
                   *const bare = wr_wave_place(arena, 1, 4);
    const double zero = 0.0, one = 1.0;
    wr_cause_set set = {0};
    from->causes = wr_causes_place(arena, 4);
    to->causes = wr_causes_place(arena, 4);
    wr_wave_append(from, 0.0, &zero, &zero);
    wr_wave_append(from, 1.0, &zero, &zero);
    wr_wave_append(from, 1.0, &one, &zero);
    wr_cause_set_add(&set, make_cause(6, 3, 1));
    wr_causes_write(from->causes, 2, &set);
    assert_int_equal(wr_wave_copy(to, from), WRSIM_OK);
    assert_int_equal(wr_causes_count(to->causes, 2, 6), 3);
    assert_int_equal(wr_wave_copy(bare, from), WRSIM_OK); /* keeps no causes */
    assert_int_equal(wr_wave_copy(to, bare), WRSIM_OK);   /* gets no causes */
    assert_int_equal(to->causes->n, 0);
    wr_wave_clear(from);
    assert_int_equal(from->causes->n, 0);
}
