/* `wrsim codegen`. See codegen_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/codegen_command.h"

#include <stdio.h>
#include <string.h>

#include "analysis/codegen.h"
#include "cli/print.h"

/* "robot_lu" of "robot_lu.c". */
static int stem_bytes(const char *path)
{
    const size_t n = strlen(path);
    return (int)(n > 2 && strcmp(path + n - 2, ".c") == 0 ? n - 2 : n);
}

int wr_codegen_command(const wr_cli *cli)
{
    const char *const path = cli->operand[1];
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wr_codegen made;
    wrsim_status status = wrsim_config_from_file(cli->operand[0], cli->override, cli->n_override,
                                                 wr_print_error, NULL, &config, NULL);
    if (status >= 0) {
        status = wr_codegen_write(config, cli->n_operand > 2 ? cli->operand[2] : NULL, path,
                                  wr_print_error, NULL, &made, &err);
        if (status < 0 && err.text[0])
            wr_print_error(NULL, &err);
    }
    wrsim_config_destroy(&config);
    if (status < 0)
        return wrsim_status_exit_code(status);
    if (cli->is_quiet)
        return 0;
    printf("%s: %d x %d, %d entries, %d of L and U; %.0f operations to factorise, %.0f to solve\n",
           made.subsystem, made.n, made.n, made.n_nonzero, made.n_factor, made.factor_flop,
           made.solve_flop);
    printf("compile:  cc -O2 -ffp-contract=off -shared -fPIC -o %.*s.so %s\n", stem_bytes(path),
           path, path);
    printf("then:     solver.code = \"%.*s.so\" in the config\n", stem_bytes(path), path);
    return 0;
}
