#include "wr_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config/config_file.h"

static void expect_refused(const char *file, size_t max_bytes, wrsim_status status,
                           const char *text)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    size_t n_bytes = 77;
    assert_null(wr_config_file_read(file, max_bytes, &n_bytes, &diag));
    assert_int_equal(n_bytes, 77);
    assert_int_equal(diag.n_items, 1);
    assert_int_equal(diag.items[0].status, status);
    assert_string_equal(diag.items[0].file, file);
    if (!strstr(diag.items[0].text, text))
        fail_msg("'%s' lacks '%s'", diag.items[0].text, text);
}

TEST(reads_all)
{
    /* Empty, small, and near the first sizes of the buffer. */
    static const size_t sizes[] = {0, 1, 16382, 16383, 16384, 16385, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FILE *const stream = fopen("a.toml", "wb");
        for (size_t j = 0; j < sizes[i]; j++)
            fputc((int)('a' + j % 26), stream);
        fclose(stream);
        wr_diag diag = {0};
        size_t n_bytes = 0;
        char *const text = wr_config_file_read("a.toml", sizes[i], &n_bytes, &diag);
        assert_non_null(text);
        assert_int_equal(n_bytes, sizes[i]);
        assert_int_equal(strlen(text), sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(text[j], 'a' + j % 26);
        assert_int_equal(diag.n_items, 0);
        free(text);
        if (sizes[i] > 0)
            expect_refused("a.toml", sizes[i] - 1, WRSIM_E_CONFIG, "larger than");
    }
}

TEST(refuses)
{
    expect_refused(".", 100, WRSIM_E_IO, "is a folder");
    expect_refused("none.toml", 100, WRSIM_E_IO, "cannot be opened: No such file");
    wr_test_write("b.toml", "");
    chmod("b.toml", 0);
    if (geteuid() != 0) /* root may read any file */
        expect_refused("b.toml", 100, WRSIM_E_IO, "cannot be opened: Permission denied");
}

/* The error of a file that is no config names the kind of the file, from its first bytes or its name. A file of known kind above the
 * size limit has the same error. The error of other files above the limit names the limit. */
TEST(foreign)
{
    static const struct {
        const char *name, *begin, *text;
    } cases[] = {
        {"a.toml", "PK\3\4....", "name an FMU in [[component]]"},
        {"model.FMU", "x = 1", "is not an FMU, which is a zip file"},
        {"a.toml",
         "\x7f"
         "ELF\2\1",
         "names a plug-in in [[plugin]]"},
        {"plug.so", "", "names a plug-in in [[plugin]]"},
        {"a.toml", "\x89HDF\r\n", "is a result file (HDF5), not a config; `wrsim compare`"},
        {"a.h5", "x = 1", "is a result file (HDF5)"},
        {"a.csv", "x = 1", "is a table (CSV), not a config; `wrsim compare` reads results"},
        {"a.json", "x = 1",
         "is JSON, not a config; `wrsim bench compare` and `wrsim bench table` read results"},
        {"a.toml", "wrsim checkpoint", "is a checkpoint, not a config; `wrsim CONFIG --restart`"},
        {"a.toml", "wrsim state space", "is a linear model, not a config; a config names it in"},
        {"a.toml", "%%MatrixMarket", "is a matrix, not a config; `wrsim reduce`, `wrsim sparse`"},
        {"a.toml", "\x1f\x8b", "is compressed, not a config; unpack the file"},
        {"a.toml", "{\"rows\": []}", "is JSON, not a config"},
        {"a.mat", "x = 1", "is data of MATLAB"},
        {"a.toml", "MATLAB 5.0 MAT-file", "is data of MATLAB"},
        {"a.toml", "PK\3", "is larger than 2 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_test_write(cases[i].name, cases[i].begin);
        expect_refused(cases[i].name, 2, WRSIM_E_CONFIG, cases[i].text);
    }
}

TEST_FOLDER
