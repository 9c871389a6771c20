/* A master of one FMU of co-simulation, for tests (FMI 2.0 and 3.0). FOLDER is an unpacked FMU.
 *
 *     fmu_master FOLDER [--inputs TABLE.csv] [--step S] [--stop S] > outputs.csv
 *     fmu_master FOLDER --random SEED [--calls N] [--seconds S] [--strict 1]
 *     fmu_master FOLDER --wrong SEQUENCE
 *
 * The first form simulates. The first line of TABLE.csv is time and names of inputs or tunable parameters, and each further line has values
 * from its time on. The second form makes random legal calls. With --strict 1 the second form also makes calls that the standard forbids,
 * which the FMU must refuse and survive. The third form makes a sequence of calls that the master has to refuse.
 * Exit codes: 0: done, 1: a finding about the FMU, 2: bad arguments or files, 3: a call that the standard does not allow. */
#include "master.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- table of inputs ---- */

enum { MAX_COLUMNS = 64, MAX_LINE = 4096 };

typedef struct inputs {
    FILE *file;
    const fmu_variable *column[MAX_COLUMNS];
    int n;
    double next_s, value[MAX_COLUMNS]; /* the line that follows; next_s INFINITY: none */
} inputs;

static const fmu_variable *find(const fmu_table *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->variable[i].name, name) == 0)
            return &table->variable[i];
    fmu_stop(2, "the FMU has no variable \"%s\"", name);
}

static void read_line(inputs *in)
{
    char line[MAX_LINE], *rest = NULL;
    in->next_s = INFINITY;
    if (!in->file || !fgets(line, sizeof line, in->file))
        return;
    const char *const first = strtok_r(line, ",\n", &rest);
    in->next_s = first ? strtod(first, NULL) : (double)INFINITY;
    for (int i = 0; i < in->n; i++) {
        const char *const word = strtok_r(NULL, ",\n", &rest);
        if (!word)
            fmu_stop(2, "a line of the table of inputs has less than %d values", in->n + 1);
        in->value[i] = strtod(word, NULL);
    }
}

static void open_inputs(inputs *in, const char *path, const fmu_table *table)
{
    char line[MAX_LINE], *rest = NULL;
    *in = (inputs){.next_s = INFINITY};
    if (!path)
        return;
    in->file = fopen(path, "r");
    if (!in->file || !fgets(line, sizeof line, in->file) || !strtok_r(line, ",\n", &rest))
        fmu_stop(2, "%s cannot be read", path);
    for (const char *word; in->n < MAX_COLUMNS && (word = strtok_r(NULL, ",\n", &rest));)
        in->column[in->n++] = find(table, word);
    read_line(in);
}

/* Sets the values of the lines up to the time of the session. */
static void apply_inputs(inputs *in, session *s)
{
    for (; in->next_s <= s->t_s + 1e-9 * s->fmu->table.step_s; read_line(in))
        for (int i = 0; i < in->n; i++)
            session_set(s, in->column[i], &in->value[i]);
}

/* ---- simulation ---- */

static bool is_column(const fmu_variable *v)
{
    return v->causality == FMU_OUTPUT && v->kind != FMU_OTHER;
}

static void write_row(session *s)
{
    const fmu_table *const table = &s->fmu->table;
    double value[4096];
    (void)printf("%.17g", s->t_s);
    for (size_t i = 0; i < table->n; i++)
        if (is_column(&table->variable[i])) {
            session_get(s, &table->variable[i], value);
            for (size_t j = 0; j < table->variable[i].n; j++)
                (void)printf(",%.17g", value[j]);
        }
    (void)putchar('\n');
}

static void write_header(const fmu_table *table)
{
    (void)fputs("time", stdout);
    for (size_t i = 0; i < table->n; i++)
        for (size_t j = 0; is_column(&table->variable[i]) && j < table->variable[i].n; j++)
            (void)(table->variable[i].n > 1 ? printf(",\"%s[%zu]\"", table->variable[i].name, j + 1)
                                            : printf(",\"%s\"", table->variable[i].name));
    (void)putchar('\n');
}

static void simulate(const fmu *f, const char *path, double step_s, double stop_s)
{
    inputs in;
    open_inputs(&in, path, &f->table);
    session *s = session_open(f, "master");
    session_enter(s, f->table.start_s, stop_s);
    apply_inputs(&in, s);
    session_exit(s);
    write_header(&f->table);
    write_row(s);
    for (long k = 1; f->table.start_s + (double)k * step_s <= stop_s * (1 + 1e-12) && !s->must_stop;
         k++) {
        apply_inputs(&in, s);
        const double end_s = f->table.start_s + (double)k * step_s;
        while (!s->must_stop && s->phase == PHASE_STEPPING && end_s - s->t_s > 1e-9 * step_s) {
            const double before_s = s->t_s;
            if (!session_step(s, fmin(end_s, stop_s) - s->t_s, true) && !(s->t_s > before_s))
                fmu_stop(1, "the FMU makes no progress at t = %.17g s", s->t_s);
        }
        write_row(s);
        if (s->phase != PHASE_STEPPING)
            break;
    }
    if (s->phase & (PHASE_STEPPING | PHASE_STEP_FAILED))
        session_terminate(s);
    session_free(&s);
    if (in.file)
        (void)fclose(in.file); /* read only */
    if (fflush(stdout) != 0 || ferror(stdout))
        fmu_stop(2, "the outputs cannot be written");
}

/* ---- sequences that the master refuses ---- */

static const fmu_variable *first(const fmu_table *table, fmu_causality causality)
{
    for (size_t i = 0; i < table->n; i++)
        if (table->variable[i].causality == causality && table->variable[i].kind != FMU_OTHER)
            return &table->variable[i];
    fmu_stop(2, "the FMU has no variable of this causality");
}

static void call_wrongly(const fmu *f, const char *name)
{
    const fmu_table *const table = &f->table;
    const double start_s = table->start_s, h_s = table->step_s;
    double value[4096] = {0};
    session_state state = {0};
    session *s = session_open(f, "wrong");
#define WRONG(sequence) else if (strcmp(name, sequence) == 0)
    if (strcmp(name, "step-before-start") == 0) {
        (void)session_step(s, h_s, true);
    }
    WRONG("exit-before-enter") { session_exit(s); }
    WRONG("terminate-before-start") { session_terminate(s); }
    WRONG("stop-before-start") { session_enter(s, start_s, start_s - 1); }
    WRONG("restore-without-state") { session_restore(s, &state); }
    WRONG("set-output") { session_set(s, first(table, FMU_OUTPUT), value); }
    WRONG("free-with-state")
    {
        session_save(s, &state);
        session_free(&s);
    }
    WRONG("use-after-free")
    {
        session_free(&s);
        session_exit(s);
    }
    else
    {
        session_enter(s, start_s, start_s + 1.5 * h_s);
        if (strcmp(name, "enter-twice") == 0)
            session_enter(s, start_s, INFINITY);
        if (strcmp(name, "terminate-in-initialisation") == 0)
            session_terminate(s);
        session_exit(s);
        if (strcmp(name, "zero-step") == 0)
            (void)session_step(s, 0, true);
        if (strcmp(name, "get-after-set") == 0) {
            session_set(s, first(table, FMU_INPUT), value);
            session_get(s, first(table, FMU_OUTPUT), value);
        }
        session_save(s, &state);
        (void)session_step(s, h_s, false);
        if (strcmp(name, "step-beyond-stop") == 0)
            (void)session_step(s, h_s, true);
        (void)session_step(s, h_s / 2, true);
        if (strcmp(name, "restore-before-announced-time") == 0)
            session_restore(s, &state);
        session_terminate(s);
        if (strcmp(name, "step-after-end") == 0)
            (void)session_step(s, h_s, true);
        if (strcmp(name, "terminate-twice") == 0)
            session_terminate(s);
    }
    fmu_stop(2, "the sequence \"%s\" does not exist", name);
}

/* ---- arguments ---- */

static const char *option(int n, char **words, const char *name)
{
    for (int i = 2; i + 1 < n; i += 2)
        if (strcmp(words[i], name) == 0)
            return words[i + 1];
    return NULL;
}

int main(int n, char **words)
{
    enum { N_NAME = 8 };
    static const char *const names[N_NAME] = {"--inputs", "--step",    "--stop",   "--random",
                                              "--calls",  "--seconds", "--strict", "--wrong"};
    bool is_right = n >= 2 && n % 2 == 0;
    for (int i = 2; is_right && i < n; i += 2) {
        int k = 0;
        while (k < N_NAME && strcmp(words[i], names[k]) != 0)
            k++;
        is_right = k < N_NAME;
    }
    if (!is_right)
        fmu_stop(2, "use: fmu_master FOLDER [--inputs TABLE.csv] [--step S] [--stop S] | --random "
                    "SEED [--calls N] [--seconds S] [--strict 1] | --wrong SEQUENCE");
    fmu f = {0};
    fmu_open(&f, words[1]);
    const char *const
        seed = option(n, words, "--random"),
        *const calls = option(n, words, "--calls"), *const wrong = option(n, words, "--wrong"),
        *const seconds = option(n, words, "--seconds"), *const step = option(n, words, "--step"),
        *const stop = option(n, words, "--stop");
    const double step_s = step ? strtod(step, NULL) : f.table.step_s;
    const double standard_s =
        isfinite(f.table.stop_s) ? f.table.stop_s : f.table.start_s + 100 * step_s;
    if (wrong)
        call_wrongly(&f, wrong);
    else if (seed)
        master_run_random(&f, strtoull(seed, NULL, 10),
                          calls     ? strtol(calls, NULL, 10)
                          : seconds ? LONG_MAX
                                    : 1000,
                          seconds ? strtod(seconds, NULL) : (double)INFINITY,
                          option(n, words, "--strict") != NULL);
    else
        simulate(&f, option(n, words, "--inputs"), step_s, stop ? strtod(stop, NULL) : standard_s);
    fmu_close(&f);
    return 0;
}
