/* The built-in models. Each model has one row in the list. Outside of models/, only runtime/sim, cli and tests include this header.
 *
 * Thread: any (constants). Real-time: the models claim WRSIM_CAP_RT_SAFE.
 */
#ifndef WR_MODELS_H
#define WR_MODELS_H

#include "wrsim/model.h"

#define WR_MODEL_LIST(X)                                                                           \
    X(engine_actuator_model)                                                                       \
    X(engine_ambient_model)                                                                        \
    X(engine_compressor_model)                                                                     \
    X(engine_controller_model)                                                                     \
    X(engine_crankshaft_model)                                                                     \
    X(engine_cylinder_model)                                                                       \
    X(engine_cylinder_gas_model)                                                                   \
    X(engine_cylinder_port_model)                                                                  \
    X(engine_cylinder_torque_model)                                                                \
    X(engine_exhaust_port_model)                                                                   \
    X(engine_intake_port_model)                                                                    \
    X(engine_intercooler_model)                                                                    \
    X(engine_orifice_model)                                                                        \
    X(engine_sensors_model)                                                                        \
    X(engine_turbine_model)                                                                        \
    X(engine_turbo_shaft_model)                                                                    \
    X(engine_volume_model)                                                                         \
    X(wr_model_bouncing_ball)                                                                      \
    X(wr_model_dahlquist)                                                                          \
    X(wr_model_diode_bridge)                                                                       \
    X(wr_model_heat_rod)                                                                           \
    X(wr_model_hires_a)                                                                            \
    X(wr_model_hires_b)                                                                            \
    X(wr_model_kpr_u)                                                                              \
    X(wr_model_kpr_v)                                                                              \
    X(wr_model_mono_cylinder)                                                                      \
    X(wr_model_null)                                                                               \
    X(wr_model_orego)                                                                              \
    X(wr_model_oscillator_mass)                                                                    \
    X(wr_model_pipe)                                                                               \
    X(wr_model_rc_ladder)                                                                          \
    X(wr_model_relay)                                                                              \
    X(wr_model_relay_switch)                                                                       \
    X(wr_model_rlc_line)                                                                           \
    X(wr_model_robertson)                                                                          \
    X(wr_model_robot)                                                                              \
    X(wr_model_signal_constant)                                                                    \
    X(wr_model_signal_gain)                                                                        \
    X(wr_model_signal_sampler)                                                                     \
    X(wr_model_signal_sine)                                                                        \
    X(wr_model_signal_step)                                                                        \
    X(wr_model_test_faulty)                                                                        \
    X(wr_model_vanderpol)                                                                          \
    X(wr_model_vanderpol_position)                                                                 \
    X(wr_model_vanderpol_velocity)                                                                 \
    X(wr_model_varistor_line)                                                                      \
    X(wr_model_varistor_line_reduced)

#define WR_MODEL_DECLARE(descriptor) extern const wrsim_model descriptor;
WR_MODEL_LIST(WR_MODEL_DECLARE)
#undef WR_MODEL_DECLARE

/* All built-in models, ended by NULL. */
extern const wrsim_model *const wr_models[];

#endif
