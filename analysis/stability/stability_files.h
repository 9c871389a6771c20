/* What is known of a method, and what a study of stability has found, as drawings and JSON.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_FILES_H
#define WR_STABILITY_FILES_H

#include "analysis/stability/stability.h"
#include "analysis/structure/folder.h"

/* A method by itself. */
typedef struct wr_method_facts {
    int is_formula; /* the next is filled */
    wr_lms_facts formula;
    int order;
    double real,
        imaginary; /* how far the region reaches along the negative real and the imaginary axis */
    double angle;  /* of A(alpha)-stability, degrees */
} wr_method_facts;

/* WRSIM_OK, or as wr_lms_examine(). */
wrsim_status wr_method_examine(const wr_stepper *stepper, wr_method_facts *ret);

/* Its region, NAME.svg. */
wrsim_status wr_method_draw(const wr_stepper *stepper, wr_folder *folder, wrsim_error *err);
/* The regions of all subsystems with a fixed step and their modes at that step, SUBSYSTEM.svg. */
wrsim_status wr_stability_draw(const wr_stability *stability, wr_folder *folder, wrsim_error *err);

/* JSON texts, the caller's (free()); NULL when out of memory. */
char *wr_method_json(const wr_stepper *stepper, const wr_method_facts *facts);
char *wr_stability_json(const wr_stability *stability, const char *config);

#endif
