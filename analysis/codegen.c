/* Generating a factorisation. See codegen.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "analysis/codegen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/lu_code.h"
#include "base/names.h"
#include "runtime/sim/simulation.h"

enum { MOST_NAMES = 64 };
static const size_t limit_bytes = (size_t)1 << 34;

/* Generated code that is not compiled yet must not keep it from being generated. */
static void forget_code(wr_settings *settings)
{
    settings->solver.code = "";
    for (int i = 0; i < settings->n_subsystems; i++)
        settings->subsystems[i].solver.code = "";
}

static int takes_code(const wr_setup *m)
{
    return m->kind->has_group && wr_setup_group(m)->n_x > 0 && m->integrator &&
           (m->integrator->flags & WR_INTEG_PATTERN);
}

/* The subsystem that is meant; NULL with err. */
static const wr_setup *find(const wr_assembly *a, const char *name, wrsim_error *err)
{
    const char *names[MOST_NAMES];
    const wr_setup *found = NULL;
    int n = 0;
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        if (!takes_code(m))
            continue;
        if (n < MOST_NAMES)
            names[n] = m->name;
        n++;
        if (!name || strcmp(name, m->name) == 0)
            found = m;
    }
    char hint[WR_NAMES_HINT_BYTES];
    if (n == 0)
        wr_error_set(err, WRSIM_E_ARG,
                     "no subsystem has a solver that can use generated code; set solver.kind = "
                     "\"linimp\"");
    else if (name && !found)
        wr_error_set(err, WRSIM_E_ARG, "no subsystem with solver linimp is called '%.60s'; %s",
                     name, wr_names_hint(name, names, n < MOST_NAMES ? n : MOST_NAMES, hint));
    else if (!name && n > 1)
        wr_error_set(err, WRSIM_E_ARG,
                     "%d subsystems have a solver that can use generated code; say for which one",
                     n);
    return n > 0 && (name || n == 1) ? found : NULL;
}

/* What stands in the file's first comment must not end it. */
static void keep_comment(char *text)
{
    for (char *at = text; (at = strstr(at, "*/")) != NULL;)
        at[1] = '_';
}

static wrsim_status write_file(const char *path, const wr_sparsity *pattern, const wr_lu_plan *plan,
                               const wr_codegen *what, wrsim_error *err)
{
    char line[420];
    FILE *const file = fopen(path, "w");
    if (!file)
        return wr_error_set(err, WRSIM_E_IO, "'%.400s' cannot be written: %s", path,
                            strerror(errno));
    snprintf(line, sizeof line, "LU factorisation for subsystem '%s', %s%s", what->subsystem,
             what->pattern[0] ? "Jacobian as kept by " : "the whole Jacobian", what->pattern);
    keep_comment(line);
    int is_bad = wr_lu_code_write(file, pattern, plan, line) != 0;
    is_bad |= fclose(file) != 0;
    if (!is_bad)
        return WRSIM_OK;
    const int code = errno;
    remove(path);
    return wr_error_set(err, WRSIM_E_IO, "'%.400s' cannot be written: %s", path, strerror(code));
}

static wrsim_status generate(wr_arena *arena, const wr_setup *m, const char *path, wr_codegen *ret,
                             wrsim_error *err)
{
    wr_lu_plan *plan = NULL;
    int i_column;
    const wr_sparsity *const pattern = wr_hybrid_matrix_pattern(m->subsystem, arena);
    if (!pattern)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the factorisation");
    const wrsim_status status = wr_lu_plan_create(pattern, &plan, &i_column);
    if (status == WRSIM_E_ARG)
        return wr_error_set(
            err, status,
            i_column >= 0 ? "subsystem '%s': state number %d has no equation that determines "
                            "it: every matrix L - tau J is singular"
                          : "subsystem '%s' is too large for generated code: %d states are the "
                            "most",
            m->name, i_column >= 0 ? i_column + 1 : WR_LU_PLAN_MOST);
    if (status < 0)
        return wr_error_set(err, status, "out of memory for the factorisation");
    *ret = (wr_codegen){.n = plan->n,
                        .n_nonzero = pattern->n_nonzero,
                        .n_factor = plan->n_entry,
                        .factor_flop = (double)plan->factor_flop,
                        .solve_flop = (double)plan->solve_flop};
    snprintf(ret->subsystem, sizeof ret->subsystem, "%s", m->name);
    snprintf(ret->pattern, sizeof ret->pattern, "%s",
             m->matrix.pattern_file ? m->matrix.pattern_file : "");
    const wrsim_status written = write_file(path, pattern, plan, ret, err);
    wr_lu_plan_destroy(&plan);
    return written;
}

wrsim_status wr_codegen_write(wrsim_config *config, const char *subsystem, const char *path,
                              wrsim_report_fn report, void *reporter, wr_codegen *ret,
                              wrsim_error *err)
{
    wrsim *sim = NULL;
    forget_code(config->settings);
    wrsim_status status = wrsim_create(config, report, reporter, &sim, report ? NULL : err);
    if (status < 0)
        return status;
    const wr_setup *const m = find(sim->assembly, subsystem, err);
    wr_arena *arena = m ? wr_arena_create(limit_bytes) : NULL;
    status = !m      ? WRSIM_E_ARG
             : arena ? generate(arena, m, path, ret, err)
                     : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the factorisation");
    wr_arena_destroy(&arena);
    wrsim_destroy(&sim);
    return status;
}
