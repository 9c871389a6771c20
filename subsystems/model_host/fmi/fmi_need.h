/* Uses of an FMU that need a function of its binary. Thread: plain data. */
#ifndef WR_FMI_NEED_H
#define WR_FMI_NEED_H

/* A binary must have a function if one of these bits is in the uses of the binary. */
enum {
    WR_FMI_NEED_ME = 1 << 0, /* model exchange */
    WR_FMI_NEED_CS = 1 << 1, /* co-simulation */
    WR_FMI_NEED_BOTH = WR_FMI_NEED_ME | WR_FMI_NEED_CS,
    WR_FMI_NEED_STATE = 1 << 2,             /* states that the FMU keeps */
    WR_FMI_NEED_SERIALISE = 1 << 3,         /* states as bytes */
    WR_FMI_NEED_DIRECTIONAL = 1 << 4,       /* directional derivatives */
    WR_FMI_NEED_INPUT_DERIVATIVES = 1 << 5, /* derivatives of inputs (FMI 2.0, co-simulation) */
    WR_FMI_NEED_EVENT_MODE = 1 << 6         /* event mode of co-simulation (FMI 3.0) */
};

#endif
