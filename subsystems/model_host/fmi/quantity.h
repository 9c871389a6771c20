/* Units, declared types and array sizes of an FMI description. Thread: any; constant after reading. Real-time: no (setup only). */
#ifndef WR_QUANTITY_H
#define WR_QUANTITY_H

#include <stdint.h>

#include "base/unit.h"

/* Data types of FMI 3.0. FMI 2.0: Real is FLOAT64, and Integer is INT32. */
typedef enum wr_fmi_type {
    WR_FMI_FLOAT64,
    WR_FMI_FLOAT32,
    WR_FMI_INT8,
    WR_FMI_UINT8,
    WR_FMI_INT16,
    WR_FMI_UINT16,
    WR_FMI_INT32,
    WR_FMI_UINT32,
    WR_FMI_INT64,
    WR_FMI_UINT64,
    WR_FMI_BOOLEAN,
    WR_FMI_STRING,
    WR_FMI_ENUMERATION,
    WR_FMI_BINARY,
    WR_FMI_CLOCK,
    WR_FMI_TYPE_COUNT
} wr_fmi_type;

typedef struct wr_fmi_unit {
    const char *name;
    int has_base;       /* 0: the description defines no base units, and the definition is 1 */
    wr_unit definition; /* settled (base/unit.h) */
} wr_fmi_unit;

/* Attributes that a variable has or inherits from its declared type. While reading, NaN marks a number without a value. */
typedef struct wr_fmi_quantity {
    const char *quantity, *unit; /* NULL: none */
    int is_relative; /* 1: relativeQuantity, so offsets of units do not apply; while reading -1: not given */
    double nominal;  /* > 0; 1 without a value and for 0; the magnitude of a negative value */
    double min, max; /* -INFINITY, INFINITY: no limit */
} wr_fmi_quantity;

typedef struct wr_fmi_item {
    const char *name;
    double value; /* an integer, above 2^53 rounded */
} wr_fmi_item;

typedef struct wr_fmi_declared_type {
    const char *name;
    wr_fmi_type type;
    wr_fmi_quantity quantity;
    wr_fmi_item *item; /* items of an enumeration */
    int n_item;
} wr_fmi_declared_type;

/* One dimension of an array (FMI 3.0). */
typedef struct wr_fmi_dimension {
    int64_t size;    /* > 0; with `variable`: the start value of the variable */
    int variable;    /* index of a constant or structural parameter; -1: the size is fixed */
    uint32_t number; /* value reference of the variable */
} wr_fmi_dimension;

#endif
