/* Version of the program and library: the one place it is written down. */
#ifndef WRSIM_VERSION_H
#define WRSIM_VERSION_H

#include "wrsim/export.h"

#define WRSIM_VERSION_MAJOR 0
#define WRSIM_VERSION_MINOR 2
#define WRSIM_VERSION_PATCH 0
#define WRSIM_VERSION_STRING "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library that is running, "major.minor.patch". Thread: any. */
WRSIM_API const char *wrsim_version(void);

#ifdef __cplusplus
}
#endif
#endif
