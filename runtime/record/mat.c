/* Loads the module 'mat', and recognises MAT files. See mat.h. Thread: any. Real-time: no. */
#include "runtime/record/mat.h"

#include <stdio.h>
#include <string.h>

#include "base/module.h"
#include "base/open_file.h"

/* A MAT file of version 4 begins with a head of five numbers of 4 bytes, and the name of the first matrix. */
enum { HEAD_BYTES = 20 };
static const char FIRST[] = "Aclass";

int wr_results_is_mat(const char *file)
{
    char begin[HEAD_BYTES + sizeof FIRST] = "";
    FILE *const stream = wr_open_file_read(file);
    if (!stream)
        return 0;
    const size_t n_read = fread(begin, 1, sizeof begin, stream);
    fclose(stream);
    return n_read == sizeof begin && memcmp(begin + HEAD_BYTES, FIRST, sizeof FIRST) == 0;
}

const wr_mat_ops *wr_mat_load(wrsim_error *err) { return wr_module_load(WR_MODULE_MAT, err); }
