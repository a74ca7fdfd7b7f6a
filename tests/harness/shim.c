// What stands between a program and its disk: loaded before the C library (LD_PRELOAD), it makes every sync of the program
// slower, and keeps a journal of what is written to one database. For tests and benches only; never changes what is written.
//
//   SHIM_SYNC_MICROS         how much longer each fsync and fdatasync takes
//   SHIM_JOURNAL            the journal; without it nothing is recorded
//   SHIM_DATABASE           the database, by its real path; its write-ahead log goes with it
//
// A record of the journal is one append: kind (1 byte), file (1 byte: 0 the database, 1 its log), offset and length (8 bytes
// each, little-endian), then as many bytes as were written. A lock makes the order of the records the order of the calls. A sync
// has two, at its begin and at its end, with its thread instead of an offset: it answers for what was written before it began.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 'w', TRUNCATE = 't', SYNC_BEGINS = 'b', SYNC_ENDS = 'e' };

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_fallocate)(int, off64_t, off64_t);

static struct timespec longer;
static int journal = -1;
static char database[4096];
static size_t database_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate64");
    const char *micros = getenv("SHIM_SYNC_MICROS");
    if (micros) {
        long number = atol(micros);
        longer.tv_sec = number / 1000000;
        longer.tv_nsec = number % 1000000 * 1000;
    }
    const char *path = getenv("SHIM_JOURNAL"), *of = getenv("SHIM_DATABASE");
    if (path && of && strlen(of) < sizeof database) {
        strcpy(database, of);
        database_length = strlen(of);
        journal = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (journal < 0) abort();
    }
}

// Which file this is: 0 the database, 1 its log, -1 any other.
static int which(int fd) {
    if (journal < 0 || fd == journal) return -1;
    char link[64], path[4200];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < (ssize_t)database_length || memcmp(path, database, database_length)) return -1;
    path[length] = 0;
    const char *rest = path + database_length;
    return !*rest ? 0 : !strcmp(rest, "-wal") ? 1 : -1;
}

static void record(char kind, int file, int64_t offset, int64_t length, const void *bytes, size_t count) {
    char head[18] = {kind, (char)file};
    memcpy(head + 2, &offset, 8);
    memcpy(head + 10, &length, 8);
    struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, count}};
    if (writev(journal, parts, 2) != (ssize_t)(sizeof head + count)) abort();
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    int file = which(fd);
    if (file < 0) return real_pwrite(fd, bytes, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t done = real_pwrite(fd, bytes, count, offset);
    if (done > 0) record(WRITE, file, offset, done, bytes, done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

ssize_t write(int fd, const void *bytes, size_t count) {
    int file = which(fd);
    if (file < 0) return real_write(fd, bytes, count);
    pthread_mutex_lock(&lock);
    off64_t offset = lseek64(fd, 0, SEEK_CUR);
    ssize_t done = real_write(fd, bytes, count);
    if (done > 0) record(WRITE, file, offset, done, bytes, done);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate64(int fd, off64_t length) {
    int file = which(fd);
    if (file < 0) return real_ftruncate(fd, length);
    pthread_mutex_lock(&lock);
    int done = real_ftruncate(fd, length);
    if (!done) record(TRUNCATE, file, 0, length, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// Room that is reserved would be a longer file that nobody recorded.
int posix_fallocate64(int fd, off64_t offset, off64_t length) {
    if (which(fd) >= 0) abort();
    return real_fallocate(fd, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }

static int synced(int fd, int (*real)(int)) {
    int file = which(fd);
    if (file >= 0) {
        pthread_mutex_lock(&lock);
        record(SYNC_BEGINS, file, gettid(), 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    int done = real(fd);
    if (longer.tv_sec || longer.tv_nsec) nanosleep(&longer, NULL);
    if (file >= 0 && !done) {
        pthread_mutex_lock(&lock);
        record(SYNC_ENDS, file, gettid(), 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    return done;
}

int fsync(int fd) { return synced(fd, real_fsync); }

int fdatasync(int fd) { return synced(fd, real_fdatasync); }
