/* A model of wrsim that calls an FMU of co-simulation: a model with a stepper (wrsim/model.h, "Steppers").
 *
 * A step of wrsim is a step of the FMU. If the FMU returns early, the step of wrsim ends at this time. Inputs have their values at the
 * start of each step. If the FMU interpolates inputs (FMI 2.0), the continuous inputs also get their mean slopes in the step. The FMU stays
 * in initialisation mode until the first step, because its start values may depend on inputs. The model has an own state if the FMU saves
 * and restores its state, and cannot restore otherwise. All steps are communication steps if the FMU needs steps of one length or has a
 * fixed internal step.
 *
 * If the FMU has event mode (FMI 3.0), the model makes its events: the initial event, events that the FMU requests at the end of a step,
 * time events, and events at jumps of inputs. Discrete inputs then change at events only. At the time of an event the results have the
 * outputs before and after the event. An event at the end of a step uses the inputs before their jumps at this time. The jumps follow as a
 * further event.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), section 4, and Functional
 * Mock-up Interface 3.0 (2022), section 4.
 *
 * Thread: one owner; callbacks as in wrsim/model.h. Real-time: callbacks as the FMU allows.
 */
#ifndef WR_CS_MODEL_H
#define WR_CS_MODEL_H

#include "subsystems/model_host/fmi/binary.h"
#include "subsystems/model_host/fmi/description.h"
#include "wrsim/model.h"

typedef struct wr_cs_model wr_cs_model;

/* Creates the model of a description. interface: of co-simulation, with event mode only if the binary has this use. suffix: of the model's
 * name. description, interface and binary outlive the model. Returns NULL when out of memory. */
wr_cs_model *wr_cs_model_create(const wr_description *description,
                                const wr_fmi_interface *interface, wr_binary *binary,
                                const char *suffix);
/* *model may be NULL. */
void wr_cs_model_destroy(wr_cs_model **model);

/* Returns the descriptor, valid until destroy. */
const wrsim_model *wr_cs_model_descriptor(const wr_cs_model *model);

#endif
