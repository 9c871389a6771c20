/* A process of its own for a component. The process opens the file of the model and makes all calls of the model, so a crash of the model
 * ends only this process. wrsim gets models whose callbacks forward each call over shared memory (process_channel.h).
 *
 * The callbacks give the same bits as calls in this process: the arrays, the memory of the instance, the results that the model does not
 * write and the floating-point mode travel with each call.
 *
 * The end of the process, by a signal or by exit(), is an error of the present call: the callback returns -1, and the message names the
 * callback and the cause. The process ends with wrsim, however wrsim ends, because the process watches wrsim. The shared memory has no name,
 * so the kernel frees the memory at the end of both.
 *
 * Thread: one owner; callbacks as models. Real-time: no. wr_model_process_start() starts a program, and a call waits for another process.
 */
#ifndef WR_MODEL_PROCESS_H
#define WR_MODEL_PROCESS_H

#include "subsystems/model_host/component.h"
#include "subsystems/model_process/process_link.h"

typedef struct wr_model_process wr_model_process;

/* Starts the process with a file of models; path NULL: the built-in models. Returns NULL with the reason in diag. */
wr_model_process *wr_model_process_start(const char *path, const wr_where *where, wr_diag *diag);

/* Returns the models of the file, NULL-terminated and valid until the end. All instances are of one component. A later init(), as
 * of a study, renews the data of the instance in the process, and ends the earlier instance without done(). The models lack
 * WRSIM_CAP_RT_SAFE. */
const wrsim_model *const *wr_model_process_models(const wr_model_process *process);

/* As wr_model_files_explain(). The text is valid until the next call. */
const char *wr_model_process_explain(wr_model_process *process, const char *name);

/* Takes the sizes of a component of one of the models. The component need not outlive the call. Must precede init(). */
void wr_model_process_take_sizes(wr_model_process *process, const wr_component *component);

void wr_model_process_set_waits(wr_model_process *process, const wr_process_waits *waits);

wr_process_counts wr_model_process_count(const wr_model_process *process);

/* Ends the process. The models must have no instance. */
void wr_model_process_end(wr_model_process **process);

#endif
