/* The provider of FMUs. Thread: one owner. Real-time: no (setup only). */
#ifndef WR_FMI_PROVIDER_H
#define WR_FMI_PROVIDER_H

#include "subsystems/model_host/provider.h"

/* FMUs: zip files, whose description the module fmi reads. The models are those of model exchange and of co-simulation, in this order, if
 * the FMU has them. Only the model of co-simulation has a stepper. */
extern const wr_provider wr_provider_fmi;

#endif
