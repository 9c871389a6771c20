/* The parts of modelDescription.xml that the test master needs (FMI 2.0 and 3.0, co-simulation). Thread: one owner. */
#ifndef WR_TEST_FMU_TABLE_H
#define WR_TEST_FMU_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "subsystems/model_host/fmi/fmi3.h"

/* Types of variables: X(name in FMI 3.0, type in C). FMI 2.0 has Float64, Int32 and Boolean. */
#define FMU_KINDS(X)                                                                               \
    X(Float64, double)                                                                             \
    WR_FMI3_CONVERTED(X)

typedef enum fmu_kind {
#define X(name, ctype) FMU_##name,
    FMU_KINDS(X)
#undef X
        FMU_OTHER /* strings, binaries and clocks, which the master does not access */
} fmu_kind;

typedef enum fmu_causality {
    FMU_PARAMETER,
    FMU_INPUT,
    FMU_OUTPUT,
    FMU_LOCAL,
    FMU_INDEPENDENT,
    FMU_CALCULATED
} fmu_causality;
typedef enum fmu_initial { FMU_EXACT, FMU_APPROX, FMU_COMPUTED, FMU_NO_INITIAL } fmu_initial;

typedef struct fmu_variable {
    char *name;
    unsigned number; /* value reference */
    fmu_kind kind;
    fmu_causality causality;
    fmu_initial initial;
    bool is_constant, is_tunable, is_continuous, is_enumeration, is_initial_unknown;
    size_t n;               /* elements */
    double start, min, max; /* of the first element; without limits -INFINITY and INFINITY */
} fmu_variable;

typedef struct fmu_table {
    int version; /* 2 or 3 */
    char *identifier, *token;
    bool can_vary_step, can_save, can_serialise, can_interpolate, is_once;
    double start_s, stop_s, step_s; /* of DefaultExperiment; stop_s INFINITY: none */
    fmu_variable *variable;
    size_t n;
} fmu_table;

/* Reads a description. Ends the program with a sentence on an error. */
void fmu_table_read(fmu_table *table, const char *path);
void fmu_table_free(fmu_table *table);
/* Prints "master: " and a sentence, and ends the program with a status. */
_Noreturn void fmu_stop(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
