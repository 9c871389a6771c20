/* Loading plug-ins: a valid plug-in and every kind of invalid plug-in. Arguments: paths of the sample shared objects, the valid object
 * first. */
#include "fixture.h"
#include "subsystems/model_files/model_files.h"
#include "wr_test.h"

TEST(good_plugin)
{
    wr_diag diag = {0};
    wr_model_files *plugin = wr_model_files_open(wr_test_arg(1), NULL, &diag);
    assert_non_null(plugin);
    assert_string_equal(wr_model_files_models(plugin)[0]->name, "sample.one");
    assert_null(wr_model_files_models(plugin)[1]);
    wr_component *c =
        wr_component_create("c", wr_model_files_models(plugin)[0], NULL, NULL, 0, NULL, 0, &diag);
    assert_non_null(c);
    assert_close(c->variable[WRSIM_INPUT][0].start, 4.0, 0, 0);
    wr_component_destroy(&c);
    wr_model_files_close(&plugin);
    assert_null(plugin);
    wr_model_files_close(&plugin);
    assert_int_equal(diag.n_items, 0);
}

static void expect_refused(const char *path, const char *word)
{
    const wr_where where = {.file = "x.toml", .line = 12, .column = 5};
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_model_files_open(path, &where, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_PLUGIN, path, word);
    assert_int_equal(diag.items[0].line, 12);
}

TEST(bad_plugins)
{
    expect_refused(wr_test_arg(2),
                   "the model has ABI 4, but this wrsim has ABI 3; compile the model again");
    expect_refused(wr_test_arg(3), "refuses model ABI 3 of this wrsim; compile the plug-in again");
    expect_refused(wr_test_arg(4), "has two models named 'sample.one'");
    expect_refused(wr_test_arg(5), "the list of models has 1024 entries or more");
    expect_refused(wr_test_arg(6), "has no models");
    expect_refused(wr_test_arg(7),
                   "the model has ABI 1, but this wrsim has ABI 3; compile the model again");
}

TEST(missing_and_foreign_files)
{
    expect_refused("./no-such-plugin.so", "cannot be opened");
    char path[] = "/tmp/wr_test_plugin_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *const file = fdopen(fd, "w");
    fputs("this is no ELF file\n", file);
    fclose(file);
    expect_refused(path, "cannot be opened");
    remove(path);
    expect_refused("libm.so.6",
                   "is a shared object but not a wrsim plug-in; export 'wrsim_plugin_models'");
}
