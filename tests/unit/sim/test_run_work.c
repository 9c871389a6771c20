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
    const double base = wr_run_work(&few, NULL);
    assert_true(wr_run_work(&sparse, NULL) < 1.05 * base);
    assert_true(wr_run_work(&dense, NULL) > 100.0 * base);
}

/* A full Jacobian of many states is expensive, even if its matrix is sparse. */
TEST(own_jacobians)
{
    wrsim_subsystem_stats own = few;
    own.n_jacobian_entry = 10 * 1000 * 1000;
    assert_true(wr_run_work(&own, NULL) > 2.0 * wr_run_work(&few, NULL));
}

/* Windows, nodes and published outputs are the work of coupling. */
TEST(coupling)
{
    wrsim_subsystem_stats many[] = {few, few, few};
    double least, coupling;
    const double base = wr_run_work(&few, &least);
    many[0].n_integration = 200;
    many[1].n_node = 200;
    many[2].n_output_evaluation = 200;
    assert_true(least > 0.0 && least < base);
    for (int i = 0; i < 3; i++) {
        const double work = wr_run_work(&many[i], &coupling);
        assert_true(coupling > 10.0 * least);
        assert_close(work - base, coupling - least, 1e-9, 0.0);
    }
}
