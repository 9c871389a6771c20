/* A model of wrsim that calls an FMU of model exchange.
 *
 * Each instance of the model is an instance of the FMU. The FMU keeps its discrete values, so the model has an own state (wrsim_own_state)
 * if the FMU saves and restores its state. Inputs, outputs, parameters and states have the names of the FMU. Elements of arrays have names
 * such as "a[1]". Each new value of a discrete input is an event of the FMU, because an FMU takes discrete values in event mode only.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), section 3.2, and Functional
 * Mock-up Interface 3.0 (2022), section 3.
 *
 * Thread: one owner; callbacks as in wrsim/model.h. Real-time: callbacks as the FMU allows.
 */
#ifndef WR_ME_MODEL_H
#define WR_ME_MODEL_H

#include "subsystems/model_host/fmi/binary.h"
#include "subsystems/model_host/fmi/description.h"
#include "wrsim/model.h"

typedef struct wr_me_model wr_me_model;

/* Creates the model of a description. description and binary outlive the model. Returns NULL when out of memory. */
wr_me_model *wr_me_model_create(const wr_description *description, wr_binary *binary);
/* *model may be NULL. */
void wr_me_model_destroy(wr_me_model **model);

/* Returns the descriptor, valid until destroy. */
const wrsim_model *wr_me_model_descriptor(const wr_me_model *model);

#endif
