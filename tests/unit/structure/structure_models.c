/* Hybrid models with known incidence, drawn from a seed, so that a test can draw the same incidence (structure_truth.h). Parameter "wrong"
 * >= 0: the index of a declared entry that the declaration omits. Thread: one at a time per instance. Real-time: yes. */
#include <math.h>
#include <stdio.h>

#include "structure_truth.h"
#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { SEED, WRONG, N_PARAM };
static const wrsim_variable params[N_PARAM] = {
    [SEED] = {.name = "seed", .start = 1.0, .flags = WRSIM_INTEGER},
    [WRONG] = {.name = "wrong", .start = -1.0, .flags = WRSIM_INTEGER},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const truth t = truth_of((int)self->param[SEED]);
    static const struct {
        wrsim_kind kind;
        const char *prefix;
    } kinds[] = {{WRSIM_STATE, "x"},
                 {WRSIM_DISCRETE, "d"},
                 {WRSIM_INPUT, "u"},
                 {WRSIM_OUTPUT, "y"},
                 {WRSIM_INDICATOR, "z"}};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < t.n[kinds[k].kind]; i++) {
            char name[16];
            snprintf(name, sizeof name, "%s%d", kinds[k].prefix, i);
            const wrsim_variable v = {.name = name, .start = 0.1 * (i + 1), .nominal = 1.0};
            if (to->add(to, kinds[k].kind, &v) != 0)
                return -1;
        }
    int n = 0;
    for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
        if (to->depends(to, (wrsim_pattern)p, -1, -1) != 0)
            return -1;
        for (int i = 0; i < t.n[truth_shapes[p].row]; i++)
            for (int j = 0; j < t.n[truth_shapes[p].column]; j++)
                if (truth_has(&t, p, i, j) && n++ != (int)self->param[WRONG] &&
                    to->depends(to, (wrsim_pattern)p, i, j) != 0)
                    return -1;
    }
    return 0;
}

/* Returns a sum of sines of all acting variables, with nonzero slopes almost everywhere. */
static double act(const truth *t, int relation, int row, const double *value, int n)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        if (truth_has(t, relation, row, j))
            sum += 0.3 * sin(1.7 * value[j] + 0.3 * row + 0.7 * j);
    return sum;
}

static double act_modes(const truth *t, int relation, int row, const unsigned char *mode)
{
    double sum = 0.0;
    for (int j = 0; j < t->n[WRSIM_INDICATOR]; j++)
        if (truth_has(t, relation, row, j) && mode[j])
            sum += 0.2 + 0.1 * j;
    return sum;
}

RHS(rhs)
{
    const truth t = truth_of((int)self->param[SEED]);
    for (int i = 0; i < t.n[WRSIM_STATE]; i++)
        ret_dx[i] = act(&t, WRSIM_X_X, i, at->x, t.n[WRSIM_STATE]) +
                    act(&t, WRSIM_U_X, i, at->u, t.n[WRSIM_INPUT]) +
                    act(&t, WRSIM_D_X, i, at->d, t.n[WRSIM_DISCRETE]) +
                    act_modes(&t, TRUTH_M_X, i, at->mode);
}

OUTPUTS(output)
{
    const truth t = truth_of((int)self->param[SEED]);
    for (int i = 0; i < t.n[WRSIM_OUTPUT]; i++)
        ret_y[i] = act(&t, WRSIM_X_Y, i, at->x, t.n[WRSIM_STATE]) +
                   act(&t, WRSIM_U_Y, i, at->u, t.n[WRSIM_INPUT]) +
                   act(&t, TRUTH_D_Y, i, at->d, t.n[WRSIM_DISCRETE]);
}

INDICATORS(indicator)
{
    const truth t = truth_of((int)self->param[SEED]);
    for (int i = 0; i < t.n[WRSIM_INDICATOR]; i++)
        ret_z[i] = 0.1 + 0.3 * (i % 2 ? 1.0 : -1.0) +
                   act(&t, WRSIM_X_Z, i, at->x, t.n[WRSIM_STATE]) +
                   act(&t, WRSIM_U_Z, i, at->u, t.n[WRSIM_INPUT]) +
                   0.01 * act(&t, WRSIM_D_Z, i, at->d, t.n[WRSIM_DISCRETE]) +
                   0.01 * act_modes(&t, TRUTH_M_Z, i, at->mode);
}

/* Events set half of the discrete states to their start values, so these writes mostly change nothing. */
EVENT(event)
{
    const truth t = truth_of((int)self->param[SEED]);
    for (int j = 0; j < t.n[WRSIM_INDICATOR]; j++) {
        if (!what->fired[j])
            continue;
        for (int i = 0; i < t.n[WRSIM_DISCRETE]; i++)
            if (truth_has(&t, WRSIM_Z_D, i, j))
                d[i] = i % 2 ? 0.1 * (i + 1) : 0.5 * (what->fired[j] + 1.0) + i;
        for (int i = 0; i < t.n[WRSIM_STATE]; i++)
            if (truth_has(&t, TRUTH_Z_X, i, j))
                x[i] = 0.9 * x[i] + 0.05;
    }
}

static const wrsim_model model = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "test.structure",
                                  .description = "a hybrid model with known incidence",
                                  .n_param = N_PARAM,
                                  .params = params,
                                  .describe = describe,
                                  .rhs = rhs,
                                  .output = output,
                                  .indicator = indicator,
                                  .event = event};

/* The model is defined at x0 = 0 only, and x0 stays 0. */
static const wrsim_variable narrow_states[] = {{.name = "edge"}, {.name = "follows", .start = 1.0}};

static int narrow_describe(wrsim_instance *self, wrsim_description *to)
{
    for (int i = 0; i < 2; i++)
        if (to->add(to, WRSIM_STATE, &narrow_states[i]) != 0)
            return -1;
    return 0;
}

RHS(narrow_rhs)
{
    ret_dx[0] = 0.0;
    ret_dx[1] = sqrt(-fabs(at->x[0])) - at->x[1];
}

static const wrsim_model narrow = {.abi = WRSIM_MODEL_ABI,
                                   .struct_size = sizeof(wrsim_model),
                                   .name = "test.narrow",
                                   .description = "not a number where a state is changed",
                                   .describe = narrow_describe,
                                   .rhs = narrow_rhs};

PLUGIN(&model, &narrow)
