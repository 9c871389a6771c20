/* Integrators that claim WR_INTEG_RT_SAFE allocate no memory after place(). The linker's --wrap intercepts calls of the project's objects;
 * KLU's allocator table intercepts calls of KLU. */
#include "ivp.h"

#include <suitesparse/SuiteSparse_config.h>

/* Volatile: the compiler assumes that malloc() leaves this counter unchanged. */
static volatile int n_calls;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

void *__wrap_malloc(size_t bytes)
{
    n_calls++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
    n_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    n_calls++;
    return __real_realloc(block, bytes);
}

void __wrap_free(void *block)
{
    n_calls++;
    __real_free(block);
}

/* Runs several windows with steps, stops, restarts and rollbacks. */
static void live(wr_integrator *integrator, const wr_integrator_ops *ops, const ivp *problem)
{
    double x[IVP_MAX_STATES], dx[IVP_MAX_STATES];
    for (int i = 1; i <= 5; i++) {
        const double end_s = 0.02 * i;
        ops->save(integrator);
        ops->loosen(integrator, 10.0);
        (void)ivp_run(integrator, ops, end_s);
        ops->restore(integrator);
        ops->loosen(integrator, 1.0);
        ops->inputs_changed(integrator, NULL);
        (void)ivp_run(integrator, ops, end_s);
        ops->dense(integrator, end_s, x, dx);
        if (i == 3)
            (void)ops->start(integrator, end_s, x, dx);
    }
}

static int calls_of(const wr_integrator_ops *ops, wr_linear_solver solver)
{
    ivp problem;
    ivp_rod(&problem, 8);
    problem.ode.jacobian = NULL;
    const wr_integ_options options = {.rtol = 1e-5,
                                      .atol_factor = 1.0,
                                      .step_s = ops->flags & WR_INTEG_FIXED_STEP ? 1e-3 : 0.0,
                                      .linear_solver = solver,
                                      .formula = ivp_formula(ops)};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    wr_arena_seal(problem.arena);
    n_calls = 0;
    live(integrator, ops, &problem);
    const int calls = n_calls;
    assert_true(wr_integrator_stats(integrator)->n_step > 5);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return calls;
}

TEST(rt_safe_ones_do_not_allocate)
{
    int n_checked = 0;
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        for (wr_linear_solver solver = WR_LINEAR_DENSE; solver <= WR_LINEAR_SPARSE; solver++)
            if ((*ops)->flags & WR_INTEG_RT_SAFE) {
                const int calls = calls_of(*ops, solver);
                if (calls != 0)
                    print_error("%s, solver %d\n", (*ops)->name, (int)solver);
                assert_int_equal(calls, 0);
                n_checked++;
            }
    assert_int_equal(n_checked, 38);
}

/* The counters work: placing a sparse solver allocates in wrsim and in KLU. */
TEST(counters_see_allocations)
{
    n_calls = 0;
    void *volatile block = malloc(8);
    free(block);
    assert_int_equal(n_calls, 2);
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, 8);
    const wr_integ_options options = {.step_s = 1e-3, .linear_solver = WR_LINEAR_SPARSE};
    const wr_integrator_ops *const ops = wr_integrator_find("linimp");
    n_calls = 0;
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_true(n_calls > 10);
    ivp_destroy(integrator, ops);
}

int main(void)
{
    SuiteSparse_config.malloc_func = __wrap_malloc;
    SuiteSparse_config.calloc_func = __wrap_calloc;
    SuiteSparse_config.realloc_func = __wrap_realloc;
    SuiteSparse_config.free_func = __wrap_free;
    return wr_test_run();
}
