/* `wrsim partition`: block forms of a matrix, or with --groups a grouping of components. See partition_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/partition_command.h"

#include <string.h>

#include "cli/blocks_command.h"
#include "cli/grouping_command.h"

static int asks_for_groups(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--groups") == 0 || strncmp(argv[i], "--groups=", 9) == 0)
            return 1;
    return 0;
}

int wr_partition_main(int argc, char **argv)
{
    return asks_for_groups(argc, argv) ? wr_grouping_main(argc, argv) : wr_blocks_main(argc, argv);
}
