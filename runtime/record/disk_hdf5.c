/* A file driver for HDF5. See disk_hdf5.h; H5FDpublic.h describes the callbacks. Thread: one at a time per file. Real-time: no. */
#include "runtime/record/disk_hdf5.h"
#include "runtime/record/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets in the superblock, version 3 (HDF5 File Format Specification 3.0, II.A): version, flags, end of space, checksum of all bytes
 * before the checksum. HEAD_BYTES: size of the superblock. */
enum { HEAD_VERSION = 8, HEAD_FLAGS = 11, HEAD_END = 28, HEAD_SUM = 44, HEAD_BYTES = 48 };
/* Space that the file announces ahead: from one to two times this size, bytes (assumed). A reader without SWMR reads the end of space
 * when the reader opens the file, and refuses objects behind the end. */
enum { PROMISE_BYTES = 1 << 22 };

typedef struct disk_file {
    H5FD_t base; /* first member, which HDF5 uses */
    int fd;
    haddr_t end_of_space; /* end of the space that HDF5 has allocated */
    haddr_t end_of_file;  /* length of the file for HDF5 */
    haddr_t promised; /* end of space in the file's superblock; the file has at least this length */
    int has_head;     /* 1: head is the last superblock from HDF5 */
    unsigned char head[HEAD_BYTES];
    dev_t device;
    ino_t inode;
    wr_disk_hdf5 *disk;
} disk_file;

/* Data of the driver in an access list. */
typedef struct disk_info {
    wr_disk_hdf5 *disk;
} disk_info;

static disk_file *of(H5FD_t *file) { return (disk_file *)file; }
static const disk_file *of_const(const H5FD_t *file) { return (const disk_file *)file; }

static void note(const disk_file *file, int error_number)
{
    if (!file->disk->error_number)
        file->disk->error_number = error_number;
}

/* Locks the file with the lock that HDF5 and its readers use. Returns 0, also on file systems without locks, or the errno. */
static int take_shared(int fd, int how)
{
    const int is_taken =
        flock(fd, how | LOCK_NB) == 0 || errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP;
    return is_taken ? 0 : errno;
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t max_address)
{
    (void)max_address;
    const disk_info *const info = H5Pget_driver_info(access);
    disk_file *const file = info ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    const int how = ((flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY) |
                    ((flags & H5F_ACC_CREAT) ? O_CREAT : 0) |
                    ((flags & H5F_ACC_EXCL) ? O_EXCL : 0) | O_CLOEXEC;
    struct stat about;
    file->disk = info->disk;
    file->fd = open(name, how, 0666);
    int error_number = file->fd < 0 ? errno : 0;
    /* HDF5 would lock the file only after this call has emptied the file, which may have readers. */
    if (error_number == 0 && (flags & H5F_ACC_TRUNC))
        error_number = take_shared(file->fd, LOCK_EX);
    if (error_number == 0 && (flags & H5F_ACC_TRUNC))
        error_number = wr_result_file_take(file->fd, file->disk->summary);
    if (error_number == 0 && fstat(file->fd, &about) != 0)
        error_number = errno;
    if (error_number != 0) {
        file->disk->error_number = error_number;
        if (file->fd >= 0)
            close(file->fd);
        free(file);
        return NULL;
    }
    file->disk->error_number = 0; /* a failed open before the creation is no error */
    file->disk->fd = file->fd;
    file->end_of_file = (haddr_t)about.st_size;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    return &file->base;
}

static herr_t disk_unlock(H5FD_t *base)
{
    (void)flock(of(base)->fd, LOCK_UN); /* the call fails only where locks have no effect */
    return 0;
}

/* Shortens the file to the space that HDF5 uses. */
static void cut_to_space(disk_file *file)
{
    if (ftruncate(file->fd, (off_t)file->end_of_space) != 0)
        note(file, errno);
    file->promised = 0;
}

static herr_t disk_close(H5FD_t *base)
{
    disk_file *const file = of(base);
    if (file->promised && !file->has_head && !file->disk->error_number)
        cut_to_space(file);
    (void)disk_unlock(base);
    wr_result_file_release(file->fd);
    if (close(file->fd) != 0)
        note(file, errno);
    free(file);
    return 0;
}

static int disk_cmp(const H5FD_t *a_base, const H5FD_t *b_base)
{
    const disk_file *const a = of_const(a_base), *const b = of_const(b_base);
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *ret_flags)
{
    (void)base;
    *ret_flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
                 H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return of_const(base)->end_of_space;
}

static herr_t disk_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    of(base)->end_of_space = address;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return of_const(base)->end_of_file;
}

/* Reads bytes. Bytes behind the end of the file are zeros, as HDF5 requires. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                        size_t n_bytes, void *ret_bytes)
{
    (void)type, (void)transfer;
    const disk_file *const file = of(base);
    unsigned char *bytes = ret_bytes;
    while (n_bytes > 0) {
        const ssize_t n_read = pread(file->fd, bytes, n_bytes, (off_t)address);
        if (n_read < 0 && errno == EINTR)
            continue;
        if (n_read < 0) {
            note(file, errno);
            return -1;
        }
        if (n_read == 0) {
            memset(bytes, 0, n_bytes);
            return 0;
        }
        bytes += n_read;
        address += (haddr_t)n_read;
        n_bytes -= (size_t)n_read;
    }
    return 0;
}

static void write_bytes(disk_file *file, haddr_t address, size_t n_bytes,
                        const unsigned char *bytes)
{
    while (n_bytes > 0 && !file->disk->error_number) {
        const ssize_t n_written = pwrite(file->fd, bytes, n_bytes, (off_t)address);
        if (n_written < 0 && errno == EINTR)
            continue;
        if (n_written <= 0) {
            note(file, n_written < 0 ? errno : ENOSPC);
            break;
        }
        bytes += n_written;
        address += (haddr_t)n_written;
        n_bytes -= (size_t)n_written;
    }
}

/* ---- a file that stays readable at any time ---- */

/* Returns the checksum of the superblock: B. Jenkins, lookup3 (2006, public domain), as the format requires. */
static uint32_t head_sum(const unsigned char *head)
{
    uint32_t word[HEAD_SUM / 4 + 1] = {0};
    memcpy(word, head, HEAD_SUM); /* the words are little-endian, as the file */
#define TURN(x, k) ((x) << (k) | (x) >> (32 - (k)))
    uint32_t a = UINT32_C(0xdeadbeef) + HEAD_SUM, b = a, c = a;
    int i = 0;
    for (; HEAD_SUM / 4 - i > 3; i += 3) {
        a += word[i], b += word[i + 1], c += word[i + 2];
        a -= c, a ^= TURN(c, 4), c += b;
        b -= a, b ^= TURN(a, 6), a += c;
        c -= b, c ^= TURN(b, 8), b += a;
        a -= c, a ^= TURN(c, 16), c += b;
        b -= a, b ^= TURN(a, 19), a += c;
        c -= b, c ^= TURN(b, 4), b += a;
    }
    a += word[i], b += word[i + 1], c += word[i + 2]; /* the last word is zero padding */
    c ^= b, c -= TURN(b, 14);
    a ^= c, a -= TURN(c, 11);
    b ^= a, b -= TURN(a, 25);
    c ^= b, c -= TURN(b, 16);
    a ^= c, a -= TURN(c, 4);
    b ^= a, b -= TURN(a, 14);
    c ^= b, c -= TURN(b, 24);
#undef TURN
    return c;
}

static void put_little(unsigned char *to, uint64_t value, int n_byte)
{
    for (int i = 0; i < n_byte; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* Writes the superblock of a complete file: not marked as open, and with the announced end of space. */
static void write_head(disk_file *file)
{
    unsigned char head[HEAD_BYTES];
    memcpy(head, file->head, sizeof head);
    head[HEAD_FLAGS] = 0;
    put_little(head + HEAD_END, file->promised, 8);
    put_little(head + HEAD_SUM, head_sum(head), 4);
    write_bytes(file, 0, sizeof head, head);
}

/* Extends the file to the announced length, and writes this length to the superblock before other data refer to this space. The unused
 * space is a hole. */
static void promise(disk_file *file, haddr_t end)
{
    if (end + PROMISE_BYTES <= file->promised || file->disk->error_number)
        return;
    const haddr_t ahead = (end / PROMISE_BYTES + 2) * PROMISE_BYTES;
    /* If a limit on the file's length forbids the announced length, the driver tries only the needed length. */
    /* The file is PROMISE_BYTES longer than announced, because a reader gets the length before the reader reads the superblock. */
    if (ftruncate(file->fd, (off_t)(ahead + PROMISE_BYTES)) == 0)
        file->promised = ahead;
    else if (end <= file->promised)
        return;
    else if (ftruncate(file->fd, (off_t)end) == 0)
        file->promised = end;
    else if (errno != EINVAL) /* EINVAL: a device, which has no length */
        note(file, errno);
    if (file->has_head && !file->disk->error_number)
        write_head(file);
}

/* HDF5 marks the superblock of an open file and writes the end of space last. After a crash, a kill or a full disk the HDF5 library would
 * refuse the file. All other writes are in the order of SWMR and always consistent, so the driver writes another superblock until the file
 * is closed. Readers with SWMR accept either superblock. */
static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t n_bytes, const void *from)
{
    (void)type, (void)transfer;
    disk_file *const file = of(base);
    const unsigned char *const head = from;
    if (address + n_bytes > file->end_of_file)
        file->end_of_file = address + n_bytes;
    const int is_head = address == 0 && n_bytes >= HEAD_BYTES && head[HEAD_VERSION] == 3;
    file->has_head = is_head ? head[HEAD_FLAGS] != 0 : file->has_head;
    if (is_head && file->has_head) {
        memcpy(file->head, head, HEAD_BYTES);
        promise(file, file->end_of_space);
        write_head(file);
        address += HEAD_BYTES;
        n_bytes -= HEAD_BYTES;
    } else if (file->has_head) {
        promise(file, address + n_bytes);
    }
    write_bytes(file, address, n_bytes, head + (is_head && file->has_head ? HEAD_BYTES : 0));
    return 0;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t is_closing)
{
    (void)transfer;
    disk_file *const file = of(base);
    if (file->disk->error_number)
        return 0;
    if (file->has_head && !is_closing)
        promise(file, file->end_of_space);
    else if (!file->promised) /* with promised space disk_close() shortens the file */
        cut_to_space(file);
    file->end_of_file = file->end_of_space;
    return 0;
}

/* HDF5 marks a file as open, which shared readers require, only if the driver can lock. File systems without locks
 * work as with HDF5's own driver. */
static herr_t disk_lock(H5FD_t *base, hbool_t is_writer)
{
    const disk_file *const file = of(base);
    const int error_number = take_shared(file->fd, is_writer ? LOCK_EX : LOCK_SH);
    if (error_number != 0)
        note(file, error_number);
    return error_number ? -1 : 0;
}

static const H5FD_class_t disk_class = {
    .name = "wrsim_disk",
    .maxaddr = ((haddr_t)1 << 62) - 1, /* largest address, fits off_t */
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(disk_info), /* HDF5 copies the data byte by byte */
    .open = disk_open,
    .close = disk_close,
    .cmp = disk_cmp,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .lock = disk_lock,
    .unlock = disk_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int wr_disk_hdf5_use(int64_t access, wr_disk_hdf5 *disk)
{
    const disk_info info = {.disk = disk};
    disk->driver = H5FDregister(&disk_class);
    return disk->driver < 0 ? -1 : H5Pset_driver(access, disk->driver, &info);
}

void wr_disk_hdf5_share(const wr_disk_hdf5 *disk) { (void)flock(disk->fd, LOCK_SH | LOCK_NB); }

/* HDF5 1.10 uses a driver's table after HDF5 has released its reference (H5FD_close), so the driver stays until the file is closed. */
void wr_disk_hdf5_release(wr_disk_hdf5 *disk)
{
    if (disk->driver > 0)
        H5FDunregister(disk->driver);
    disk->driver = 0;
}
