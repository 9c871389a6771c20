/* Types, faults and memory of descriptions. See description.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/description.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct type_row {
    const char *fmi2, *fmi3; /* element of a variable; "": the version has no such type */
    double low, high;
} type_row;

static const type_row type_rows[WR_FMI_TYPE_COUNT] = {
    [WR_FMI_FLOAT64] = {"Real", "Float64", -(double)INFINITY, (double)INFINITY},
    [WR_FMI_FLOAT32] = {"", "Float32", -(double)INFINITY, (double)INFINITY},
    [WR_FMI_INT8] = {"", "Int8", -128.0, 127.0},
    [WR_FMI_UINT8] = {"", "UInt8", 0.0, 255.0},
    [WR_FMI_INT16] = {"", "Int16", -32768.0, 32767.0},
    [WR_FMI_UINT16] = {"", "UInt16", 0.0, 65535.0},
    [WR_FMI_INT32] = {"Integer", "Int32", -2147483648.0, 2147483647.0},
    [WR_FMI_UINT32] = {"", "UInt32", 0.0, 4294967295.0},
    [WR_FMI_INT64] = {"", "Int64", -9223372036854775808.0, 9223372036854775807.0},
    [WR_FMI_UINT64] = {"", "UInt64", 0.0, 18446744073709551615.0},
    [WR_FMI_BOOLEAN] = {"Boolean", "Boolean", 0.0, 1.0},
    [WR_FMI_STRING] = {"String", "String", -(double)INFINITY, (double)INFINITY},
    /* The standard stores items of FMI 2.0 as 32-bit and of FMI 3.0 as 64-bit integers. */
    [WR_FMI_ENUMERATION] = {"Enumeration", "Enumeration", -9223372036854775808.0,
                            9223372036854775807.0},
    [WR_FMI_BINARY] = {"", "Binary", -(double)INFINITY, (double)INFINITY},
    [WR_FMI_CLOCK] = {"", "Clock", -(double)INFINITY, (double)INFINITY},
};

const char *wr_description_type_name(int version, wr_fmi_type type)
{
    return version == 2 ? type_rows[type].fmi2 : type_rows[type].fmi3;
}

void wr_description_type_range(wr_fmi_type type, double *ret_low, double *ret_high)
{
    *ret_low = type_rows[type].low;
    *ret_high = type_rows[type].high;
}

wrsim_status wr_description_refuse(wrsim_error *err, const char *file, int line, const char *format,
                                   ...)
{
    char text[sizeof err->text - 64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const wr_where where = {.file = file, .line = line};
    return wr_error_set_at(err, WRSIM_E_MODEL, &where,
                           "%s; correct the description, or export the FMU again", text);
}

void wr_description_destroy(wr_description **description)
{
    wr_description *const d = description ? *description : NULL;
    if (!d)
        return;
    for (int i = 0; i < d->n_type; i++)
        free(d->type[i].item);
    for (int k = 0; k < WR_FMI_LIST_COUNT; k++)
        free(d->list[k].row);
    free(d->unit);
    free(d->type);
    free(d->variable);
    wr_arena_destroy(&d->arena);
    free(d);
    *description = NULL;
}
