/* A sampled PI controller. See boost_control.h. Thread: one owner. Real-time: yes. */
#include "boost_control.h"

/* Gain, 1/Pa, and reset time, s, tuned by hand on the engine of rack.toml. */
static const double GAIN_PER_PA = 1.0 / 4e3, RESET_S = 0.08;
/* largest counted gap between measurements, steps (assumed); the limit bounds the jump of the integral */
enum { MOST_STEPS = 20 };

void rack_boost_control_init(rack_boost_control *control, double setpoint_pa)
{
    *control = (rack_boost_control){.setpoint_pa = setpoint_pa};
}

/* Range of the sensor, Pa (assumed). A packet may have any finite number; values outside of the range must not enter the integral. */
static const double SENSOR_LEAST_PA = 0.0, SENSOR_MOST_PA = 5e5;

void rack_boost_control_step(rack_boost_control *control, const double measured[RACK_N_MEASURED],
                             uint64_t n_step, double ret_command[RACK_N_COMMAND])
{
    const double p_im_pa = measured[RACK_P_IM];
    const double sample_s = RACK_STEP_S * (double)(n_step < MOST_STEPS ? n_step : MOST_STEPS);
    control->pressure_pa[control->i_pressure] = p_im_pa < SENSOR_LEAST_PA  ? SENSOR_LEAST_PA
                                                : p_im_pa > SENSOR_MOST_PA ? SENSOR_MOST_PA
                                                                           : p_im_pa;
    control->i_pressure = (control->i_pressure + 1) % RACK_FIRING_STEPS;
    control->n_pressure += control->n_pressure < RACK_FIRING_STEPS;
    double sum = 0.0;
    for (int i = 0; i < control->n_pressure; i++)
        sum += control->pressure_pa[i];
    control->average_pa = sum / control->n_pressure;
    const double error = GAIN_PER_PA * (control->average_pa - control->setpoint_pa);
    const double wanted = error + control->integral;
    ret_command[RACK_WASTEGATE] = wanted < 0.0 ? 0.0 : wanted > 1.0 ? 1.0 : wanted;
    const int is_wound = (wanted > 1.0 && error > 0.0) || (wanted < 0.0 && error < 0.0);
    if (!is_wound)
        control->integral += error * sample_s / RESET_S;
}
