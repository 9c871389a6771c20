/* Runs a fuzz target over every file of the folders on the command line, so that inputs found by a fuzzer stay tested without a
 * fuzzer. Fails if the folders have no file.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { MAX_BYTES = 1024 * 1024 };

static int replay_file(const char *path)
{
    FILE *const stream = fopen(path, "rb");
    uint8_t *const buffer = malloc(MAX_BYTES);
    if (!stream || !buffer) {
        fprintf(stderr, "%s cannot be read\n", path);
        free(buffer);
        if (stream)
            fclose(stream);
        return 0;
    }
    const size_t n_bytes = fread(buffer, 1, MAX_BYTES, stream);
    fclose(stream);
    /* As large as the input, so that a sanitizer detects reads beyond its end. */
    uint8_t *const data = realloc(buffer, n_bytes ? n_bytes : 1);
    if (data)
        (void)LLVMFuzzerTestOneInput(data, n_bytes); /* returns 0; a target that fails aborts */
    free(data ? data : buffer);
    return 1;
}

int main(int argc, char **argv)
{
    int n_files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *const folder = opendir(argv[i]);
        if (!folder) {
            fprintf(stderr, "%s cannot be opened\n", argv[i]);
            return 1;
        }
        for (const struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (!replay_file(path))
                return 1;
            n_files++;
        }
        closedir(folder);
    }
    printf("%d files\n", n_files);
    return n_files > 0 ? 0 : 1;
}
