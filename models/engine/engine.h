/* The engine models in the table of built-in models. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "wrsim/model.h"

extern const wrsim_model engine_cylinder_model;      /* "engine.cylinder" */
extern const wrsim_model engine_cylinder_port_model; /* "engine.cylinder_port" */
/* Parts of engine.cylinder_port for the three sides of the airpath. */
extern const wrsim_model engine_intake_port_model;     /* "engine.intake_port" */
extern const wrsim_model engine_exhaust_port_model;    /* "engine.exhaust_port" */
extern const wrsim_model engine_cylinder_torque_model; /* "engine.cylinder_torque" */

#endif
