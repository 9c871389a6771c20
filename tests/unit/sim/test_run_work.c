/* Tests the counts that enter the counted work. */
#include "wr_test.h"

#include "runtime/sim/run.h"

static const wrsim_subsystem_stats few = {.n_component = 1,
                                          .n_state = 1000,
                                          .n_step = 10,
                                          .n_rhs = 60,
                                          .n_factor = 10,
                                          .n_integration = 2};

/* The work of a factorisation is its number of operations, not the number of states. */
TEST(factorisations)
{
    wrsim_subsystem_stats sparse = few, dense = few;
    sparse.factor_flop = 10.0 * 3000.0;
    dense.factor_flop = 10.0 * 2.0 / 3.0 * 1e9;
    const double base = wr_run_work(&few, 1, NULL);
    assert_true(wr_run_work(&sparse, 1, NULL) < 1.01 * base);
    assert_true(wr_run_work(&dense, 1, NULL) > 100.0 * base);
}

/* A full Jacobian of many states is expensive, even if its matrix is sparse. */
TEST(own_jacobians)
{
    wrsim_subsystem_stats own = few;
    own.n_jacobian_entry = 10 * 1000 * 1000;
    assert_true(wr_run_work(&own, 1, NULL) > 2.0 * wr_run_work(&few, 1, NULL));
}

TEST(windows)
{
    double coupled, alone;
    const double all = wr_run_work(&few, 2, &coupled);
    assert_true(all > wr_run_work(&few, 1, &alone));
    assert_true(coupled > alone && alone > 0.0 && coupled < all);
}
