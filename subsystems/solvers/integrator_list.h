/* The integrators, one entry each. integrator.h declares the operations. integrators.c has the table. The help of solver.kind names all
 * integrators. NAME is the name in the config. The files integ_*.c define the operations wr_integ_NAME.
 *
 * Thread: any. Real-time: constant data.
 */
#ifndef WR_INTEGRATOR_LIST_H
#define WR_INTEGRATOR_LIST_H

/* FIRST(name) and then X(name) for each other integrator. */
#define WR_INTEGRATOR_LIST(FIRST, X)                                                               \
    FIRST(auto)                                                                                    \
    X(euler)                                                                                       \
    X(heun)                                                                                        \
    X(rk3)                                                                                         \
    X(rk4)                                                                                         \
    X(linimp)                                                                                      \
    X(bs32)                                                                                        \
    X(rk43)                                                                                        \
    X(dopri54)                                                                                     \
    X(rosenbrock)                                                                                  \
    X(rosenbrock_w)                                                                                \
    X(cvode_bdf)                                                                                   \
    X(cvode_adams)                                                                                 \
    X(lsoda)                                                                                       \
    X(backward_euler)                                                                              \
    X(trapezoidal)                                                                                 \
    X(bdf2)                                                                                        \
    X(ab2)                                                                                         \
    X(ab3)                                                                                         \
    X(ab4)                                                                                         \
    X(multistep)

#endif
