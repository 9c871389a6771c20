/* The models of the engine's airpath, crankshaft and controller.
 *
 * Thread: any (constants). Real-time: the models claim WRSIM_CAP_RT_SAFE.
 */
#ifndef ENGINE_AIRPATH_H
#define ENGINE_AIRPATH_H

#include "wrsim/model.h"

extern const wrsim_model engine_ambient_model;
extern const wrsim_model engine_volume_model;
extern const wrsim_model engine_orifice_model;
extern const wrsim_model engine_compressor_model;
extern const wrsim_model engine_turbine_model;
extern const wrsim_model engine_turbo_shaft_model;
extern const wrsim_model engine_intercooler_model;
extern const wrsim_model engine_actuator_model;
extern const wrsim_model engine_sensors_model;
extern const wrsim_model engine_crankshaft_model;
extern const wrsim_model engine_controller_model;

#endif
