/* The controller under test: holds the boost pressure with the wastegate. Sampled PI with the communication step as its
 * sample; the integral stops while the command is at a limit and would be driven further into it (anti-windup by clamping,
 * Astrom and Hagglund, Advanced PID Control, 2006, sec. 3.5). The pressure is averaged over one firing, which takes out
 * what the cylinders do to it.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef RACK_BOOST_CONTROL_H
#define RACK_BOOST_CONTROL_H

#include <stdint.h>

enum { RACK_FIRING_STEPS = 24 }; /* 12 ms: 180 degrees at 2500 rpm, in steps of 500 us */

typedef struct rack_boost_control {
    double setpoint_pa;
    double integral; /* part of the command, 1 */
    double average_pa;
    double pressure_pa[RACK_FIRING_STEPS];
    int n_pressure, i_pressure;
} rack_boost_control;

void rack_boost_control_init(rack_boost_control *control, double setpoint_pa);

/* The wastegate's command, 0 closed to 1 open, for a measured pressure, n_step steps after the one before: more than one
 * where measurements were lost. */
double rack_boost_control_step(rack_boost_control *control, double p_im_pa, uint64_t n_step);

#endif
