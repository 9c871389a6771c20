/* The values of relaxation.scheme, one entry each. The help of the key, the enum wr_scheme and the table of drivers (runtime/sim/driver.c)
 * follow from the list.
 *
 * Thread: any. Real-time: constant data.
 */
#ifndef WR_SCHEME_LIST_H
#define WR_SCHEME_LIST_H

/* Applies FIRST to the first entry, and X to every further entry. Arguments:
 *     NAME       of the enumerator WR_SCHEME_NAME
 *     value      of the key
 *     driver     with the operations wr_<driver>_driver
 *     relaxes    1: sweeps converge, and the keys [relaxation] apply
 *     help       sentence of the key's help */
#define WR_SCHEME_LIST(FIRST, X)                                                                   \
    FIRST(AUTO, auto, relax, 1, "auto: jacobi or gauss_seidel, by counted work.")                  \
    X(JACOBI, jacobi, relax, 1, "jacobi: a sweep integrates all subsystems at once.")              \
    X(GAUSS_SEIDEL, gauss_seidel, relax, 1,                                                        \
      "gauss_seidel: a sweep integrates one level after the other.")                               \
    X(SLACK, slack, slack, 0,                                                                      \
      "slack: subsystems exchange outputs every slack.period, without sweeps and waiting.")

#endif
