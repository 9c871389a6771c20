/* The controller under test controls the boost pressure by the wastegate. The controller is a sampled PI controller; the sampling step is
 * the communication step. The integral stays constant while the command is at a limit and the error points beyond this limit (anti-windup
 * by clamping; Astrom and Hagglund, Advanced PID Control, 2006, sec. 3.5). The controller averages the pressure over one firing at
 * 2500 rpm, which removes most of the pulsation of the cylinders.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef RACK_BOOST_CONTROL_H
#define RACK_BOOST_CONTROL_H

#include <stdint.h>

#include "signals.h"

enum { RACK_FIRING_STEPS = 24 }; /* 12 ms: 180 degrees at 2500 rpm, in steps of 500 us */

typedef struct rack_boost_control {
    double setpoint_pa;
    double integral; /* integral part of the command, 1 */
    double average_pa;
    double pressure_pa[RACK_FIRING_STEPS];
    int n_pressure, i_pressure;
} rack_boost_control;

void rack_boost_control_init(rack_boost_control *control, double setpoint_pa);

/* Computes the commands for a measurement. n_step: number of steps since the previous measurement, more than 1 after lost measurements. */
void rack_boost_control_step(rack_boost_control *control, const double measured[RACK_N_MEASURED],
                             uint64_t n_step, double ret_command[RACK_N_COMMAND]);

#endif
