/* Fingerprint of machine and build, for reports: results of two machines must not be compared as if
 * they came from one.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MACHINE_H
#define WR_MACHINE_H

#include "base/json.h"
#include "scheduler/topology.h"

enum { WR_MACHINE_TEXT_BYTES = 160 };

/* Plain text for people; "unknown" where the system does not tell. */
typedef struct wr_machine {
    char cpu[WR_MACHINE_TEXT_BYTES];      /* model of the processor */
    char cores[WR_MACHINE_TEXT_BYTES];    /* what this process may use of it */
    char kernel[WR_MACHINE_TEXT_BYTES];   /* system, release, architecture */
    char compiler[WR_MACHINE_TEXT_BYTES]; /* name and version */
    char flags[WR_MACHINE_TEXT_BYTES];    /* build type, optimisation, instruction sets, checks */
} wr_machine;

/* Never fails. topology may be NULL: cores is then "unknown". */
void wr_machine_read(wr_machine *ret_machine, const wr_topology *topology);

/* The same as member "machine" of a JSON object. */
void wr_machine_json(wr_json *json, const wr_topology *topology);

#endif
