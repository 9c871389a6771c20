/* Definitions that the module 'sundials' and integ_cvode.c share. Thread: any. Real-time: constant data. */
#ifndef WR_CVODE_H
#define WR_CVODE_H

#include "subsystems/solvers/integrator.h"

/* Properties of the methods that the library needs without the module. */
#define WR_CVODE_BDF                                                                               \
    .name = "cvode_bdf", .help = "CVODE, backward differentiation formulas, stiff, order 1 to 5",  \
    .module = WR_MODULE_SUNDIALS, .order = 5, .dense_order = 5, .loosest_rtol = 3e-5,              \
    .flags = WR_INTEG_STIFF | WR_INTEG_ORDERS
#define WR_CVODE_ADAMS                                                                             \
    .name = "cvode_adams",                                                                         \
    .help = "CVODE, Adams methods with fixed-point iteration, order 1 to 12",                      \
    .module = WR_MODULE_SUNDIALS, .order = 12, .dense_order = 12, .loosest_rtol = 3e-5,            \
    .flags = WR_INTEG_ORDERS

/* First member of every instance. */
typedef struct wr_cvode_head {
    wr_integ_stats stats;         /* first, because wr_integrator_stats() casts the instance */
    const wr_integrator_ops *ops; /* operations in the module */
} wr_cvode_head;

typedef struct wr_cvode_ops {
    const wr_integrator_ops *bdf, *adams;
} wr_cvode_ops;

#endif
