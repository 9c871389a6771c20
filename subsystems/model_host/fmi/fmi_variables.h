/* Variables of an FMU as variables of a model of wrsim: states, inputs, outputs and parameters, and the calls that read or write them.
 *
 * Elements of arrays have names such as "a[1]".
 *
 * Thread: one owner; constant after creation. Real-time: no (setup only).
 */
#ifndef WR_FMI_VARIABLES_H
#define WR_FMI_VARIABLES_H

#include "subsystems/model_host/fmi/description.h"
#include "wrsim/model.h"

/* Variables of one type that one call of the FMU reads or writes. */
typedef struct wr_fmi_block {
    wr_fmi_type type;
    int n_number, n_value;
    uint32_t *number; /* [n_number] value references */
    int *place;       /* [n_value] index of each value among the inputs or outputs */
    int is_direct;    /* 1: place[i] is i, so no copy is needed */
    int is_discrete;  /* inputs: 1: not continuous */
} wr_fmi_block;

/* Variables of one causality, and the calls that read or write all of them. */
typedef struct wr_fmi_values {
    int n_variable, n_value, n_block;
    int *variable;       /* [n_variable] indices of the description */
    int *first;          /* [n_variable + 1] index of the first value of each variable */
    int *row;            /* [n_variable] states, outputs, indicators: row of ModelStructure */
    wr_fmi_block *block; /* [n_block] */
} wr_fmi_values;

typedef struct wr_fmi_variables {
    const wr_description *description;
    wr_arena *arena;                                      /* also for arrays of the owner */
    wr_fmi_values state, input, output, param, indicator; /* only input and output have blocks */
    int *state_of; /* [variables of the description] first state of a variable; -1: no state */
    int *input_of; /* [variables of the description] first input of a variable; -1: no input */
    wrsim_variable *param_variable; /* [param.n_value] */
    int most_values;                /* most values of a block or a parameter */
} wr_fmi_variables;

/* Lists the variables of a kind. A model of co-simulation has no states and indicators. Returns 0, or -1 when out of memory; the owner
 * calls wr_fmi_variables_clear() in both cases. The description outlives the object. */
int wr_fmi_variables_create(wr_fmi_variables *variables, const wr_description *description,
                            wr_fmi_kind kind);
void wr_fmi_variables_clear(wr_fmi_variables *variables);

/* Returns the start value of element k; 0 without a start value. */
double wr_fmi_variables_start(const wr_fmi_variable *v, int64_t k);
/* Returns whether wrsim has values of the variable's type. */
int wr_fmi_variables_is_number(const wr_fmi_variable *v);

/* Returns whether the values of an enumeration with this start value are names in a config. */
int wr_fmi_variables_has_names(const wr_description *description, const wr_fmi_variable *v,
                               double start);

/* Declares all variables of a list. Returns 0, or -1 after an invalid declaration. */
int wr_fmi_variables_declare(const wr_fmi_variables *variables, wrsim_description *to,
                             wrsim_kind kind, const wr_fmi_values *list);

#endif
