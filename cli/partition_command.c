/* `wrsim partition`. See partition_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/partition_command.h"

#include "cli/blocks_command.h"

int wr_partition_main(int argc, char **argv) { return wr_blocks_main(argc, argv); }
