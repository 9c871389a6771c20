/* `wrsim bench growth`: time and memory per subsystem in models of many subsystems.
 *
 * Every model repeats one piece, or one group of pieces, with equal start values, so all pieces have about equal work. The time per piece
 * and window therefore shows the overhead of wrsim. Each run is a process of its own, so that the system can report its peak memory. Times
 * of runs are CPU times of the single worker, which other processes hardly disturb.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "bench/bench_rounds.h"
#include "runtime/record/own_file.h"

enum { MAX_SIZE = 8, MAX_ROUND = 5, WARM_WINDOWS = 5, WINDOWS = 20 };
/* length of windows, s; a tenth of R C = 1 s of a section of rc_ladder */
static const double WINDOW_S = 0.1;
/* Least CPU time of a measurement, s (assumed). If the first run takes less, repeated runs replace the first run until the sum of their
 * times is at least ENOUGH_S. */
static const double ENOUGH_S = 0.02;
/* Largest growth of the time per unit that still counts as flat (assumed). */
static const double FLAT = 1.2;

typedef struct figures {
    double cpu_s, start_s, bytes, n_window, n_sweep, n_integration;
    char why[WR_BENCH_TEXT];
} figures;

typedef struct shape {
    const char *name, *unit;
    /* Writes the components, connections and subsystems of a model of size n. */
    void (*write)(FILE *to, int n);
    int size[MAX_SIZE]; /* ended by 0 */
    int is_length;      /* flag: size is the number of windows, not of pieces */
    int n_subsystem;    /* number of subsystems; 0: equal to the size */
} shape;

static void write_piece(FILE *to, int i, int n_state, int is_open)
{
    fprintf(to,
            "[[component]]\nname = \"p%d\"\nmodel = \"rc_ladder\"\nparameters = { n = %d, open_end "
            "= %d }\nstart = { \"v[1]\" = 1.0 }\n[[subsystem]]\nname = \"p%d\"\ncomponents = "
            "[\"p%d\"]\n",
            i, n_state, is_open, i, i);
}

static void write_joint(FILE *to, int left, int right)
{
    fprintf(to,
            "[[connection]]\nfrom = \"p%d.v_last\"\nto = \"p%d.u\"\n[[connection]]\nfrom = "
            "\"p%d.v_first\"\nto = \"p%d.v_right\"\n",
            left, right, right, left);
}

static void write_chain(FILE *to, int n, int n_state, int is_ring)
{
    for (int i = 0; i < n; i++)
        write_piece(to, i, n_state, !is_ring && i == n - 1);
    for (int i = 0; i + 1 < n; i++)
        write_joint(to, i, i + 1);
    if (is_ring)
        write_joint(to, n - 1, 0);
}

static void write_ladder(FILE *to, int n) { write_chain(to, n, 5, 0); }
static void write_ring(FILE *to, int n) { write_chain(to, n, 5, 1); }
static void write_states(FILE *to, int n) { write_chain(to, 10, n, 1); }

/* Writes a model in which one piece drives all other pieces, as a manifold drives its pipes. */
static void write_bank(FILE *to, int n)
{
    for (int i = 0; i < n; i++)
        write_piece(to, i, 5, 1);
    fprintf(to, "[[connection]]\nfrom = \"p0.v_last\"\nto = [");
    for (int i = 1; i < n; i++)
        fprintf(to, "%s\"p%d.u\"", i > 1 ? ", " : "", i);
    fprintf(to, "]\n");
}

/* Writes a valve from one volume into another volume, with signals of the engine models. The mass flow goes to the inputs out<out_port> of
 * the first volume and in<in_port> of the second volume. */
static void write_valve(FILE *to, const char *name, const char *from, int out_port,
                        const char *into, int in_port)
{
    fprintf(to,
            "[[component]]\nname = \"%s\"\nmodel = \"engine.orifice\"\nparameters.area = 2e-4\n",
            name);
    for (int side = 'a'; side <= 'b'; side++)
        fprintf(to,
                "[[connection]]\nfrom = \"%s\"\nto = \"%s\"\nsignals = [\"p -> %c_p\", "
                "\"RT -> %c_RT\", \"T -> %c_T\", \"burned -> %c_burned\", \"h -> %c_h\"]\n",
                side == 'a' ? from : into, name, side, side, side, side, side);
    for (int is_in = 0; is_in < 2; is_in++) {
        char port[32];
        snprintf(port, sizeof port, "%s%d", is_in ? "in" : "out", is_in ? in_port : out_port);
        fprintf(to,
                "[[connection]]\nfrom = \"%s\"\nto = \"%s\"\nsignals = [\"m_air -> %s_m_air\", "
                "\"m_burned -> %s_m_burned\", \"H -> %s_H\"]\n",
                name, is_in ? into : from, port, port, port);
    }
}

/* Writes banks of four hot volumes that discharge into a manifold for the whole run. The first volume of a bank also discharges into the
 * next manifold. */
static void write_pipes(FILE *to, int n)
{
    enum { PIPES = 4, BANK = PIPES + 1 };
    const int n_bank = n / BANK;
    for (int b = 0; b < n_bank; b++) {
        char manifold[16], next[16];
        snprintf(manifold, sizeof manifold, "m%d", b);
        snprintf(next, sizeof next, "m%d", (b + 1) % n_bank);
        fprintf(to,
                "[[component]]\nname = \"%s\"\nmodel = \"engine.volume\"\nparameters = { volume = "
                "2.0, in_ports = %d, out_ports = 0, T_start = 600 }\n[[subsystem]]\nname = "
                "\"%s\"\ncomponents = [\"%s\"]\n",
                manifold, BANK, manifold, manifold);
        for (int k = 1; k <= PIPES; k++) {
            char pipe[32], valve[32];
            snprintf(pipe, sizeof pipe, "p%d_%d", b, k);
            snprintf(valve, sizeof valve, "v%d_%d", b, k);
            fprintf(
                to,
                "[[component]]\nname = \"%s\"\nmodel = \"engine.volume\"\nparameters = { volume "
                "= 1.0, in_ports = 0, out_ports = %d, p_start = 3e5, T_start = 900, "
                "burned_start = 0.8 }\n",
                pipe, k == 1 ? 2 : 1);
            write_valve(to, valve, pipe, 1, manifold, k);
            fprintf(to, "[[subsystem]]\nname = \"%s\"\ncomponents = [\"%s\", \"%s\"", pipe, pipe,
                    valve);
            if (k == 1)
                fprintf(to, ", \"w%d\"", b);
            fprintf(to, "]\n");
        }
        char first[32], second[32];
        snprintf(first, sizeof first, "p%d_1", b);
        snprintf(second, sizeof second, "w%d", b);
        write_valve(to, second, first, 2, next, BANK);
    }
}

/* Writes ten null models in a ring with n connections between neighbours. */
static void write_connections(FILE *to, int n)
{
    enum { PIECES = 10 };
    for (int i = 0; i < PIECES; i++)
        fprintf(to,
                "[[component]]\nname = \"p%d\"\nmodel = \"null\"\nparameters = { n_states = %d, "
                "n_inputs = %d, n_outputs = %d }\n[[subsystem]]\nname = \"p%d\"\ncomponents = "
                "[\"p%d\"]\n",
                i, n, n, n, i, i);
    for (int i = 0; i < PIECES; i++)
        for (int k = 1; k <= n; k++)
            fprintf(to, "[[connection]]\nfrom = \"p%d.y[%d]\"\nto = \"p%d.u[%d]\"\n", i, k,
                    (i + 1) % PIECES, k);
}

/* Writes a model at rest, so that all windows have equal work. */
static void write_long(FILE *to, int n)
{
    (void)n;
    write_connections(to, 5);
}

enum { SMALLEST = 5 }; /* smallest size, except in growth-length (assumed) */

static const shape shapes[] = {
    {"growth-ladder", "subsystems", write_ladder, {SMALLEST, 20, 100, 500, 2000, 10000}, 0, 0},
    {"growth-ring", "subsystems", write_ring, {SMALLEST, 20, 100, 500, 2000, 10000}, 0, 0},
    {"growth-bank", "subsystems", write_bank, {SMALLEST, 20, 100, 500, 2000, 10000}, 0, 0},
    {"growth-pipes", "subsystems", write_pipes, {SMALLEST, 20, 100, 500, 2000, 10000}, 0, 0},
    {"growth-states", "states each", write_states, {SMALLEST, 20, 100, 500}, 0, 10},
    {"growth-connect", "connections", write_connections, {SMALLEST, 20, 100, 500}, 0, 10},
    {"growth-length", "windows", write_long, {20, 100, 1000, 5000}, 1, 10},
};

/* Adds the CPU time and counts of one run after its WARM_WINDOWS first windows to *ret, and sets ret->start_s. */
static wrsim_status run_text(const char *text, size_t bytes, figures *ret, wrsim_error *err)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_stats before = {0}, after = {0};
    const int64_t start_ns = wr_clock_monotonic_ns();
    wrsim_status status =
        wrsim_config_from_text(text, bytes, "growth", NULL, 0, NULL, NULL, &config, err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, err);
    if (status >= 0)
        status = wrsim_prepare(sim, err);
    ret->start_s = (double)(wr_clock_monotonic_ns() - start_ns) * 1e-9;
    if (status >= 0)
        status = wrsim_advance(sim, WARM_WINDOWS * WINDOW_S, err);
    if (status >= 0)
        status = wrsim_stats_get(sim, &before);
    const int64_t cpu_ns = wr_clock_thread_cpu_ns();
    if (status >= 0)
        status = wrsim_run(sim, err);
    ret->cpu_s += (double)(wr_clock_thread_cpu_ns() - cpu_ns) * 1e-9;
    if (status >= 0)
        status = wrsim_stats_get(sim, &after);
    ret->n_window += (double)(after.n_window - before.n_window);
    ret->n_sweep += (double)(after.n_sweep - before.n_sweep);
    ret->n_integration += (double)(after.n_integration - before.n_integration);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    return status;
}

static void write_config(FILE *to, const shape *s, int size)
{
    const double stop_s = WINDOW_S * (WARM_WINDOWS + (s->is_length ? size : WINDOWS));
    fprintf(to,
            "[simulation]\nstop = %.17g\ncommunication_step = %.17g\nrtol = 1e-5\n"
            "[relaxation]\n"
            "window = { initial = %g, min = 1e-6, max = %g, control = \"fixed\" }\n"
            "[scheduler]\nworkers = 1\n[solver]\nkind = \"bs32\"\n",
            stop_s, stop_s, WINDOW_S, WINDOW_S);
    s->write(to, size);
}

static void run_here(const shape *s, int size, figures *ret)
{
    char *text = NULL;
    size_t bytes = 0;
    wrsim_error err = {0};
    long n_page = 0, n_resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &n_page, &n_resident) != 2)
        n_resident = 0;
    if (file)
        fclose(file);
    const double before = (double)n_resident * (double)sysconf(_SC_PAGESIZE);
    FILE *const to = open_memstream(&text, &bytes);
    if (to)
        write_config(to, s, size);
    int is_fine = to && fclose(to) == 0 && run_text(text, bytes, ret, &err) >= 0;
    if (is_fine && ret->cpu_s < ENOUGH_S) {
        *ret = (figures){.cpu_s = 0.0};
        while (is_fine && ret->cpu_s < ENOUGH_S)
            is_fine = run_text(text, bytes, ret, &err) >= 0;
    }
    if (!is_fine)
        snprintf(ret->why, sizeof ret->why, "%.200s", err.text[0] ? err.text : "out of memory");
    free(text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    ret->bytes = 1024.0 * (double)usage.ru_maxrss - before;
}

static void run_apart(const shape *s, int size, figures *ret)
{
    int ends[2], state = 0;
    *ret = (figures){.why = "the process of the run ended early; lower --largest, or free memory"};
    if (pipe(ends) != 0)
        return;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        figures mine = {.cpu_s = 0.0};
        wr_bench_obey_signals();
        run_here(s, size, &mine);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    figures got;
    if (pid > 0 && read(ends[0], &got, sizeof got) == (ssize_t)sizeof got)
        *ret = got;
    if (pid > 0 && wr_bench_is_interrupted())
        kill(pid, SIGKILL);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
}

/* Returns the divisor of the time: pieces (or their states or connections) times windows; in growth-length the windows alone. */
static double units(const shape *s, int size, const figures *f)
{
    return f->n_window * (s->is_length ? 1.0 : size);
}

static int is_wanted(const wr_bench *bench, const shape *s, int i)
{
    return s->size[i] && (i == 0 || s->size[i] <= bench->options.n_largest);
}

/* Adds a row. Returns the median over all rounds of the time per unit, relative to the smallest model of the round. */
static double add_row(wr_bench *bench, const shape *s, int i_size, int n_round,
                      figures round[MAX_SIZE][MAX_ROUND])
{
    const int size = s->size[i_size];
    const int n = s->n_subsystem > 0 ? s->n_subsystem : size;
    double unit_s[MAX_ROUND], ratio[MAX_ROUND], start_s = (double)INFINITY,
                                                bytes = (double)INFINITY;
    const figures *const mine = round[i_size];
    for (int r = 0; r < n_round; r++) {
        const figures *const first = &round[0][r];
        unit_s[r] = mine[r].cpu_s / units(s, size, &mine[r]);
        ratio[r] = unit_s[r] * units(s, s->size[0], first) / first->cpu_s;
        bytes = wr_min(bytes, mine[r].bytes);
        start_s = wr_min(start_s, mine[r].start_s);
    }
    const wr_bench_spread unit = wr_bench_spread_of(unit_s, n_round),
                          spread = wr_bench_spread_of(ratio, n_round);
    const wr_bench_row row = {.name = wr_text(bench->trial.memory, "%s-%d", s->name, size),
                              .baseline =
                                  wr_text(bench->trial.memory, "%d %s", s->size[0], s->unit),
                              .kind = "measured",
                              .cores = 1,
                              .is_cost = 1,
                              .n_round = n_round,
                              .error = (double)NAN,
                              .error_baseline = (double)NAN,
                              .error_reference = (double)NAN,
                              .ratio = spread.middle,
                              .ratio_low = spread.low,
                              .ratio_high = spread.high,
                              .wall_s = mine[0].cpu_s,
                              .wall_baseline_s = round[0][0].cpu_s,
                              .work = {.n_window = mine[0].n_window,
                                       .n_sweep = mine[0].n_sweep,
                                       .n_integration = mine[0].n_integration},
                              .setting = "",
                              .setting_baseline = "",
                              .unit_ns = 1e9 * unit.middle,
                              .start_s = start_s,
                              .unit_bytes = wr_max(0.0, bytes / n),
                              .n_subsystem = n};
    wr_bench_row_add(bench, &row);
    return spread.middle;
}

/* Adds one row per size and reports whether the time per unit grows. Both times of a ratio are from one round, because the speed of a
 * shared machine changes between rounds. */
static void add_rows(wr_bench *bench, const shape *s, int n_round,
                     figures round[MAX_SIZE][MAX_ROUND])
{
    double least = (double)INFINITY, growth = 1.0;
    int last = 0;
    for (int i = 0; is_wanted(bench, s, i); i++) {
        const double ratio = add_row(bench, s, i, n_round, round);
        least = wr_min(least, ratio);
        growth = wr_max(growth, ratio / least);
        last = i;
    }
    bench->row[bench->n_row - 1].note = wr_text(
        bench->trial.memory, "%s: %d to %d %s, time per unit grows %.2f x (limit %.1f)",
        growth <= FLAT ? "flat" : "not flat", s->size[0], s->size[last], s->unit, growth, FLAT);
}

/* Measures one shape. A round that a signal or the time limit has ended early gives no row. Returns the status. */
static wrsim_status grow_shape(wr_bench *bench, const shape *s)
{
    static figures round[MAX_SIZE][MAX_ROUND];
    const int n_round = bench->options.n_run < MAX_ROUND ? bench->options.n_run : MAX_ROUND;
    run_apart(s, s->size[0], &round[0][0]); /* warm-up: caches are cold */
    for (int r = 0; r < n_round; r++)
        for (int i = 0; is_wanted(bench, s, i); i++) {
            wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS, "%s: round %d of %d: %d %s", s->name,
                    r + 1, n_round, s->size[i], s->unit);
            run_apart(s, s->size[i], &round[i][r]);
            if (wr_is_over(&bench->trial.listener)) {
                if (r > 0)
                    add_rows(bench, s, r, round);
                return 0;
            }
            if (!round[i][r].why[0])
                continue;
            wr_tell(&bench->trial.listener, WR_NEWS_ERROR, "%s: %d %s: %s", s->name, s->size[i],
                    s->unit, round[i][r].why);
            return WRSIM_E_SOLVER;
        }
    add_rows(bench, s, n_round, round);
    return 0;
}

const char *const *wr_bench_shapes(void)
{
    static const char *names[WR_COUNT_OF(shapes) + 1];
    for (size_t i = 0; i < WR_COUNT_OF(shapes); i++)
        names[i] = shapes[i].name;
    return names;
}

/* Writes the config of a shape with --largest pieces. */
static wrsim_status write_shape(wr_bench *bench, const shape *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    if (to) {
        fputs(WR_OWN_CONFIG_MARK "bench growth.\n", to);
        write_config(to, s, bench->options.n_largest);
    }
    const int is_made = to && fclose(to) == 0;
    const wrsim_status status = wr_bench_write(bench, bench->options.write, is_made ? text : NULL);
    free(text);
    return status;
}

wrsim_status wr_bench_growth(wr_bench *bench)
{
    wrsim_status worst = WRSIM_OK;
    if (bench->options.write && !bench->options.only)
        return wr_bench_refuse(bench, "--write takes one shape; add --case NAME");
    if (bench->options.n_largest < SMALLEST)
        return wr_bench_refuse(bench,
                               "--largest %d is too small, because the smallest models of growth "
                               "have %d %s; raise --largest",
                               bench->options.n_largest, SMALLEST, shapes[0].unit);
    for (size_t i = 0; i < WR_COUNT_OF(shapes) && !wr_is_over(&bench->trial.listener); i++) {
        if (bench->options.only && strcmp(bench->options.only, shapes[i].name) != 0)
            continue;
        const wrsim_status code =
            bench->options.write ? write_shape(bench, &shapes[i]) : grow_shape(bench, &shapes[i]);
        worst = code != 0 ? code : worst;
    }
    return worst;
}
