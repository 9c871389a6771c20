/* Start values across subsystems: random models have the same values in one group and in any grouping. Each component reads only known
 * inputs. Loops are solved or reported. Arguments: the plug-in start_models, and the number of random models (default 100). */
#include "wr_test.h"

#include "base/check.h"
#include "wrsim/wrsim.h"

enum { MOST = 7, TEXT_BYTES = 16384 };

/* xorshift64*: S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, 2016. */
static uint64_t random_state;

static double uniform(double low, double high)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return low + (high - low) * (double)((random_state * 0x2545F4914F6CDD1DULL) >> 11) * 0x1p-53;
}

static int pick(int n) { return (int)uniform(0.0, (double)n); }

typedef struct source_text {
    char text[TEXT_BYTES];
    size_t n;
} source_text;

static void put(source_text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(source_text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    to->n += (size_t)vsnprintf(to->text + to->n, TEXT_BYTES - to->n, format, args);
    va_end(args);
    assert_true(to->n < TEXT_BYTES);
}

static void put_head(source_text *to)
{
    put(to, "[simulation]\nstop = 1.0\nrtol = 1e-6\n[[plugin]]\nfile = \"%s\"\n", wr_test_arg(1));
}

/* Returns NULL and sets err if the model has no start values. */
static wrsim *prepare(const char *text, int is_monolithic, wrsim_error *err)
{
    /* One worker computes start values. Reading the machine's topology takes longer than a preparation. */
    static const char *const overrides[] = {"scheduler.workers=1", "scheduler.topology=core:1 pu:1",
                                            "output.file=\"\"", "simulation.monolithic=true"};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_status status = wrsim_config_from_text(text, strlen(text), "start.toml", overrides,
                                                 3 + is_monolithic, NULL, NULL, &config, err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, err);
    wrsim_config_destroy(&config);
    if (status < 0)
        print_error("%s\n%s\n", err->text, text);
    assert_true(status >= 0);
    if (wrsim_prepare(sim, err) < 0)
        wrsim_destroy(&sim);
    return sim;
}

static double value(wrsim *sim, const char *name) { return wrsim_get(sim, wrsim_find(sim, name)); }

/* ---- random models ---- */

typedef struct random_model {
    int n;
    source_text source;
} random_model;

typedef enum wiring {
    WIRING_ANY,    /* loops of all kinds */
    WIRING_FEW,    /* component j reads components 0 to j */
    WIRING_ORDERED /* component j reads components 0 to j - 1; c0 has constant inputs */
} wiring;

/* Gains are at most 0.9 per component, so a loop has one solution for given modes. Names have a random order, so the config's order is
 * independent of the dependencies. With has_kick initial events change outputs. */
static void make_random(random_model *m, uint64_t seed, wiring how, int is_strict, int has_kick)
{
    random_state = 0x9E3779B97F4A7C15ULL * (seed + 1);
    for (int i = 0; i < 8; i++)
        uniform(0.0, 1.0);
    m->n = 2 + pick(MOST - 1);
    m->source.n = 0;
    put_head(&m->source);
    int order[MOST + 1] = {0};
    for (int i = 0; i < m->n; i++) {
        const int k = pick(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < m->n; i++)
        put(&m->source,
            "[[component]]\nname = \"c%d\"\nmodel = \"start.mix\"\n"
            "parameters = { k1 = %.6f, k2 = %.6f, k3 = %.6f, offset = %.6f, threshold = %.6f, "
            "is_strict = %d, kick = %.6f }\nstart = { x = %.6f%s }\n",
            order[i], uniform(-0.9, 0.9), uniform(-0.45, 0.45), uniform(-0.45, 0.45),
            uniform(1.0, 2.0), uniform(-3.0, 3.0), is_strict, has_kick ? uniform(-0.5, 0.5) : 0.0,
            uniform(1.0, 3.0),
            how == WIRING_ORDERED && order[i] == 0 ? ", u0 = 0.7, u1 = -0.4" : "");
    static const char *const outputs[] = {"y_held", "y_one", "y_both", "y_state"};
    for (int j = how == WIRING_ORDERED; j < m->n; j++)
        for (int k = 0; k < 2; k++) {
            const int n_from = how == WIRING_ANY ? m->n : how == WIRING_FEW ? j + 1 : j;
            const int from = pick(n_from);
            put(&m->source, "[[connection]]\nfrom = \"c%d.%s\"\nto = \"c%d.u%d\"\n", from,
                outputs[pick(4)], j, k);
        }
    /* A subsystem contains neighbours, or one component. */
    for (int i = 0, first = 0; i < m->n; i++)
        if (is_strict || i + 1 == m->n || uniform(0.0, 1.0) < 0.6) {
            put(&m->source, "[[subsystem]]\nname = \"s%d\"\ncomponents = [", i);
            for (int k = first; k <= i; k++)
                put(&m->source, "%s\"c%d\"", k > first ? ", " : "", k);
            put(&m->source, "]\n");
            first = i + 1;
        }
}

/* Fails if a start value of the split run differs from the run with one group. */
static void compare(wrsim *one, wrsim *split, const random_model *m, uint64_t seed)
{
    static const char *const names[] = {"u0",      "u1",   "y_held", "y_one", "y_both",
                                        "y_state", "held", "seen",   "count"};
    for (int i = 0; i < m->n; i++)
        for (size_t k = 0; k < WR_COUNT_OF(names); k++) {
            char name[32];
            snprintf(name, sizeof name, "c%d.%s", i, names[k]);
            const double expected = value(one, name), found = value(split, name);
            if (!(fabs(found - expected) <= 1e-8 * (1.0 + fabs(expected))))
                print_error("seed %llu, %s: %.17g, in one group %.17g\n%s",
                            (unsigned long long)seed, name, found, expected, m->source.text);
            assert_close(found, expected, 1e-8, 1e-8);
        }
}

static wrsim *prepare_random(const random_model *m, uint64_t seed, int is_monolithic)
{
    wrsim_error err = {0};
    wrsim *const sim = prepare(m->source.text, is_monolithic, &err);
    if (err.status == WRSIM_E_CHATTER) /* contradictory modes in a loop */
        return NULL;
    if (!sim)
        print_error("seed %llu, monolithic %d: %s\n%s", (unsigned long long)seed, is_monolithic,
                    err.text, m->source.text);
    assert_non_null(sim);
    return sim;
}

TEST(random)
{
    const int n_random = (int)wr_test_number(2, 100);
    static random_model m;
    int n_chatter = 0, n_one = 0, n_split = 0;
    for (int i = 0; i < n_random; i++) {
        make_random(&m, (uint64_t)i, i % 2 ? WIRING_FEW : WIRING_ANY, 0, i / 2 % 2);
        AUTO(wrsim_destroy)
        wrsim *one = prepare_random(&m, (uint64_t)i, 1),
              *split = prepare_random(&m, (uint64_t)i, 0);
        n_chatter += !one && !split;
        n_one += !one && split;
        n_split += one && !split;
        if (one && split)
            compare(one, split, &m, (uint64_t)i);
    }
    printf(
        "# of %d random models %d have no modes that last, %d in one group only, %d split only\n",
        n_random, n_chatter, n_one, n_split);
    assert_true(n_chatter + n_one + n_split <= n_random / 10);
}

/* If no component depends on itself, every call has all its inputs: a model refuses unset inputs. */
TEST(inputs_of_calls_are_known)
{
    const int n_random = (int)wr_test_number(2, 100);
    static random_model m;
    for (int i = 0; i < n_random; i++) {
        make_random(&m, (uint64_t)i, WIRING_ORDERED, 0, i / 2 % 2);
        AUTO(wrsim_destroy) wrsim *one = prepare_random(&m, (uint64_t)i, 1);
        make_random(&m, (uint64_t)i, WIRING_ORDERED, 1, i / 2 % 2);
        AUTO(wrsim_destroy) wrsim *split = prepare_random(&m, (uint64_t)i, 0);
        compare(one, split, &m, (uint64_t)i);
    }
}

/* ---- loops ---- */

/* c0 and c2 in one subsystem, c1 in another: c0.y_one -> c2.u0, c2.y_one -> c1.u0, c1.y_one -> c0.u0. */
static const char *loop_of(source_text *to, double gain, int is_strict)
{
    to->n = 0;
    put_head(to);
    for (int i = 0; i < 3; i++)
        put(to,
            "[[component]]\nname = \"c%d\"\nmodel = \"start.mix\"\nparameters = { k1 = %.17g, "
            "offset = 1, threshold = -1, is_strict = %d }\nstart = { u1 = 0.5 }\n",
            i, i == 1 ? -gain : 1.0, i == 1 ? is_strict : 0);
    for (int i = 0; i < 3; i++)
        put(to, "[[connection]]\nfrom = \"c%d.y_one\"\nto = \"c%d.u0\"\n", (int[]){0, 2, 1}[i],
            (int[]){2, 1, 0}[i]);
    put(to, "[[subsystem]]\nname = \"s\"\ncomponents = [\"c0\", \"c2\"]\n");
    return to->text;
}

/* With a, b, c the outputs of c0, c1, c2: a = 1 + b, c = 1 + a, b = 1 - gain c. */
TEST(loops)
{
    static const double gains[] = {0.5, -0.5, 0.9, -0.9, 0.99, -0.99, 3.0, -3.0, 1e6, -0.999999};
    source_text source;
    for (size_t i = 0; i < WR_COUNT_OF(gains); i++)
        for (int is_strict = 0; is_strict < 2; is_strict++) { /* 1: c1 refuses the first guess 0 */
            wrsim_error err = {0};
            AUTO(wrsim_destroy)
            wrsim *sim = prepare(loop_of(&source, gains[i], is_strict), 0, &err);
            if (!sim)
                print_error("gain %g: %s\n", gains[i], err.text);
            assert_non_null(sim);
            const double b = (1.0 - 2.0 * gains[i]) / (1.0 + gains[i]);
            assert_close(value(sim, "c1.y_one"), b, 1e-9, 1e-9);
            assert_close(value(sim, "c0.y_one"), 1.0 + b, 1e-9, 1e-9);
            assert_close(value(sim, "c1.u0"), 2.0 + b, 1e-9, 1e-9);
        }
}

/* The error has the path of a loop without a solution through all components, and a model's reason to refuse. */
TEST(loop_faults)
{
    static const char way[] = "c2.y_one -> c1.u0 -> c1.y_one -> c0.u0 -> c0.y_one -> c2.u0 across";
    source_text source;
    wrsim_error err = {0};
    assert_null(prepare(loop_of(&source, -1.0, 0), 0, &err));
    assert_int_equal(err.status, WRSIM_E_LOOP);
    if (!strstr(err.text, way))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, way));
    assert_null(prepare(loop_of(&source, 0.5, 2), 0, &err));
    assert_int_equal(err.status, WRSIM_E_CALLBACK);
    assert_string_equal(err.subsystem, "c1");
    assert_non_null(strstr(err.text, way));
    assert_non_null(strstr(err.text, "it never can"));
}
