/* Drives the sample FMUs through binary.h by small loops, and compares with closed forms. Arguments: the folder of the FMUs, and the FMUs,
 * which meson builds first. */
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/fmi/binary.h"
#include "subsystems/model_host/fmi/binary_log_text.h"
#include "subsystems/model_host/shared_object.h"
#include "wr_test.h"

/* Functions of libraries that wrsim links. The FMU "foreign" has functions with the same names. */
int CVode(void);
int dgetrf_(void);
int H5open(void);
__attribute__((visibility("default"))) int CVode(void) { return 100; }
__attribute__((visibility("default"))) int dgetrf_(void) { return 100; }
__attribute__((visibility("default"))) int H5open(void) { return 100; }

TEST_FOLDER

static wrsim_error error;

/* Unpacks an FMU into a folder with a blank and UTF-8 in its name. */
static wr_binary_source source_of(const char *name, int version, unsigned uses)
{
    static char folder[4096], token[128], identifier[64];
    char command[16384], here[2048];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(identifier, sizeof identifier, "%s_%d", name, version);
    snprintf(token, sizeof token, "{%s}", identifier);
    snprintf(folder, sizeof folder, "%s/un packed \xc3\xbc %s", here, identifier);
    snprintf(command, sizeof command,
             "[ -d '%s' ] || /usr/bin/python3 -m zipfile -e '%s/%s.fmu' '%s'", folder,
             wr_test_arg(1), identifier, folder);
    assert_int_equal(system(command), 0);
    return (wr_binary_source){
        folder, name, identifier, token, version, uses, strcmp(name, "once") == 0};
}

static wr_binary *opened(const char *name, int version, unsigned uses)
{
    const wr_binary_source source = source_of(name, version, uses);
    error.text[0] = 0;
    wr_binary *const binary = wr_binary_open(&source, &error);
    if (!binary)
        print_error("%s\n", error.text);
    assert_non_null(binary);
    return binary;
}

static wr_binary_instance *instance_of(wr_binary *binary)
{
    error.text[0] = 0;
    wr_binary_instance *const i = wr_binary_instantiate(binary, "plant", &error);
    if (!i)
        print_error("%s\n", error.text);
    assert_non_null(i);
    return i;
}

static void initialise(wr_binary_instance *i)
{
    const wr_binary_experiment experiment = {0, (double)NAN, 1e-6};
    assert_int_equal(wr_binary_enter_initialisation(i, &experiment), WR_BINARY_OK);
    assert_int_equal(wr_binary_exit_initialisation(i), WR_BINARY_OK);
}

static double value_of(wr_binary_instance *i, wr_fmi_type type, uint32_t number)
{
    double value = (double)NAN;
    assert_int_equal(wr_binary_get(i, type, &number, 1, &value, 1), WR_BINARY_OK);
    return value;
}

static wr_binary_status set_value(wr_binary_instance *i, wr_fmi_type type, uint32_t number,
                                  double value)
{
    return wr_binary_set(i, type, &number, 1, &value, 1);
}

/* Makes a step of the classical Runge-Kutta method from x0 at t_s. */
static void step(wr_binary_instance *i, double t_s, double h_s, const double *x0, double *x, int n)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double k[2] = {0}, sum[2] = {0};
    for (int m = 0; m < 4; m++) {
        for (int j = 0; j < n; j++)
            x[j] = x0[j] + c[m] * h_s * k[j];
        assert_int_equal(wr_binary_set_time(i, t_s + c[m] * h_s), WR_BINARY_OK);
        assert_int_equal(wr_binary_set_states(i, x, n), WR_BINARY_OK);
        assert_int_equal(wr_binary_get_derivatives(i, k, n), WR_BINARY_OK);
        for (int j = 0; j < n; j++)
            sum[j] += b[m] * k[j];
    }
    for (int j = 0; j < n; j++)
        x[j] = x0[j] + h_s * sum[j];
    assert_int_equal(wr_binary_set_time(i, t_s + h_s), WR_BINARY_OK);
    assert_int_equal(wr_binary_set_states(i, x, n), WR_BINARY_OK);
}

/* Iterates an event. Returns the number of iterations. */
static int iterate(wr_binary_instance *i, wr_binary_update *ret)
{
    int n = 0;
    wr_binary_update sum = {.next_time_s = (double)INFINITY};
    do {
        assert_int_equal(wr_binary_update_discrete(i, ret), WR_BINARY_OK);
        sum.is_terminated |= ret->is_terminated;
        sum.has_new_states |= ret->has_new_states;
        sum.has_new_nominals |= ret->has_new_nominals;
        sum.next_time_s = ret->next_time_s;
        n++;
    } while (ret->is_iteration_needed);
    *ret = sum;
    assert_int_equal(wr_binary_leave_events(i), WR_BINARY_OK);
    return n;
}

/* Defines the tests name_2 and name_3, for FMI 2.0 and 3.0. */
#define BOTH(name)                                                                                 \
    static void name(int version);                                                                 \
    TEST(name##_2) { name(2); }                                                                    \
    TEST(name##_3) { name(3); }                                                                    \
    static void name(int version)

enum { ALL = WR_FMI_NEED_STATE | WR_FMI_NEED_SERIALISE | WR_FMI_NEED_DIRECTIONAL };

static double run_oscillator(wr_binary_instance *i, double t_s, double stop_s, double *x)
{
    enum { N = 1000 };
    wr_binary_step news;
    for (int k = 0; k < N; k++) {
        const double x0[2] = {x[0], x[1]};
        step(i, t_s + (stop_s - t_s) * k / N, (stop_s - t_s) / N, x0, x, 2);
        assert_int_equal(wr_binary_step_completed(i, 1, &news), WR_BINARY_OK);
        assert_false(news.is_event || news.is_terminated);
    }
    return x[0];
}

BOTH(oscillator_me)
{
    wr_binary *b = opened("oscillator", version, WR_FMI_NEED_ME | ALL);
    wr_binary_instance *i = instance_of(b);
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, 20, 3), WR_BINARY_OK);
    initialise(i);
    wr_binary_update update;
    assert_int_equal(iterate(i, &update), 1);
    assert_true(isinf(update.next_time_s));
    double x[2], nominal[2];
    assert_int_equal(wr_binary_get_states(i, x, 2), WR_BINARY_OK);
    assert_int_equal(wr_binary_get_nominals(i, nominal, 2), WR_BINARY_OK);
    assert_true(x[0] == 1 && x[1] == 0 && nominal[0] == 1 && nominal[1] == 2);
    assert_close(run_oscillator(i, 0, 1, x), cos(3), 0, 1e-11);
    assert_close(value_of(i, WR_FMI_FLOAT64, 22), -3 * sin(3), 0, 1e-10);

    /* A kept state, its bytes, and the state from these bytes give the same continuation. */
    void *slot = NULL, *again = NULL;
    assert_int_equal(wr_binary_keep(i, &slot), WR_BINARY_OK);
    double y[2] = {x[0], x[1]}, z[2];
    const double end = run_oscillator(i, 1, 2, y);
    size_t n_bytes = 0;
    assert_int_equal(wr_binary_state_bytes(i, slot, &n_bytes), WR_BINARY_OK);
    unsigned char bytes[4096];
    assert_in_range(n_bytes, 1, sizeof bytes);
    assert_int_equal(wr_binary_write_state(i, slot, bytes, n_bytes), WR_BINARY_OK);
    assert_int_equal(wr_binary_read_state(i, bytes, n_bytes, &again), WR_BINARY_OK);
    void *const states[2] = {slot, again};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(set_value(i, WR_FMI_FLOAT64, 20, 77), WR_BINARY_OK);
        assert_int_equal(wr_binary_go_back(i, states[k]), WR_BINARY_OK);
        assert_int_equal(wr_binary_get_states(i, z, 2), WR_BINARY_OK);
        assert_memory_equal(z, x, sizeof z);
        assert_true(run_oscillator(i, 1, 2, z) == end);
    }
    assert_int_equal(wr_binary_forget(i, &slot), WR_BINARY_OK);
    assert_int_equal(wr_binary_forget(i, &again), WR_BINARY_OK);
    assert_true(!slot && !again);

    const uint32_t unknown[2] = {10, 11}, known[2] = {0, 21};
    const double seed[2] = {1, 0.5};
    double sensitivity[2];
    assert_int_equal(wr_binary_directional(i, unknown, 2, known, 2, seed, sensitivity),
                     WR_BINARY_OK);
    assert_close(sensitivity[0], 0, 0, 0);
    assert_close(sensitivity[1], -9 + 0.5, 1e-12, 0);

    assert_int_equal(wr_binary_terminate(i), WR_BINARY_OK);
    assert_int_equal(wr_binary_reset(i), WR_BINARY_OK);
    initialise(i);
    assert_true(value_of(i, WR_FMI_FLOAT64, 20) == 2 && value_of(i, WR_FMI_FLOAT64, 0) == 1);
    wr_binary_free(&i);
    wr_binary_close(&b);
}

BOTH(oscillator_cs)
{
    const unsigned more = version == 2 ? WR_FMI_NEED_INPUT_DERIVATIVES : WR_FMI_NEED_EVENT_MODE;
    wr_binary *b = opened("oscillator", version, WR_FMI_NEED_CS | more);
    wr_binary_instance *i = instance_of(b);
    initialise(i);
    if (version == 3) {
        wr_binary_update update;
        iterate(i, &update);
        assert_int_equal(wr_binary_enter_events(i), WR_BINARY_OK);
        iterate(i, &update);
    }
    const double one = 1;
    const uint32_t u = 21;
    wr_binary_step news = {0};
    enum { N = 20 };
    for (int k = 0; k < N; k++) {
        const double t = k / 20.;
        assert_int_equal(set_value(i, WR_FMI_FLOAT64, u, version == 2 ? t : 0), WR_BINARY_OK);
        const wr_binary_status status = wr_binary_set_input_derivatives(i, &u, 1, &one);
        assert_int_equal(status, version == 2 ? WR_BINARY_OK : WR_BINARY_ERROR);
        assert_int_equal(wr_binary_do_step(i, t, 1 / 20., 1, &news), WR_BINARY_OK);
        assert_true(news.reached_s == t + 1 / 20. && !news.is_event && !news.is_terminated);
    }
    /* x'' = -4 x + t with x(0) = 1, x'(0) = 0; in FMI 3.0 the input is 0 */
    const double expected = cos(2) + (version == 2 ? 0.25 - sin(2) / 8 : 0);
    assert_close(value_of(i, WR_FMI_FLOAT64, 0), expected, 0, 1e-8);
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, 23, 1.25), WR_BINARY_OK);
    assert_int_equal(wr_binary_do_step(i, 1, 0.5, 1, &news), WR_BINARY_OK);
    assert_close(news.reached_s, 1.25, 0, 1e-12);
    assert_int_equal(news.is_event, version == 3);
    wr_binary_free(&i);
    wr_binary_close(&b);
}

BOTH(ball)
{
    wr_binary *b = opened("ball", version, WR_FMI_NEED_ME);
    wr_binary_instance *i = instance_of(b);
    initialise(i);
    wr_binary_update update;
    iterate(i, &update);
    double x[2], t = 0, z = 0, expected = sqrt(2 / 9.81);
    assert_int_equal(wr_binary_get_nominals(i, x, 2), WR_BINARY_OK);
    assert_true(x[0] == 1 && x[1] == 4);
    assert_int_equal(wr_binary_get_states(i, x, 2), WR_BINARY_OK);
    int n_bounce = 0;
    for (update.is_terminated = 0; !update.is_terminated;) {
        const double x0[2] = {x[0], x[1]};
        double low = 0, high = 1. / 64;
        step(i, t, high, x0, x, 2);
        assert_int_equal(wr_binary_get_indicators(i, &z, 1), WR_BINARY_OK);
        if (z >= 0) {
            t += high;
            continue;
        }
        /* The method is exact for this motion, so the step's length to the zero is exact to rounding. */
        for (int k = 0; k < 60; k++) {
            const double middle = (low + high) / 2;
            step(i, t, middle, x0, x, 2);
            assert_int_equal(wr_binary_get_indicators(i, &z, 1), WR_BINARY_OK);
            *(z < 0 ? &high : &low) = middle;
        }
        step(i, t, high, x0, x, 2);
        t += high;
        assert_close(t, expected, 0, 1e-11);
        assert_int_equal(wr_binary_enter_events(i), WR_BINARY_OK);
        assert_int_equal(iterate(i, &update), 2);
        assert_true(update.has_new_states && !update.has_new_nominals);
        n_bounce++;
        assert_true(value_of(i, WR_FMI_INT32, 21) == n_bounce);
        expected += 2 * sqrt(2 / 9.81) * pow(0.75, n_bounce);
        assert_int_equal(wr_binary_get_states(i, x, 2), WR_BINARY_OK);
        assert_true(x[0] == 0 && x[1] > 0);
    }
    assert_int_equal(n_bounce, 9);
    wr_binary_free(&i);
    wr_binary_close(&b);
}

BOTH(sampler)
{
    wr_binary *b = opened("sampler", version, WR_FMI_NEED_ME);
    wr_binary_instance *i = instance_of(b);
    initialise(i);
    wr_binary_update update;
    double x = 0, sum = 0, nominal;
    for (int k = 0; k < 8; k++) {
        const double t = k * 0.125;
        if (k > 0) {
            assert_int_equal(wr_binary_set_time(i, t), WR_BINARY_OK);
            assert_int_equal(wr_binary_enter_events(i), WR_BINARY_OK);
        }
        assert_int_equal(set_value(i, WR_FMI_FLOAT64, 20, t * t), WR_BINARY_OK);
        iterate(i, &update);
        assert_true(update.next_time_s == (k + 1) * 0.125);
        assert_int_equal(update.has_new_nominals, k + 1 == 5);
        assert_int_equal(wr_binary_get_nominals(i, &nominal, 1), WR_BINARY_OK);
        assert_true(nominal == (k + 1 >= 5 ? 10 : 1));
        assert_true(value_of(i, WR_FMI_FLOAT64, 22) == t * t);
        const double x0 = x;
        step(i, t, 0.125, &x0, &x, 1);
        sum += 0.125 * t * t;
    }
    assert_true(value_of(i, WR_FMI_INT32, 23) == 8);
    assert_close(x, sum, 1e-14, 0);
    /* The FMU keeps no state. */
    void *slot = NULL;
    char log[WR_BINARY_LOG_BYTES];
    assert_int_equal(wr_binary_keep(i, &slot), WR_BINARY_ERROR);
    wr_binary_log(i, log);
    assert_string_equal(log, version == 2
                                 ? "the description of the FMU does not offer fmi2GetFMUstate"
                                 : "the description of the FMU does not offer fmi3GetFMUState");
    /* NaN as the time of the next event is an error. */
    assert_int_equal(wr_binary_enter_events(i), WR_BINARY_OK);
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, 21, (double)NAN), WR_BINARY_OK);
    assert_int_equal(wr_binary_update_discrete(i, &update), WR_BINARY_ERROR);
    wr_binary_free(&i);
    wr_binary_close(&b);
}

BOTH(types)
{
    wr_binary *b = opened("array", version, WR_FMI_NEED_CS);
    wr_binary_instance *i = instance_of(b);
    const wr_binary_experiment experiment = {0, (double)NAN, (double)NAN};
    assert_int_equal(wr_binary_enter_initialisation(i, &experiment), WR_BINARY_OK);
    const uint32_t number[3] = {20, 21, 22};
    assert_int_equal(wr_binary_get(i, WR_FMI_INT32, number, 0, NULL, 0), WR_BINARY_OK);
    const double a[3] = {0.5, -2, 8};
    double got[3];
    const int n = version == 2 ? 3 : 1; /* FMI 3.0: one array */
    assert_int_equal(wr_binary_set(i, WR_FMI_FLOAT64, number, n, a, 3), WR_BINARY_OK);
    assert_int_equal(wr_binary_get(i, WR_FMI_FLOAT64, number, n, got, 3), WR_BINARY_OK);
    assert_memory_equal(got, a, sizeof a);
    assert_int_equal(wr_binary_get(i, WR_FMI_FLOAT64, number, n, got, 2), WR_BINARY_ERROR);
    assert_int_equal(set_value(i, WR_FMI_ENUMERATION, 23, 3), WR_BINARY_OK);
    assert_int_equal(set_value(i, WR_FMI_BOOLEAN, 24, 1), WR_BINARY_OK);
    assert_true(value_of(i, WR_FMI_FLOAT64, 25) == 3 * 6.5);
    assert_true(value_of(i, WR_FMI_ENUMERATION, 23) == 3);
    assert_true(value_of(i, WR_FMI_BOOLEAN, 24) == 1);

    /* The largest and the smallest value, and the next values outside. */
    static const struct {
        wr_fmi_type type;
        double low, high;
    } row[] = {{WR_FMI_INT32, -0x1p31, 0x1p31 - 1},
               {WR_FMI_BOOLEAN, 0, 1},
               {WR_FMI_INT8, -128, 127},
               {WR_FMI_UINT8, 0, 255},
               {WR_FMI_INT16, -32768, 32767},
               {WR_FMI_UINT16, 0, 65535},
               {WR_FMI_UINT32, 0, 0x1p32 - 1},
               {WR_FMI_INT64, 1 - 0x1p53, 0x1p53 - 1},
               {WR_FMI_UINT64, 0, 0x1p53 - 1}};
    for (int k = 0; k < (version == 2 ? 2 : 9); k++) {
        const wr_fmi_type type = row[k].type;
        assert_int_equal(set_value(i, type, 26, row[k].low), WR_BINARY_OK);
        assert_true(value_of(i, type, 26) == row[k].low);
        assert_int_equal(set_value(i, type, 26, row[k].high), WR_BINARY_OK);
        assert_true(value_of(i, type, 26) == row[k].high);
        const double bad[] = {row[k].high + 1, row[k].low - 1, 0.5, (double)NAN};
        for (int j = 0; j < 4; j++)
            assert_int_equal(set_value(i, type, 26, bad[j]), WR_BINARY_ERROR);
        assert_true(value_of(i, type, 26) == row[k].high);
    }
    if (version == 3) {
        assert_int_equal(set_value(i, WR_FMI_FLOAT32, 26, 0.1), WR_BINARY_OK);
        assert_true(value_of(i, WR_FMI_FLOAT32, 26) == (double)0.1f);
        assert_int_equal(set_value(i, WR_FMI_FLOAT32, 26, 1e39), WR_BINARY_ERROR);
        assert_int_equal(set_value(i, WR_FMI_FLOAT32, 26, (double)INFINITY), WR_BINARY_OK);
        /* An integer that a double may have rounded */
        assert_int_equal(set_value(i, WR_FMI_FLOAT64, 26, 0x1p53), WR_BINARY_OK);
        const uint32_t k = 26;
        assert_int_equal(wr_binary_get(i, WR_FMI_INT64, &k, 1, got, 1), WR_BINARY_ERROR);
        assert_int_equal(wr_binary_get(i, WR_FMI_UINT64, &k, 1, got, 1), WR_BINARY_ERROR);
    }
    assert_int_equal(wr_binary_get(i, WR_FMI_STRING, number, 1, got, 1), WR_BINARY_ERROR);
    wr_binary_free(&i);
    wr_binary_close(&b);
}

/* Expects that a binary cannot be opened, with a part of the message. */
static void refused(const wr_binary_source *source, const char *part)
{
    error.text[0] = 0;
    assert_null(wr_binary_open(source, &error));
    if (!strstr(error.text, part))
        print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, part));
    assert_int_equal(error.status, WRSIM_E_PLUGIN);
}

static void expect_log(wr_binary_instance *i, const char *expected)
{
    char log[WR_BINARY_LOG_BYTES];
    wr_binary_log(i, log);
    assert_string_equal(log, expected);
}

static void expect_text(const char *expected, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    wr_binary_log_text(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_string_equal(text, expected);
}

TEST(log_texts)
{
    int written = 7;
    expect_text("a b 5 % 1.50 ff -1", "a %s %d %% %.2f %x %ld", "b", 5, 1.5, 255, -1L);
    expect_text("4294967295 18446744073709551615 x  ab|c", "%u %zu %c %3s|%.1s", ~0u, ~(size_t)0,
                'x', "ab", "cd");
    expect_text("1.5", "%Lg", 1.5L);
    /* pointers to no string, a specifier that would write, and specifiers that stay as they are */
    expect_text("%s %s %n 5", "%s %s %n %d", NULL, (void *)8, &written, 5);
    assert_int_equal(written, 7);
    expect_text("1 %*d %d %", "%d %*d %d %", 1, 2, 3, 4);
    expect_text("%9999d %s", "%9999d %s", 1, "a");
    expect_text("%y %s", "%y %s", "a");
    expect_text("", NULL);
    /* a string up to the end of a page that no readable page follows */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    memcpy(pages + page - 3, "ab", 3);
    expect_text("ab", "%s", pages + page - 3);
    pages[page - 1] = 'c';
    expect_text("%s", "%s", pages + page - 3);
    munmap(pages, 2 * page);
    /* texts that are longer than the buffer */
    char text[1000], format[1000];
    memset(text, 'a', sizeof text - 1);
    text[999] = 0;
    snprintf(format, sizeof format, "%.63s", text);
    expect_text(format, "%s", text);
    expect_text(format, text);
    expect_text(format, "%s%d", text, 5);
}

BOTH(status)
{
    const unsigned uses = WR_FMI_NEED_ME | WR_FMI_NEED_STATE;
    wr_binary *b = opened("oscillator", version, uses), *c = opened("oscillator", version, uses);
    wr_binary_instance *i = instance_of(b), *j = instance_of(c);
    initialise(i);
    wr_binary_update update;
    iterate(i, &update);
    expect_log(i, "");
    void *slot = NULL;
    assert_int_equal(wr_binary_keep(i, &slot), WR_BINARY_OK);
    const double bad[][2] = {{1e7, 0}, {1e9, 0}, {-1e7, 0}, {-1e9, 0}, {(double)NAN, 0}};
    assert_int_equal(wr_binary_set_states(i, bad[0], 2), WR_BINARY_DISCARD);
    expect_log(i, version == 2 ? "a state is 1e+07" : "a state is %g");

    /* A long text is cut between characters. */
    char log[WR_BINARY_LOG_BYTES];
    assert_int_equal(wr_binary_set_states(i, bad[1], 2), WR_BINARY_DISCARD);
    wr_binary_log(i, log);
    assert_true(strncmp(log, " ?\xc3\xbc", 4) == 0);
    assert_int_equal(strlen(log), WR_BINARY_LOG_BYTES - 2);
    assert_true(wr_utf8_is_valid(log));

    /* After an error the FMU cannot be terminated, but can return to a kept state. */
    for (int k = 2; k < 4; k++) {
        assert_int_equal(wr_binary_set_states(i, bad[k], 2), WR_BINARY_ERROR);
        char text[128];
        snprintf(text, sizeof text,
                 "fmi%dSetContinuousStates returns the status 'error', and the FMU logs no reason",
                 version);
        expect_log(i, k == 3         ? text
                      : version == 2 ? "a state is -1e+07; no end of the run"
                                     : "a state is %g; no end of the run");
        assert_int_equal(wr_binary_terminate(i), WR_BINARY_ERROR);
        expect_log(i, "after an error the FMU cannot be terminated");
        assert_int_equal(wr_binary_go_back(i, slot), WR_BINARY_OK);
    }
    double x[2] = {-150, 0};
    wr_binary_step news;
    assert_int_equal(wr_binary_set_states(i, x, 2), WR_BINARY_OK);
    assert_int_equal(wr_binary_step_completed(i, 1, &news), WR_BINARY_OK);
    assert_true(news.is_event && !news.is_terminated);
    assert_int_equal(wr_binary_forget(i, &slot), WR_BINARY_OK);
    assert_int_equal(wr_binary_forget(i, &slot), WR_BINARY_OK);

    /* Errors: a nominal value that is not finite, and a call out of order. Each instance has its own log. */
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, 29, (double)INFINITY), WR_BINARY_OK);
    assert_int_equal(wr_binary_get_nominals(i, x, 2), WR_BINARY_ERROR);
    initialise(j);
    assert_int_equal(wr_binary_set_time(j, 1), WR_BINARY_ERROR);
    expect_log(j, version == 2 ? "fmi2SetTime" : "fmi3SetTime");
    expect_log(i, "a nominal value of a state is not finite");

    /* After a fatal error no call reaches an instance of the FMU, also of another wr_binary. */
    assert_int_equal(wr_binary_set_states(i, bad[4], 2), WR_BINARY_FATAL);
    assert_int_equal(wr_binary_get_states(i, x, 2), WR_BINARY_FATAL);
    assert_int_equal(wr_binary_get_states(j, x, 2), WR_BINARY_FATAL);
    assert_null(wr_binary_instantiate(b, "second", &error));
    wr_binary_free(&i);
    wr_binary_free(&j);
    wr_binary_close(&b);
    wr_binary_close(&c);
    const wr_binary_source source = source_of("oscillator", version, uses);
    refused(&source, "has reported a fatal error, so the process cannot use it again");
}

/* A co-simulation step from 0 to 1 that the FMU ends at 0.5, with a fault. */
static wr_binary_status faulty_step(int version, uint32_t number, double fault, wr_binary_step *ret)
{
    wr_binary *b = opened("early", version, WR_FMI_NEED_CS);
    wr_binary_instance *i = instance_of(b);
    initialise(i);
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, 23, 0.5), WR_BINARY_OK);
    assert_int_equal(set_value(i, WR_FMI_FLOAT64, number, fault), WR_BINARY_OK);
    const wr_binary_status status = wr_binary_do_step(i, 0, 1, 1, ret);
    if (status == WR_BINARY_OK && version == 3)
        expect_log(i, ""); /* in FMI 2.0 a step that ends early needs a reason */
    if (version == 2 && status == WR_BINARY_DISCARD)
        expect_log(i, "fmi2DoStep returns the status 'discard', and the FMU logs no reason");
    wr_binary_free(&i);
    wr_binary_close(&b);
    return status;
}

BOTH(early_steps)
{
    wr_binary_step news;
    assert_int_equal(faulty_step(version, 27, 0, &news), WR_BINARY_OK);
    assert_close(news.reached_s, 0.5, 0, 1e-12);
    assert_true(!news.is_event && !news.is_terminated);
    assert_int_equal(faulty_step(version, 27, 0.5 + 1e-9, &news), WR_BINARY_OK);
    assert_true(news.reached_s == 1);
    assert_int_equal(faulty_step(version, 27, -0.5 - 1e-9, &news), WR_BINARY_DISCARD);
    assert_int_equal(faulty_step(version, 27, 1, &news), WR_BINARY_DISCARD);
    assert_int_equal(faulty_step(version, 27, -1, &news), WR_BINARY_DISCARD);
    assert_int_equal(faulty_step(version, 27, (double)NAN, &news), WR_BINARY_DISCARD);
    if (version == 3)
        assert_int_equal(faulty_step(version, 26, 1, &news), WR_BINARY_ERROR);
    else
        assert_int_equal(faulty_step(version, 28, 1, &news), WR_BINARY_FATAL);
}

static void *run_alone(void *instance)
{
    wr_binary_update update;
    double x[2];
    initialise(instance);
    iterate(instance, &update);
    assert_int_equal(wr_binary_get_states(instance, x, 2), WR_BINARY_OK);
    const double bad[2] = {1e7, 0};
    assert_int_equal(wr_binary_set_states(instance, bad, 2), WR_BINARY_DISCARD);
    assert_close(run_oscillator(instance, 0, 1, x), cos(2), 0, 1e-11);
    return NULL;
}

/* Instances of one FMU on two threads. The record of the enclosing call of a thread stays. */
BOTH(threads)
{
    wr_binary *b = opened("foreign", version, WR_FMI_NEED_ME);
    wr_binary_instance *i = instance_of(b), *j = instance_of(b);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run_alone, j), 0);
    wr_calling_begin("owner", "rhs", 0);
    run_alone(i);
    assert_string_equal(wr_calling_now.callback, "rhs");
    assert_string_equal(wr_calling_now.owner, "owner");
    wr_calling_end();
    assert_int_equal(pthread_join(other, NULL), 0);
    wr_binary_free(&i);
    wr_binary_free(&j);
    wr_binary_close(&b);
}

/* Renames the first library that the binary of the FMU needs to libX*.so. */
static void rename_library(const wr_binary_source *source)
{
    char command[16384];
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c 'import re, sys; f = sys.argv[1]; "
             "b, n = re.subn(rb\"\\0lib[a-z](\\w*\\.so\\.\\d+)\\0\", rb\"\\0libX\\1\\0\", "
             "open(f, \"rb\").read(), count=1); assert n; open(f, \"wb\").write(b)' "
             "'%s/binaries/%s/%s.so'",
             source->folder, source->version == 2 ? "linux64" : "x86_64-linux", source->identifier);
    assert_int_equal(system(command), 0);
}

BOTH(refusals)
{
    wr_binary_source source = source_of("sampler", version, WR_FMI_NEED_ME | WR_FMI_NEED_STATE);
    refused(&source, version == 2 ? "lacks the function 'fmi2GetFMUstate' of FMI 2.0"
                                  : "lacks the function 'fmi3GetFMUState' of FMI 3.0");
    source.identifier = "absent";
    refused(&source, "the FMU has no binary '");
    source = source_of("ball", version, WR_FMI_NEED_ME);
    source.token = "{other}";
    wr_binary *b = wr_binary_open(&source, &error);
    assert_null(wr_binary_instantiate(b, "plant", &error));
    assert_non_null(strstr(error.text, version == 2
                                           ? "belongs to the binary (guid)"
                                           : "belongs to the binary (instantiationToken)"));
    assert_non_null(strstr(error.text, version == 2 ? "the FMU logs: wrong GUID "
                                                    : "the FMU logs: wrong token %n"));
    wr_binary_close(&b);
    source = source_of("other_version", version, WR_FMI_NEED_ME);
    refused(&source, "reports FMI version '3.0-beta.2', but the description of the FMU says");
    if (version == 2) {
        source = source_of("other_types", version, WR_FMI_NEED_ME);
        refused(&source, "reports the types platform 'small'");
    }
    rename_library(&source);
    refused(&source, ": cannot open shared object file");
    assert_non_null(strstr(error.text, "libX"));
}

BOTH(once)
{
    wr_binary *b = opened("once", version, WR_FMI_NEED_ME);
    wr_binary *c = opened("once", version, WR_FMI_NEED_ME);
    wr_binary_instance *i = instance_of(b);
    assert_null(wr_binary_instantiate(c, "second", &error));
    assert_string_equal(
        error.text, "'second' is a second instance of an FMU that allows one instance per process; "
                    "set process = \"own\" in [[component]] of 'second'");
    wr_binary_free(&i);
    i = instance_of(c);
    wr_binary_free(&i);
    wr_binary_close(&b);
    wr_binary_close(&c);
}

BOTH(foreign_libraries)
{
    assert_int_equal(CVode() + dgetrf_() + H5open(), 300);
#if WR_SHARED_OBJECT_CAN_ISOLATE
    wr_binary *b = opened("foreign", version, WR_FMI_NEED_ME);
    wr_binary_instance *i = instance_of(b);
    initialise(i);
    assert_true(value_of(i, WR_FMI_FLOAT64, 24) == 7);
    assert_int_equal(CVode() + dgetrf_() + H5open(), 300);
    wr_binary_free(&i);
    wr_binary_close(&b);
#endif
}

BOTH(prints_and_rounding)
{
    static const char *const name[] = {"prints", "rounds"};
    for (int k = 0; k < 2; k++) {
        wr_binary *b = opened(name[k], version, WR_FMI_NEED_ME);
        wr_binary_instance *i = instance_of(b);
        initialise(i);
        double dx[2];
        assert_int_equal(wr_binary_get_derivatives(i, dx, 2), WR_BINARY_OK);
        assert_true(dx[1] == -4);
        assert_int_equal(fegetround(), FE_TONEAREST);
        wr_binary_free(&i);
        wr_binary_close(&b);
    }
}

/* The start of an FMU leaves the current folder and the locale unchanged. */
BOTH(folder_and_locale)
{
    static const char *const name[] = {"moves", "locale"};
    char before[PATH_MAX], after[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    for (int k = 0; k < 2; k++) {
        wr_binary *b = opened(name[k], version, WR_FMI_NEED_ME);
        wr_binary_instance *i = instance_of(b);
        initialise(i);
        assert_non_null(getcwd(after, sizeof after));
        assert_string_equal(before, after);
        assert_string_equal(setlocale(LC_ALL, NULL), "C");
        wr_binary_free(&i);
        wr_binary_close(&b);
    }
}

static const char *expected_call;

/* Ends the child: 42 if the record names the call, else 43. */
static void check_record(void)
{
    const wr_calling *const now = &wr_calling_now;
    const int is_named = now->callback && strcmp(now->callback, expected_call) == 0 &&
                         strcmp(now->owner, "hall") == 0;
    _exit(is_named ? 42 : 43);
}

static void at_signal(int number)
{
    (void)number;
    check_record();
}

/* A child process whose FMU ends the process in a call. */
static void child_ends(const char *name, int version, const char *call)
{
    source_of(name, version, 0);
    const pid_t child = fork();
    if (child == 0) {
        expected_call = call;
        atexit(check_record);
        signal(SIGSEGV, at_signal);
        wr_binary *b = opened(name, version, WR_FMI_NEED_ME);
        wr_calling_begin("hall", "init", (double)NAN); /* the component that makes the instance */
        wr_binary_instance *i = instance_of(b);
        wr_calling_end();
        initialise(i);
        _exit(44);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

BOTH(exit_and_crash)
{
    const char *const call =
        version == 2 ? "fmi2ExitInitializationMode" : "fmi3ExitInitializationMode";
    child_ends("exits", version, call);
    child_ends("crashes", version, call);
}
