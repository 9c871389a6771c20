/* A group: several components joined algebraically into one hybrid ODE for one integrator.
 *
 * Variables are ordered by component, in config order. Each evaluation copies outputs to the inputs that they drive in the group, or
 * the model reads the outputs in place (group_ports.c). The direct-feedthrough patterns give the order of calls; Newton's method solves
 * algebraic loops. The caller gives the external inputs; open inputs keep their defaults.
 *
 * A monolithic simulation has one group with all components.
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_H
#define WR_GROUP_H

#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_build.h"
#include "subsystems/group/group_eval.h"
#include "subsystems/group/group_event.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_indicators.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_mode.h"
#include "subsystems/group/group_pattern.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/group/group_ports.h"
#include "subsystems/group/group_tangent.h"
#include "subsystems/group/group_text.h"

#endif
