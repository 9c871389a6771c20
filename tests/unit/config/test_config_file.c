#include "wr_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config/config_file.h"

static char folder[] = "/tmp/wr_config_file_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void expect_refused(const char *file, size_t max_bytes, wrsim_status status,
                           const char *text)
{
    wr_diag diag = {0};
    size_t n_bytes = 77;
    assert_null(wr_config_file_read(file, max_bytes, &n_bytes, &diag));
    assert_int_equal(n_bytes, 77);
    assert_int_equal(diag.n_items, 1);
    assert_int_equal(diag.items[0].status, status);
    assert_string_equal(diag.items[0].file, file);
    if (!strstr(diag.items[0].text, text))
        fail_msg("'%s' lacks '%s'", diag.items[0].text, text);
    wr_diag_done(&diag);
}

static void test_reads_all(void **state)
{
    (void)state;
    char file[128];
    snprintf(file, sizeof file, "%s/a.toml", folder);
    /* Empty, small, and around the first sizes of the buffer. */
    static const size_t sizes[] = {0, 1, 16382, 16383, 16384, 16385, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FILE *const stream = fopen(file, "wb");
        for (size_t j = 0; j < sizes[i]; j++)
            fputc((int)('a' + j % 26), stream);
        fclose(stream);
        wr_diag diag = {0};
        size_t n_bytes = 0;
        char *const text = wr_config_file_read(file, sizes[i], &n_bytes, &diag);
        assert_non_null(text);
        assert_int_equal(n_bytes, sizes[i]);
        assert_int_equal(strlen(text), sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(text[j], 'a' + j % 26);
        assert_int_equal(diag.n_items, 0);
        free(text);
        if (sizes[i] > 0)
            expect_refused(file, sizes[i] - 1, WRSIM_E_CONFIG, "larger than");
    }
    unlink(file);
}

static void test_refuses(void **state)
{
    (void)state;
    char file[128];
    expect_refused(folder, 100, WRSIM_E_IO, "is a folder");
    snprintf(file, sizeof file, "%s/none.toml", folder);
    expect_refused(file, 100, WRSIM_E_IO, "cannot be opened: No such file");
    snprintf(file, sizeof file, "%s/b.toml", folder);
    FILE *const stream = fopen(file, "wb");
    fclose(stream);
    chmod(file, 0);
    if (geteuid() != 0) /* root may read anything */
        expect_refused(file, 100, WRSIM_E_IO, "cannot be opened: Permission denied");
    unlink(file);
}

/* Files that are no configs are called what they are, by their first bytes or their names, however large. */
static void test_foreign(void **state)
{
    (void)state;
    static const struct {
        const char *name, *begin, *text;
    } cases[] = {
        {"a.toml", "PK\3\4....", "FMUs are not imported"},
        {"model.FMU", "x = 1", "FMUs are not imported"},
        {"a.toml",
         "\x7f"
         "ELF\2\1",
         "names a plug-in in [[plugin]]"},
        {"plug.so", "", "names a plug-in in [[plugin]]"},
        {"a.toml", "\x89HDF\r\n", "is a result file (HDF5), not a config; `wrsim compare`"},
        {"a.h5", "x = 1", "is a result file (HDF5)"},
        {"a.csv", "x = 1", "is a result file"},
        {"a.json", "x = 1", "is JSON, not a config"},
        {"a.toml", "{\"rows\": []}", "is JSON, not a config"},
        {"a.mat", "x = 1", "is data of MATLAB"},
        {"a.toml", "MATLAB 5.0 MAT-file", "is data of MATLAB"},
        {"a.toml", "PK\3", "is larger than 2 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s/%s", folder, cases[i].name);
        FILE *const stream = fopen(file, "wb");
        fputs(cases[i].begin, stream);
        fclose(stream);
        expect_refused(file, 2, WRSIM_E_CONFIG, cases[i].text);
        unlink(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_all),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
