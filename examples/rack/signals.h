/* The signals of the loop, one row each, and the step of the loop. The plant sends the values of the ports in RACK_MEASURED and sets the
 * ports in RACK_COMMANDED. Each row needs a [[port]] in rack.toml. The section "One more signal" of readme.md has an example.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef RACK_SIGNALS_H
#define RACK_SIGNALS_H

/* index of the value in a measurement, port */
#define RACK_MEASURED(ROW)                                                                         \
    ROW(RACK_P_IM, "p_im")         /* intake pressure, Pa */                                       \
    ROW(RACK_OMEGA, "omega")       /* crankshaft, rad/s */                                         \
    ROW(RACK_TURBO, "turbo")       /* turbocharger, rad/s */                                       \
    ROW(RACK_POSITION, "position") /* of the wastegate's actuator, 0 closed to 1 open */

/* index of the value in a command, port, smallest value, largest value, safe value */
#define RACK_COMMANDED(ROW) ROW(RACK_WASTEGATE, "wastegate", 0.0, 1.0, 1.0) /* 0 closed to 1 open */

#define RACK_INDEX(index, ...) index,
enum { RACK_MEASURED(RACK_INDEX) RACK_N_MEASURED };
enum { RACK_COMMANDED(RACK_INDEX) RACK_N_COMMAND };
#undef RACK_INDEX

/* number of values in a packet */
enum {
    RACK_VALUES =
        (int)RACK_N_MEASURED > (int)RACK_N_COMMAND ? (int)RACK_N_MEASURED : (int)RACK_N_COMMAND
};

/* simulated time between two measurements, s; equal to simulation.communication_step of the config */
static const double RACK_STEP_S = 500e-6;

#endif
