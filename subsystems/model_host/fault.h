/* What went wrong, as numbers: text is made later, by whoever knows the names.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_FAULT_H
#define WR_FAULT_H

#include "wrsim/model.h"
#include "wrsim/status.h"

typedef struct wr_fault {
    wrsim_status status; /* WRSIM_OK = none */
    double t_s;
    int i_component; /* in the group; -1 = none */
    wrsim_kind kind; /* of the variable at fault */
    int i_variable;  /* in the component; -1 = none */
    int returned;    /* by a callback that has failed; 0 = none */
    int is_final; /* a window however short brings nothing else but steps shorter than asked for */
    const char *message; /* constant text or NULL */
} wr_fault;

#endif
