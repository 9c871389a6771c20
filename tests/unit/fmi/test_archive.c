/* The temporary folder of an archive: mode, contents, and removal after the end of its process. */
#include "wr_test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zip.h>

#include "subsystems/model_host/fmi/archive.h"

TEST_FOLDER

static void add(zip_t *zip, const char *name, const char *text)
{
    zip_source_t *const source = zip_source_buffer(zip, text, strlen(text), 0);
    assert_true(zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) >= 0);
}

/* Counts the temporary folders in the present folder. Returns the name of one of them in ret_folder, which may be NULL. */
static int count_folders(char ret_folder[256])
{
    int n = 0;
    DIR *const list = opendir(".");
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (strncmp(entry->d_name, "wrsim-fmu-", 10) == 0) {
            n++;
            if (ret_folder)
                snprintf(ret_folder, 256, "%s", entry->d_name);
        }
    closedir(list);
    return n;
}

/* Opens and unpacks an archive in the present folder. */
static wr_archive *unpacked(void)
{
    wrsim_error err = {0};
    char here[512];
    zip_t *const zip = zip_open("x y.fmu", ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    add(zip, "modelDescription.xml", "<a/>");
    add(zip, "binaries/linux64/m.so", "machine");
    add(zip, "binaries/win64/m.dll", "other");
    add(zip, "resources/d\xc3\xa9j\xc3\xa0/t.txt", "1 2 3");
    add(zip, "sources/m.c", "int x;");
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(setenv("TMPDIR", getcwd(here, sizeof here), 1), 0);
    wr_archive *const archive = wr_archive_open("x y.fmu", &err);
    assert_non_null(archive);
    assert_int_equal(wr_archive_unpack(archive, &err), WRSIM_OK);
    return archive;
}

static const char *path_of(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TEST(contents)
{
    AUTO(wr_archive_close) wr_archive *archive = unpacked();
    struct stat about;
    size_t n;
    char folder[256];
    assert_int_equal(count_folders(folder), 1);
    assert_memory_equal(wr_archive_description(archive, &n), "<a/>", 4);
    assert_int_equal(n, 4);
    assert_string_equal(wr_archive_platforms(archive), "linux64, win64");
    assert_int_equal(stat(folder, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    assert_string_equal(wr_test_read(path_of(folder, "resources/d\xc3\xa9j\xc3\xa0/t.txt")),
                        "1 2 3");
    assert_string_equal(wr_test_read(path_of(folder, "binaries/linux64/m.so")), "machine");
    assert_int_equal(access(path_of(folder, "binaries/win64"), F_OK), -1);
    assert_int_equal(access(path_of(folder, "sources"), F_OK), -1);
    wr_archive_close(&archive);
    assert_int_equal(count_folders(NULL), 0);
}

TEST(folder_of_a_killed_process)
{
    AUTO(wr_archive_close) wr_archive *alive = unpacked();
    char folder[256]; /* of `alive` */
    assert_int_equal(count_folders(folder), 1);
    const pid_t child = fork();
    if (child == 0) {
        unpacked();
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count_folders(NULL), 2);
    wr_archive *next = unpacked();
    assert_int_equal(count_folders(NULL), 2); /* the folders of `alive` and `next` */
    assert_int_equal(access(path_of(folder, "binaries/linux64/m.so"), F_OK), 0);
    wr_archive_close(&next);
    assert_int_equal(count_folders(NULL), 1);
}

/* A path leads through a package to an FMU, and through the FMU to a file. */
TEST(path_through_archives)
{
    wrsim_error err = {0};
    wr_archive *alone = unpacked();
    wr_archive_close(&alone);
    zip_t *const zip = zip_open("a.ssp", ZIP_CREATE | ZIP_TRUNCATE, NULL);
    zip_source_t *const source = zip_source_file(zip, "x y.fmu", 0, -1);
    assert_true(zip_file_add(zip, "parts/x.fmu", source, ZIP_FL_ENC_UTF_8) >= 0);
    add(zip, "SystemStructure.ssd", "<b/>");
    assert_int_equal(zip_close(zip), 0);
    AUTO(wr_archive_close) wr_archive *archive = wr_archive_open("a.ssp/parts/x.fmu", &err);
    assert_non_null(archive);
    assert_string_equal(wr_archive_platforms(archive), "linux64, win64");
    assert_int_equal(wr_archive_unpack(archive, &err), WRSIM_OK);
    assert_string_equal(wr_test_read(path_of(wr_archive_folder(archive), "binaries/linux64/m.so")),
                        "machine");
    assert_true(wr_archive_has("a.ssp", "SystemStructure.ssd"));
    assert_false(wr_archive_has("a.ssp/parts/x.fmu", "SystemStructure.ssd"));
    char *text = NULL;
    size_t n;
    assert_int_equal(wr_archive_read_file("a.ssp/parts/x.fmu/sources/m.c", 6, &text, &n, &err),
                     WRSIM_OK);
    assert_int_equal(n, 6);
    assert_memory_equal(text, "int x;", 6);
    free(text);
    assert_int_equal(wr_archive_read_file("a.ssp/parts/x.fmu/sources/m.c", 5, &text, &n, &err),
                     WRSIM_E_MODEL);
    assert_null(wr_archive_open("a.ssp/parts/y.fmu", &err));
    assert_string_equal(err.text,
                        "the archive has no entry 'parts/y.fmu'; export the system again");
    assert_null(wr_archive_open("a.ssp/SystemStructure.ssd", &err));
    assert_string_equal(err.text,
                        "the file is no complete zip archive (Not a zip archive); copy or "
                        "export the FMU again");
}
