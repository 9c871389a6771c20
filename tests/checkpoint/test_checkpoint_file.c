/* Tests the file of a checkpoint: files that the reader refuses, and files that the writer never overwrites. A refusal leaves the
 * simulation unchanged.
 *
 * argv[1]: the folder of the models.
 */
#include "same_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *config(void)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/two_mass/two_mass.toml", wr_test_arg(1));
    return path;
}
static const char *const fine[] = {"simulation.rtol=1e-6", NULL};

/* Writes a checkpoint of the pair at 0.3 s and returns its bytes. */
static unsigned char *written(size_t *ret_n)
{
    wrsim *sim = prepare(config(), fine);
    wrsim_error err = {0};
    advance(sim, 0.3);
    assert_good(wrsim_checkpoint_write(sim, "pair.ckpt", &err), &err);
    wrsim_destroy(&sim);
    return read_file("pair.ckpt", ret_n);
}

static void assert_says(const wrsim_error *err, const char *part)
{
    if (strstr(err->text, part))
        return;
    print_error("not what is said: %s\n", err->text);
    fail();
}

static void assert_refused(wrsim *sim, const char *file, wrsim_status status, const char *part)
{
    wrsim_error err = {0};
    size_t n_before, n_after;
    unsigned char *const before = state_of(sim, &n_before);
    assert_int_equal(wrsim_checkpoint_read(sim, file, &err), status);
    assert_says(&err, part);
    assert_non_null(strstr(err.text, file));
    assert_string_equal(err.file, file);
    unsigned char *const after = state_of(sim, &n_after);
    assert_same_state(before, n_before, after, n_after);
    free(before);
    free(after);
}

/* One bit is wrong, in each of the first 1024 bytes and in every third byte after them. Or the file is cut, or one byte too long. */
TEST(every_damage_is_seen)
{
    size_t n, n_before, n_after;
    unsigned char *const bytes = written(&n);
    wrsim *sim = prepare(config(), fine);
    advance(sim, 0.1);
    unsigned char *const before = state_of(sim, &n_before);
    const int file =
        open("pair.ckpt",
             O_RDWR); /* kept open, because ext4 flushes a truncated file to the disk at close */
    assert_true(file >= 0);
    for (size_t i = 0; i < n; i += i < 1024 ? 1 : 3) {
        wrsim_error err = {0};
        const unsigned char damaged = bytes[i] ^ (unsigned char)(1u << (i * 5 + i / 8) % 8);
        assert_int_equal(pwrite(file, &damaged, 1, (off_t)i), 1);
        if (wrsim_checkpoint_read(sim, "pair.ckpt", &err) != WRSIM_E_IO) {
            print_error("byte %zu of %zu\n", i, n);
            fail();
        }
        assert_int_equal(pwrite(file, &bytes[i], 1, (off_t)i), 1);
    }
    assert_int_equal(ftruncate(file, 0), 0);
    for (size_t cut = 0, n_there = 0; cut < n; n_there = cut, cut += 1 + cut / 50) {
        assert_int_equal(pwrite(file, bytes + n_there, cut - n_there, (off_t)n_there),
                         cut - n_there);
        assert_int_equal(wrsim_checkpoint_read(sim, "pair.ckpt", NULL), WRSIM_E_IO);
    }
    close(file);
    bytes[n] = 'x'; /* read_file() leaves room for one more byte */
    write_file("pair.ckpt", bytes, n + 1);
    assert_int_equal(wrsim_checkpoint_read(sim, "pair.ckpt", NULL), WRSIM_E_IO);
    unsigned char *const after = state_of(sim, &n_after);
    assert_same_state(before, n_before, after, n_after);
    write_file("pair.ckpt", bytes, n); /* the reader accepts the undamaged file */
    wrsim_error err = {0};
    assert_good(wrsim_checkpoint_read(sim, "pair.ckpt", &err), &err);
    assert_true(wrsim_time(sim) == 0.3);
    free(before);
    free(after);
    free(bytes);
    wrsim_destroy(&sim);
    unlink("pair.ckpt");
}

/* Writes the checkpoint with another value in its head, at offset `at`, and the right check sum. */
static void write_head(unsigned char *bytes, size_t n, size_t at, const void *value, size_t n_value)
{
    unsigned char kept[FILE_HEAD];
    memcpy(kept, bytes, sizeof kept);
    memcpy(bytes + at, value, n_value);
    const uint32_t sum = wr_state_sum(0, bytes, FILE_HEAD - sizeof sum);
    memcpy(bytes + FILE_HEAD - sizeof sum, &sum, sizeof sum);
    write_file("pair.ckpt", bytes, n);
    memcpy(bytes, kept, sizeof kept);
}

TEST(words_of_each_error)
{
    size_t n;
    unsigned char *const bytes = written(&n);
    AUTO(wrsim_destroy) wrsim *sim = prepare(config(), fine);
    const uint32_t other_order = 0x04030201, other_format = 99;
    write_head(bytes, n, 24, "0.0.9", 6);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "comes from wrsim 0.0.9 (format ");
    write_head(bytes, n, 52, &other_format, sizeof other_format);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "(format 99)");
    write_head(bytes, n, 48, &other_order, sizeof other_order);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "another byte order");
    write_file("pair.ckpt", bytes, n - 1);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "is cut short: it has ");
    write_file("pair.ckpt", "[simulation]\n", 13);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "is not a checkpoint of wrsim");
    write_file("pair.ckpt", "", 0);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "is not a checkpoint of wrsim");
    bytes[n - 1] ^= 1;
    write_file("pair.ckpt", bytes, n);
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "is damaged: a check sum is wrong");
    unlink("pair.ckpt");
    assert_refused(sim, "pair.ckpt", WRSIM_E_IO, "cannot be read: No such file");
    assert_refused(sim, "..", WRSIM_E_IO, "cannot be read: Is a directory");
    /* The call fails at once, and does not wait for a writer of the pipe. */
    assert_int_equal(mkfifo("pipe.ckpt", 0600), 0);
    alarm(10);
    assert_refused(sim, "pipe.ckpt", WRSIM_E_IO, "cannot be read: Invalid argument");
    alarm(0);
    unlink("pipe.ckpt");
    write_file("closed.ckpt", bytes, n);
    chmod("closed.ckpt", 0);
    if (geteuid() != 0)
        assert_refused(sim, "closed.ckpt", WRSIM_E_IO, "cannot be read: Permission denied");
    unlink("closed.ckpt");
    free(bytes);
}

/* The error names the key that differs. simulation.stop and keys without effect on results may differ. */
TEST(another_config)
{
    size_t n;
    free(written(&n));
    static const struct {
        const char *overrides[4];
        const char *said; /* part of the error; "": the checkpoint fits */
    } others[] = {
        {{"simulation.rtol=1e-6", "simulation.stop=3.0", "scheduler.workers=2"}, ""},
        {{"simulation.rtol=2e-6"},
         "the checkpoint has 'rtol = 1e-06', but this config has 'rtol = 2e-06'"},
        {{"simulation.rtol=1e-6", "solver.kind=bs32"}, "dopri54"},
        {{"simulation.rtol=1e-6", "simulation.monolithic=true"}, "monolithic = false"},
        {{"simulation.rtol=1e-6", "component.left.parameters.k12=7"}, "k12"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        AUTO(wrsim_destroy) wrsim *sim = prepare(config(), others[i].overrides);
        wrsim_error err = {0};
        if (others[i].said[0])
            assert_refused(sim, "pair.ckpt", WRSIM_E_CONFIG, others[i].said);
        else
            assert_good(wrsim_checkpoint_read(sim, "pair.ckpt", &err), &err);
    }
    unlink("pair.ckpt");
}

/* wrsim_checkpoint_read() refuses a checkpoint ahead of the result file, because rows would be missing. */
TEST(rows_are_not_left_out)
{
    size_t n;
    free(written(&n));
    static const char *const recorded[] = {"simulation.rtol=1e-6", "output.file=\"rows.csv\"",
                                           NULL};
    wrsim *sim = prepare(config(), recorded);
    wrsim_error err = {0};
    advance(sim, 0.2);
    assert_refused(sim, "pair.ckpt", WRSIM_E_ARG, "ahead of the result file");
    advance(sim, 0.5);
    assert_good(wrsim_checkpoint_read(sim, "pair.ckpt", &err), &err); /* to an earlier time */
    assert_true(wrsim_time(sim) == 0.3);
    wrsim_destroy(&sim);
    unlink("rows.csv");
    unlink("pair.ckpt");
}

static void assert_not_written(wrsim *sim, const char *file, wrsim_status status, const char *part)
{
    wrsim_error err = {0};
    assert_int_equal(wrsim_checkpoint_write(sim, file, &err), status);
    assert_says(&err, part);
}

TEST(existing_files_stay)
{
    static const char *const recorded[] = {"output.file=\"rows.csv\"", "output.json=\"rows.json\"",
                                           NULL};
    wrsim *sim = prepare(config(), recorded);
    size_t n, n_before;
    write_file("other.txt", "mine", 4);
    assert_not_written(sim, "other.txt", WRSIM_E_IO, "is not a checkpoint of wrsim");
    unsigned char *bytes = read_file("other.txt", &n);
    assert_int_equal(n, 4);
    free(bytes);
    assert_not_written(sim, config(), WRSIM_E_IO, "is not a checkpoint of wrsim");
    write_file("rows.json", "", 0);
    assert_not_written(sim, "rows.json", WRSIM_E_ARG, "overwrite the run's results");
    unlink("rows.json");
    assert_not_written(sim, "nowhere/x.ckpt", WRSIM_E_IO, "No such file");
    /* A limit of the file size stands for a full disk. */
    wrsim_error err = {0};
    assert_good(wrsim_checkpoint_write(sim, "good.ckpt", &err), &err);
    unsigned char *const before = read_file("good.ckpt", &n_before);
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = (struct rlimit){.rlim_cur = 1000, .rlim_max = limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const wrsim_status status = wrsim_checkpoint_write(sim, "good.ckpt", &err);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(status, WRSIM_E_DISK);
    assert_non_null(strstr(err.text, "the old file is unchanged"));
    bytes = read_file("good.ckpt", &n);
    assert_int_equal(n, n_before);
    assert_memory_equal(bytes, before, n);
    free(bytes);
    free(before);
    advance(sim, 0.2); /* the simulation continues, and replaces its own file */
    assert_good(wrsim_checkpoint_write(sim, "good.ckpt", &err), &err);
    wrsim_destroy(&sim);
    unlink("good.ckpt");
    unlink("other.txt");
    unlink("rows.csv");
}

TEST_FOLDER
