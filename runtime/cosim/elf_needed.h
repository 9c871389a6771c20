/* Lists the shared libraries that a shared object needs (DT_NEEDED), without loading the object.
 *
 * Source: System V Application Binary Interface, chapter 5, "Dynamic Section".
 *
 * Thread: any. Real-time: no. */
#ifndef WR_ELF_NEEDED_H
#define WR_ELF_NEEDED_H

#include "wrsim/status.h"

/* Finds the first needed library that is no part of the C library, and no file in the folder `beside` (NULL: no folder). Writes its name to
 * ret_name; "": none, or the file does not begin as an object of ELF does. Returns WRSIM_OK; WRSIM_E_IO if the file cannot be read;
 * WRSIM_E_PLUGIN if the file is no complete object of this machine's ELF; WRSIM_E_MEMORY. */
enum { WR_ELF_NAME_BYTES = 256 };
wrsim_status wr_elf_needed_find_other(const char *path, const char *beside,
                                      char ret_name[WR_ELF_NAME_BYTES], wrsim_error *err);

#endif
