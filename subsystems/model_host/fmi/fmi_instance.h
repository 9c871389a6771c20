/* An instance of an FMU behind an instance of a model: calls with messages, parameters, values and the own state.
 *
 * A function returns 0, or a value other than 0 that a callback of the model returns. The message of the failure is then in self->message.
 *
 * Thread: as callbacks in wrsim/model.h. Real-time: as the FMU allows.
 */
#ifndef WR_FMI_INSTANCE_H
#define WR_FMI_INSTANCE_H

#include "subsystems/model_host/fmi/binary.h"
#include "subsystems/model_host/fmi/fmi_variables.h"

enum { WR_FMI_MESSAGE_BYTES = WR_BINARY_LOG_BYTES + 128 };

/* The first member of the model's data. */
typedef struct wr_fmi_instance {
    const wr_fmi_variables *variables;
    wr_binary_instance *fmu;     /* NULL: none */
    double *value;               /* [variables->most_values] values of one block */
    void *slot[WRSIM_SLOTS + 1]; /* states that the FMU keeps; the last one is for bytes */
    int is_initialised;          /* 1: the FMU has left initialisation mode */
    int is_fatal; /* 1: the message names the fatal failure, after which all calls fail */
    char message[WR_FMI_MESSAGE_BYTES];
} wr_fmi_instance;

/* Returns the uses of the binary for a kind of the FMU (wr_binary_source.uses). */
unsigned wr_fmi_instance_uses(const wr_fmi_interface *interface, wr_fmi_kind kind);

/* Instantiates the FMU, and sets parameters that differ from the description. value: memory of the instance. */
int wr_fmi_instance_create(wrsim_instance *self, const wr_fmi_variables *variables,
                           wr_binary *binary, const char *name, double *value);
/* Enters initialisation mode. */
int wr_fmi_instance_enter(wrsim_instance *self, double t_s);
/* Terminates and frees the FMU. */
void wr_fmi_instance_destroy(wrsim_instance *self);

/* Returns the return value of a callback for a status of the FMU. Stores the message of a failure. */
int wr_fmi_instance_result(wrsim_instance *self, wr_binary_status status, const char *doing);

/* If a call of the FMU fails, returns from the calling callback. */
#define WR_FMI_TRY(self, call, doing)                                                              \
    do {                                                                                           \
        const wr_binary_status status_ = (call);                                                   \
        if (status_ != WR_BINARY_OK)                                                               \
            return wr_fmi_instance_result((self), status_, (doing));                               \
    } while (0)

/* Writes a block of inputs, or reads a block of outputs. all: the values of all inputs or outputs. An input of an integer type takes whole
 * numbers only. */
int wr_fmi_instance_set(wrsim_instance *self, const wr_fmi_block *block, const double *all);
int wr_fmi_instance_get(wrsim_instance *self, const wr_fmi_block *block, double *all);

/* Iterates the event at t_s of an instance in event mode, and leaves event mode. If the FMU ends the run, the function does not leave event
 * mode, because FMI then allows only the end of the FMU. */
int wr_fmi_instance_iterate_event(wrsim_instance *self, double t_s, wr_binary_update *ret);

/* Functions of the own state, as in wrsim_own_state. */
int wr_fmi_instance_keep(wrsim_instance *self, int slot);
int wr_fmi_instance_go_back(wrsim_instance *self, int slot);
void wr_fmi_instance_forget(wrsim_instance *self, int slot);
size_t wr_fmi_instance_bytes(wrsim_instance *self);
int wr_fmi_instance_write(wrsim_instance *self, void *to, size_t n_bytes);
int wr_fmi_instance_read(wrsim_instance *self, const void *from, size_t n_bytes);
/* Returns the own state of an FMU that keeps its state. */
wrsim_own_state wr_fmi_instance_own_state(unsigned flags);

#endif
