/* The provider of FMUs. Thread: one owner. Real-time: no (setup only). */
#ifndef WR_FMI_PROVIDER_H
#define WR_FMI_PROVIDER_H

#include "subsystems/model_host/provider.h"

/* FMUs with model exchange: zip files, whose description the module fmi reads. */
extern const wr_provider wr_provider_fmi;

#endif
