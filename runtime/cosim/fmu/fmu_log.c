/* Messages of an instance. See fmu_log.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/fmu/fmu_log.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_BYTES = 1024 };

void wr_fmu_log(const wr_fmu *f, wr_fmu_status status, const char *format, ...)
{
    if (!f->host.log || (status < WR_FMU_DISCARD && !f->host.is_logging))
        return;
    char text[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->host.log(f->host.user, status,
                status >= WR_FMU_DISCARD   ? WR_FMU_CATEGORY_ERROR
                : status == WR_FMU_WARNING ? WR_FMU_CATEGORY_WARNING
                                           : WR_FMU_CATEGORY_INFO,
                text);
}

wr_fmu_status wr_fmu_log_failure(const wr_fmu *f, const wrsim_error *err)
{
    const int has_name = err->subsystem[0] != '\0';
    wr_fmu_log(f, WR_FMU_ERROR, "%s%s%s%s", has_name ? "subsystem '" : "", err->subsystem,
               has_name ? "': " : "", err->text);
    return WR_FMU_ERROR;
}
