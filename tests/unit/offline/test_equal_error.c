/* Tolerances of equal errors: against the exact solution of a chain of two equations, and without an answer. */
#include "wr_test.h"

#include "base/check.h"
#include "offline/equal_error.h"
#include "runtime/config/settings.h"

/* x1' = -x1 and x2' = -x2 + x1 / 2 give x1 = e^-t and x2 = (1 + t / 2) e^-t. */
static const char CHAIN[] =
    "component = [{ name = \"u\", model = \"dahlquist\", parameters = { a = -1.0, b = 0.0 } },\n"
    "             { name = \"w\", model = \"dahlquist\", parameters = { a = -1.0, b = 0.5 } }]\n"
    "connection = [{ from = \"u.x\", to = [\"w.u\"] }]\n"
    "simulation = { stop = 4.0, communication_step = 0.5, rtol = 1e-5 }\n"
    "relaxation = { scheme = \"jacobi\", convergence = 10.0, window = { initial = 0.5, max = 1.0 } "
    "}\n"
    "solver = { kind = \"bs32\" }\n"
    "output = { file = \"\" }\n";
static const double STOP_S = 4.0;

static wr_settings *settings;
static wr_equal_error_request request;

static int prepare(void **state)
{
    (void)state;
    wr_diag diag = {0};
    settings = wr_settings_parse(CHAIN, sizeof CHAIN - 1, "chain", NULL, 0, &diag);
    request = (wr_equal_error_request){.split = settings,
                                       .rtol = 2e-6,
                                       .from_s = STOP_S - 0.25,
                                       .to_s = STOP_S,
                                       .most_work = 1e12,
                                       .until_ns = INT64_MAX};
    return settings ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    wr_settings_destroy(&settings);
    return 0;
}

TEST_EACH(prepare, clean_up)

/* Returns the error at the end of the split run (rtol 0) or of one solver, and the counted work. */
static double error_of(double rtol, double *ret_work)
{
    static const char *const names[] = {"u.x", "w.x"};
    const double exact[] = {exp(-STOP_S), (1.0 + 0.5 * STOP_S) * exp(-STOP_S)};
    wr_settings set = *settings;
    wrsim *sim;
    wrsim_stats stats;
    double error = 0.0;
    if (rtol > 0.0)
        wr_run_make_monolithic(&set, rtol);
    assert_int_equal(wr_run_open_second(&set, NULL, &sim, NULL), WRSIM_OK);
    assert_true(wrsim_advance(sim, STOP_S, NULL) >= 0);
    for (int i = 0; i < 2; i++)
        error = wr_max(error, fabs(wrsim_get(sim, wrsim_find(sim, names[i])) / exact[i] - 1.0));
    wrsim_stats_get(sim, &stats);
    *ret_work = 0.0;
    for (int i = 0; i < stats.n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        *ret_work += wr_run_work(&s, NULL);
    }
    wrsim_destroy(&sim);
    return error;
}

TEST(one_solver_has_the_error_of_the_split)
{
    wr_equal_error found;
    double work, usual_work;
    char text[32];
    assert_int_equal(wr_equal_error_find(&request, &found), 0);
    const double split = error_of(0.0, &work), usual = error_of(request.rtol, &usual_work);
    const double one = error_of(found.rtol, &work);
    assert_close(found.error / split, 1.0, 0.0, 0.05);
    assert_close(log(one / split), 0.0, 0.0, 0.1);
    assert_true(fabs(log(usual / split)) > 0.4); /* the search has moved the tolerance */
    assert_close(found.work / (work / usual_work), 1.0, 0.0, 0.1);
    snprintf(text, sizeof text, "%.3g", found.rtol);
    assert_true(strtod(text, NULL) == found.rtol);
}

TEST(a_search_without_answer_names_the_cause)
{
    wr_equal_error found;
    request.most_work = 1.0; /* the first run exceeds this work */
    assert_int_equal(wr_equal_error_find(&request, &found), WR_EQUAL_ERROR_NONE);
    double reference_work, split_work, usual_work;
    error_of(0.01 * request.rtol, &reference_work);
    error_of(0.0, &split_work);
    error_of(request.rtol, &usual_work);
    /* The run of one solver with the tolerance of the split exceeds this work, before the search has moved the tolerance. */
    request.most_work = reference_work + split_work + 0.5 * usual_work;
    assert_int_equal(wr_equal_error_find(&request, &found), WR_EQUAL_ERROR_NONE);
    request.until_ns = 0;
    assert_int_equal(wr_equal_error_find(&request, &found), WR_EQUAL_ERROR_LATE);
}
