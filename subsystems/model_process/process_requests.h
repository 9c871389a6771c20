/* Requests of wrsim to the process of a component before and after the calls: describe a model, serve an instance.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_PROCESS_REQUESTS_H
#define WR_PROCESS_REQUESTS_H

#include "subsystems/model_host/component.h"
#include "subsystems/model_process/process_link.h"
#include "subsystems/model_process/process_message.h"

/* The process with the component's data that all models of the process share. */
typedef struct wr_process_parts {
    wr_process_link link;
    wr_message_reader described; /* texts of the last description */
    wr_message_reader explained;
    wr_process_sizes sizes;
    int *port_length; /* [sizes.n_port] lengths of the input blocks; owned */
    int has_tunable;  /* 1: parameters may change at each call */
    int n_open; /* instances after init() and before done(); the process has the data of the last init() for all instances */
    char message[WR_PROCESS_MESSAGE_BYTES]; /* of the model */
} wr_process_parts;

/* A model of the process; wrsim_model.user points to it. */
typedef struct wr_process_model {
    wrsim_model model;
    wrsim_stepper stepper;
    wrsim_own_state own_state;
    wrsim_variable *params;
    const char ***choices; /* [n_param] memory of the choices */
    wr_process_parts *process;
    int number; /* of the model, for requests */
} wr_process_model;

/* Takes the sizes of a component of one of the models. */
void wr_process_requests_take_sizes(wr_process_parts *process, const wr_component *component);
/* Asks for declarations, and repeats them. Returns as wrsim_model.describe(). */
int wr_process_requests_describe(const wr_process_model *model, wrsim_instance *self,
                                 wrsim_description *to);
/* Creates the shared memory, and makes the process serve an instance. Ends an instance of an earlier start. Returns as
 * wrsim_model.init(). */
int wr_process_requests_serve(const wr_process_model *model, wrsim_instance *self);
/* Returns as wr_model_files_explain(); the text is valid until the next call. */
const char *wr_process_requests_explain(wr_process_parts *process, const char *name);

/* Frees the memory of the parts, and ends the process. */
void wr_process_parts_done(wr_process_parts *process);

#endif
