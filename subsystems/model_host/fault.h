/* A fault as numbers, which a function with the names of the variables converts into text. Thread: plain data. Real-time: yes. */
#ifndef WR_FAULT_H
#define WR_FAULT_H

#include "wrsim/model.h"
#include "wrsim/status.h"

typedef struct wr_fault {
    wrsim_status status; /* WRSIM_OK: no fault */
    double t_s;
    int i_component;     /* index in the group; -1: none */
    wrsim_kind kind;     /* kind of the variable at fault */
    int i_variable;      /* index in the component; -1: none */
    int returned;        /* value that the failed callback returned; 0: none */
    int is_final;        /* 1: a shorter window also fails */
    const char *message; /* constant text or NULL */
} wr_fault;

/* Message of a wrong result of next_time(), if the model gives none. */
#define WR_FAULT_NEXT_TIME "its next_time() is not after the present time; return a later time"

#endif
