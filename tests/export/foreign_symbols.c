/* Functions of other libraries, which the test master defines and exports. An FMU that calls one of them ends the program: a host may bring
 * its own SUNDIALS, LAPACK, HDF5 or wrsim. */
#include <stdio.h>
#include <stdlib.h>

#define FOREIGN(name)                                                                              \
    __attribute__((visibility("default"))) void name(void);                                        \
    __attribute__((visibility("default"))) void name(void)                                         \
    {                                                                                              \
        (void)fputs("the FMU calls " #name "() of its host\n", stderr);                            \
        abort();                                                                                   \
    }
FOREIGN(CVode)
FOREIGN(CVodeCreate)
FOREIGN(CVodeInit)
FOREIGN(SUNContext_Create)
FOREIGN(N_VNew_Serial)
FOREIGN(SUNLinSol_Dense)
FOREIGN(dgetrf_)
FOREIGN(H5open)
FOREIGN(wrsim_create)
FOREIGN(wrsim_advance)
