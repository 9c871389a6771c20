/* The record of the calls of a thread. See calling.h. Thread: the thread of the record. Real-time: yes. */
#include "subsystems/model_host/calling.h"

#include <fenv.h>

_Thread_local wr_calling wr_calling_now __attribute__((tls_model("initial-exec")));

void wr_calling_set_mode_back(void)
{
    fesetenv(FE_DFL_ENV); /* includes the mode of the x87 unit, which wr_fp_mode leaves out */
    wr_fp_mode_restore(wr_calling_now.mode);
}
