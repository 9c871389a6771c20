/* A group: several components joined algebraically into one hybrid ODE for one integrator.
 *
 * Variables of the components stand one after the other in config order. Inputs driven by a
 * component of the same group are copied from its outputs at every evaluation, or read where they are
 * (group_ports.c), in an order found from the direct-feedthrough patterns; algebraic loops are solved by Newton's method. Inputs
 * driven from outside ("external") are given by the caller; open inputs keep their defaults.
 *
 * Monolithic is one group with everything in it.
 *
 * Thread: one at a time. Real-time: evaluation yes, building no.
 */
#ifndef WR_GROUP_H
#define WR_GROUP_H

#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_blocks_place.h"
#include "subsystems/group/group_build.h"
#include "subsystems/group/group_eval.h"
#include "subsystems/group/group_event.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_indicators.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_mode.h"
#include "subsystems/group/group_pattern.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/group/group_plans.h"
#include "subsystems/group/group_ports.h"
#include "subsystems/group/group_tangent.h"
#include "subsystems/group/group_text.h"

#endif
