/* Properties of a method, and results of a stability study, as drawings and JSON. Thread: one owner. Real-time: no. */
#ifndef WR_STABILITY_FILES_H
#define WR_STABILITY_FILES_H

#include "offline/stability/stability.h"
#include "offline/structure/folder.h"

/* Properties of a method. */
typedef struct wr_method_facts {
    int is_formula; /* 1: `formula` is filled */
    wr_lms_facts formula;
    int order;
    /* extent of the region along the negative real and the imaginary axis */
    double real, imaginary;
    double angle; /* angle of A(alpha)-stability, degrees */
} wr_method_facts;

/* Computes the properties of a method. Returns WRSIM_OK, or the statuses of wr_lms_examine(). */
wrsim_status wr_method_examine(const wr_stepper *stepper, wr_method_facts *ret);

/* Draws the method's region to NAME.svg. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_method_draw(const wr_stepper *stepper, wr_folder *folder, wrsim_error *err);
/* Draws the region of each subsystem with a fixed step, and its modes, to SUBSYSTEM.svg. Omits subsystems whose map of a step decides
 * (wr_stability_is_mapped()), because their modes have no region. */
wrsim_status wr_stability_draw(const wr_stability *stability, wr_folder *folder, wrsim_error *err);

/* Return JSON texts, which the caller frees; NULL when out of memory. */
char *wr_method_json(const wr_stepper *stepper, const wr_method_facts *facts);
char *wr_stability_json(const wr_stability *stability, const char *config);

#endif
