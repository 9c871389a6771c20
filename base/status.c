/* Expands the status list into names, texts and exit codes.
 *
 * Thread: any. Real-time: yes.
 */
#include "wrsim/status.h"
#include "wrsim/version.h"

const char *wrsim_status_name(wrsim_status status)
{
    switch (status) {
#define WRSIM_X(name, number, exit_code, text)                                                     \
    case name:                                                                                     \
        return #name;
        WRSIM_STATUS_LIST(WRSIM_X)
#undef WRSIM_X
    }
    return "?";
}

const char *wrsim_status_text(wrsim_status status)
{
    switch (status) {
#define WRSIM_X(name, number, exit_code, text)                                                     \
    case name:                                                                                     \
        return text;
        WRSIM_STATUS_LIST(WRSIM_X)
#undef WRSIM_X
    }
    return "unknown status";
}

int wrsim_status_exit_code(wrsim_status status)
{
    switch (status) {
#define WRSIM_X(name, number, exit_code, text)                                                     \
    case name:                                                                                     \
        return exit_code;
        WRSIM_STATUS_LIST(WRSIM_X)
#undef WRSIM_X
    }
    return 7;
}

const char *wrsim_version(void) { return WRSIM_VERSION_STRING; }
