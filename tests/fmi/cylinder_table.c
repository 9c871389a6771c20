/* Prints the declarations of engine.cylinder for make_fmu.py. A variable is a line of the value reference, the kind, the name, the unit,
 * start, nominal, minimum and maximum, separated by tabs. An entry of a pattern is a line "depends", the pattern, row and column. */
#include <stdio.h>
#include <string.h>

#include "cylinder.h"
#include "models/engine/cylinder_variables.h"
#include "models/models.h"

static int count[WRSIM_KIND_COUNT];

static int add(wrsim_description *to, wrsim_kind kind, const wrsim_variable *v)
{
    (void)to;
    static const char *const name[WRSIM_KIND_COUNT] = {
        [WRSIM_STATE] = "state",         [WRSIM_INPUT] = "input",         [WRSIM_OUTPUT] = "output",
        [WRSIM_INDICATOR] = "indicator", [WRSIM_PARAMETER] = "parameter",
    };
    static const int first[WRSIM_KIND_COUNT] = {[WRSIM_INPUT] = CYLINDER_INPUT,
                                                [WRSIM_OUTPUT] = CYLINDER_OUTPUT,
                                                [WRSIM_INDICATOR] = CYLINDER_INDICATOR,
                                                [WRSIM_PARAMETER] = CYLINDER_PARAMETER};
    const int is_state = (v->flags & WRSIM_IS_STATE) != 0;
    const int number = is_state ? v->index : first[kind] + count[kind];
    count[kind]++;
    if (name[kind])
        printf("%d\t%s\t%s\t%s\t%.17g\t%.17g\t%.17g\t%.17g\n", number,
               is_state ? "state output" : name[kind], v->name, v->unit, v->start, v->nominal,
               v->min, v->max);
    return 0;
}

static int depends(wrsim_description *to, wrsim_pattern pattern, int row, int column)
{
    (void)to;
    printf("depends\t%d\t%d\t%d\n", (int)pattern, row, column);
    return 0;
}

static int port(wrsim_description *to, int first, int n)
{
    (void)to, (void)first, (void)n;
    return 0;
}

int main(void)
{
    double param[CYL_PARAM_COUNT];
    wrsim_description to = {.struct_size = sizeof to, .add = add, .depends = depends, .port = port};
    for (int i = 0; i < CYL_PARAM_COUNT; i++) {
        param[i] = cyl_params[i].start;
        const int is_fixed = i == CYL_P_ZONES || i == CYL_P_BALANCE || i == CYL_P_GAS;
        if (!is_fixed)
            (void)add(&to, WRSIM_PARAMETER, &cyl_params[i]);
        else
            count[WRSIM_PARAMETER]++;
    }
    return engine_cylinder_model.describe(&(wrsim_instance){.param = param}, &to) != 0;
}
