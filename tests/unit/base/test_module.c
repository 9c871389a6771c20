#include "wr_test.h"

#include "base/module.h"

/* The error about a missing module names its file. One further sentence names a way to run without the module. */
TEST(missing_modules)
{
    static const char *const texts[WR_MODULE_COUNT] = {
        [WR_MODULE_FMI] = "FMUs need",
        [WR_MODULE_HDF5] = "ends in .csv",
        [WR_MODULE_HTTP] = "omit --live",
        [WR_MODULE_HWLOC] = "scheduler.topology",
        [WR_MODULE_KLU] = "solver.linear_solver",
        [WR_MODULE_MAT] = "in MAT format",
        [WR_MODULE_SUNDIALS] = "cvode_bdf and cvode_adams",
    };
    const char *const given = getenv("WRSIM_MODULES");
    AUTO(wr_test_free) char *before = given ? strdup(given) : NULL;
    assert_int_equal(setenv("WRSIM_MODULES", "/nowhere", 1), 0);
    for (int id = WR_MODULE_NONE + 1; id < WR_MODULE_COUNT; id++) {
        wrsim_error err;
        assert_null(wr_module_load((wr_module_id)id, &err));
        assert_int_equal(err.status, WRSIM_E_CONFIG);
        assert_non_null(strstr(err.text, "the file '/nowhere/wrsim_"));
        assert_non_null(strstr(err.text, texts[id] ? texts[id] : "?"));
        assert_non_null(strstr(err.text, ". Install the module, "));
        assert_null(wr_module_load((wr_module_id)id, NULL));
    }
    if (before)
        setenv("WRSIM_MODULES", before, 1);
}
