/* The description of an FMU (modelDescription.xml) of FMI 2.0 or 3.0 as plain structs.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), section 2.2, and
 * Functional Mock-up Interface 3.0 (2022), section 2.4. Reading takes time and memory proportional to the bytes of the description, apart
 * from sorts of names and value references.
 *
 * Thread: one owner; constant after reading. Real-time: no (setup only).
 */
#ifndef WR_DESCRIPTION_H
#define WR_DESCRIPTION_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "subsystems/model_host/fmi/quantity.h"

enum {
    WR_FMI_DESCRIPTION_BYTES =
        256 << 20 /* largest description, bytes (assumed: 1,000,000 variables of 250 bytes) */
};

typedef enum wr_fmi_causality {
    WR_FMI_LOCAL, /* default */
    WR_FMI_INPUT,
    WR_FMI_OUTPUT,
    WR_FMI_PARAMETER,
    WR_FMI_CALCULATED_PARAMETER,
    WR_FMI_STRUCTURAL_PARAMETER,
    WR_FMI_INDEPENDENT,
    WR_FMI_CAUSALITY_COUNT
} wr_fmi_causality;

typedef enum wr_fmi_variability {
    WR_FMI_CONTINUOUS,
    WR_FMI_DISCRETE,
    WR_FMI_TUNABLE,
    WR_FMI_FIXED,
    WR_FMI_CONSTANT,
    WR_FMI_VARIABILITY_COUNT
} wr_fmi_variability;

typedef enum wr_fmi_initial {
    WR_FMI_EXACT,
    WR_FMI_APPROX,
    WR_FMI_CALCULATED,
    WR_FMI_INITIAL_COUNT
} wr_fmi_initial;

typedef struct wr_fmi_variable {
    const char *name, *description; /* name as written; description NULL: none */
    uint32_t number;                /* value reference */
    wr_fmi_type type;
    wr_fmi_causality causality;
    wr_fmi_variability variability;
    wr_fmi_initial initial;
    const char *declared_name; /* name of the declared type; NULL: none */
    int declared_type;         /* index of the declared type; -1: none */
    wr_fmi_quantity quantity;
    const char *unit; /* with its definition, as wr_unit_read() reads it; NULL: none */
    const double *
        start; /* start values, integers above 2^53 rounded; NULL for texts and without a start value */
    const char *const *text; /* start values of STRING and BINARY (hexadecimal digits) */
    int n_start;             /* 0: no start value; 1: the value of all elements */
    int n_dimension;         /* 0: a scalar */
    wr_fmi_dimension *dimension;
    int64_t n_element; /* product of the dimensions, from 1 to 2^31 - 1 */
    int is_derivative,
        derivative_of; /* index of the state whose derivative this variable is; -1: no derivative */
    int alias_of; /* index of the first variable with the same value; -1: this variable is the first */
    int line;     /* line of the description */
} wr_fmi_variable;

typedef enum wr_fmi_dependency {
    WR_FMI_DEPENDENT,
    WR_FMI_BY_CONSTANT, /* factors that are constant, or that change at such times only */
    WR_FMI_BY_FIXED,
    WR_FMI_BY_TUNABLE,
    WR_FMI_BY_DISCRETE,
    WR_FMI_DEPENDENCY_COUNT
} wr_fmi_dependency;

/* A row of the incidence that ModelStructure declares. */
typedef struct wr_fmi_unknown {
    int variable;        /* index of the variable */
    int n_dependency;    /* -1: the row may depend on all inputs and states */
    int *dependency;     /* indices of variables */
    unsigned char *kind; /* wr_fmi_dependency of each dependency; NULL: all are DEPENDENT */
    int line;
} wr_fmi_unknown;

typedef enum wr_fmi_list_id {
    WR_FMI_OUTPUTS,
    WR_FMI_DERIVATIVES, /* row i: the derivative of continuous state i */
    WR_FMI_CLOCKED_STATES,
    WR_FMI_INITIAL_UNKNOWNS,
    WR_FMI_EVENT_INDICATORS, /* FMI 2.0 has a number only: n_indicator */
    WR_FMI_LIST_COUNT
} wr_fmi_list_id;

typedef struct wr_fmi_list {
    wr_fmi_unknown *row;
    int n_row;
} wr_fmi_list;

/* Kinds of an FMU. */
typedef enum wr_fmi_kind { WR_FMI_ME, WR_FMI_CS, WR_FMI_SE, WR_FMI_KIND_COUNT } wr_fmi_kind;

/* Flags of a kind: X(name, attribute of FMI 2.0, attribute of FMI 3.0, text). "": the version has no such attribute. */
#define WR_FMI_FLAG_LIST(X)                                                                        \
    X(NEEDS_TOOL, "needsExecutionTool", "needsExecutionTool", "needs its tool at run time")        \
    X(ONCE, "canBeInstantiatedOnlyOncePerProcess", "canBeInstantiatedOnlyOncePerProcess",          \
      "one instance per process")                                                                  \
    X(STATE, "canGetAndSetFMUstate", "canGetAndSetFMUState", "saves and restores its state")       \
    X(SERIALISE, "canSerializeFMUstate", "canSerializeFMUState", "writes its state as bytes")      \
    X(DIRECTIONAL, "providesDirectionalDerivative", "providesDirectionalDerivatives",              \
      "directional derivatives")                                                                   \
    X(ADJOINT, "", "providesAdjointDerivatives", "adjoint derivatives")                            \
    X(STEP_COMPLETED_UNUSED, "completedIntegratorStepNotNeeded", "", "needs no call after a step") \
    X(STEP_COMPLETED, "", "needsCompletedIntegratorStep", "needs a call after each step")          \
    X(EVALUATE_DISCRETE, "", "providesEvaluateDiscreteStates", "evaluates discrete states")        \
    X(VARIABLE_STEP, "canHandleVariableCommunicationStepSize",                                     \
      "canHandleVariableCommunicationStepSize", "variable communication steps")                    \
    X(INTERPOLATES, "canInterpolateInputs", "", "input derivatives")                               \
    X(INTERMEDIATE, "", "providesIntermediateUpdate", "intermediate update")                       \
    X(EARLY_RETURN, "", "mightReturnEarlyFromDoStep", "early return")                              \
    X(EARLY_RETURN_ASKED, "", "canReturnEarlyAfterIntermediateUpdate", "early return on request")  \
    X(EVENT_MODE, "", "hasEventMode", "event mode")                                                \
    X(ASYNCHRONOUS, "canRunAsynchronuously", "", "asynchronous steps")

typedef enum wr_fmi_flag {
#define WR_X(name, fmi2, fmi3, text) WR_FMI_##name,
    WR_FMI_FLAG_LIST(WR_X)
#undef WR_X
        WR_FMI_FLAG_COUNT
} wr_fmi_flag;

typedef struct wr_fmi_interface {
    const char
        *identifier; /* name of the binary without its extension; NULL: the FMU lacks this kind */
    unsigned flags;  /* bit 1 << wr_fmi_flag */
    int max_output_derivative;    /* highest order of output derivatives; 0: none */
    double fixed_internal_step_s; /* NaN: none */
} wr_fmi_interface;

/* Default experiment; NaN: no value. */
typedef struct wr_fmi_experiment {
    double start_s, stop_s, tolerance, step_s;
} wr_fmi_experiment;

typedef struct wr_description {
    int version;                    /* 2 or 3 */
    const char *version_text;       /* "2.0", "3.0", "3.0.1" */
    const char *model_name, *token; /* token: GUID of FMI 2.0, instantiation token of FMI 3.0 */
    const char *tool, *description; /* NULL: none */
    wr_fmi_interface interface[WR_FMI_KIND_COUNT];
    wr_fmi_experiment experiment;
    wr_fmi_unit *unit;
    int n_unit;
    wr_fmi_declared_type *type;
    int n_type;
    wr_fmi_variable *
        variable; /* in the order of the description; the aliases of FMI 3.0 follow their variable */
    int n_variable;
    wr_fmi_list list[WR_FMI_LIST_COUNT];
    int n_indicator; /* number of event indicators */
    wr_arena *arena; /* texts and small arrays */
} wr_description;

/* Returns whether variable i is another name of an input (FMI 3.0). Only the first name is an input of the model. */
static inline int wr_description_is_second_input(const wr_description *d, int i)
{
    const wr_fmi_variable *const v = &d->variable[i];
    return v->causality == WR_FMI_INPUT && v->alias_of >= 0 &&
           d->variable[v->alias_of].causality == WR_FMI_INPUT;
}

void wr_description_destroy(wr_description **description);

/* Returns the name of a type in the version of the description: "Real" or "Float64". */
const char *wr_description_type_name(int version, wr_fmi_type type);

/* Fills err with a fault of the description and the advice. Returns WRSIM_E_MODEL. */
wrsim_status wr_description_refuse(wrsim_error *err, const char *file, int line, const char *format,
                                   ...) WR_PRINTF(4, 5);

/* Returns the range of an integer type, enumeration or Boolean; [-inf, inf] for other types. */
void wr_description_type_range(wr_fmi_type type, double *ret_low, double *ret_high);

#endif
