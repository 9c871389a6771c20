/* The engine's models: what the table of built-in models lists. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "wrsim/model.h"

extern const wrsim_model engine_cylinder_model;      /* "engine.cylinder" */
extern const wrsim_model engine_cylinder_port_model; /* "engine.cylinder_port" */
/* The same, cut in three. */
extern const wrsim_model engine_intake_port_model;     /* "engine.intake_port" */
extern const wrsim_model engine_exhaust_port_model;    /* "engine.exhaust_port" */
extern const wrsim_model engine_cylinder_torque_model; /* "engine.cylinder_torque" */

#endif
