/* Version of the program, the libraries and these headers. */
#ifndef WRSIM_VERSION_H
#define WRSIM_VERSION_H

#include "wrsim/export.h"

#define WRSIM_VERSION_MAJOR 0 /* first number of the version */
#define WRSIM_VERSION_MINOR 2 /* second number of the version */
#define WRSIM_VERSION_PATCH 0 /* third number of the version */
/* Version of these headers, in the form of wrsim_version. The build reads this line. */
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
