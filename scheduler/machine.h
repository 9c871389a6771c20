/* Description of machine and build, for reports, because results of different machines are not comparable.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MACHINE_H
#define WR_MACHINE_H

#include "base/json.h"
#include "scheduler/topology.h"

enum { WR_MACHINE_TEXT_BYTES = 160 };

/* Texts for reports; "unknown" if the system has no information. */
typedef struct wr_machine {
    char cpu[WR_MACHINE_TEXT_BYTES];      /* model of the processor */
    char cores[WR_MACHINE_TEXT_BYTES];    /* cores that this process may use */
    char kernel[WR_MACHINE_TEXT_BYTES];   /* system, release, architecture */
    char compiler[WR_MACHINE_TEXT_BYTES]; /* name and version of the compiler */
    char flags[WR_MACHINE_TEXT_BYTES];    /* build type, optimisation, instruction sets, checks */
} wr_machine;

/* Reads the description; never fails. topology may be NULL; cores is then "unknown". */
void wr_machine_read(wr_machine *ret_machine, const wr_topology *topology);

/* Writes the description as member "machine" of a JSON object. */
void wr_machine_json(wr_json *json, const wr_topology *topology);

#endif
