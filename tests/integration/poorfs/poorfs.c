// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A FUSE file system that shows a folder without some operations, as network, cloud and removable disks
// lack them.
//
//     poorfs FOLDER MOUNT [CALL=ERRNO | mode=MODE | decompose=1]...
//
// CALL is an operation that fails with this number: link, rename, noreplace (a rename that must not
// replace), chmod, fsync, fsyncdir, create, write (after half of the first write), flush (when a file is
// closed), flock. chmod=0 ignores the call. `mode` is what every file and folder seems to have. With
// `decompose`, folders list "ü" as "u" and a combining diaeresis, and both spellings lead to the same file.
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const COMPOSED = "\xc3\xbc", *const DECOMPOSED = "u\xcc\x88";

static int root;
static char **rules;

// The value of a rule, or -1.
static int rule(const char *name)
{
    const size_t length = strlen(name);
    for (char **at = rules; *at; at++) {
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') {
            return (int)strtol(*at + length + 1, NULL, 0);
        }
    }
    return -1;
}

static void replace_all(char *out, size_t size, const char *text, const char *from, const char *to)
{
    size_t at = 0;
    while (*text && at + strlen(to) + 1 < size) {
        if (strncmp(text, from, strlen(from)) == 0) {
            at += (size_t)snprintf(out + at, size - at, "%s", to);
            text += strlen(from);
        } else {
            out[at++] = *text++;
        }
    }
    out[at] = 0;
}

// The path below the folder.
#define REAL(name, path)                                                                                   \
    char name[PATH_MAX];                                                                                   \
    real(name, path)

static void real(char *out, const char *path)
{
    char relative[PATH_MAX];
    snprintf(relative, sizeof relative, ".%s", path);
    if (rule("decompose") > 0) {
        replace_all(out, PATH_MAX, relative, DECOMPOSED, COMPOSED);
    } else {
        memcpy(out, relative, PATH_MAX);
    }
}

static int result(int status) { return status == -1 ? -errno : 0; }

#define FAIL_IF_RULE(name)                                                                                 \
    do {                                                                                                   \
        const int error = rule(name);                                                                      \
        if (error >= 0) {                                                                                  \
            return -error;                                                                                 \
        }                                                                                                  \
    } while (0)

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->use_ino = 1;
    // Nothing is cached, so that each call arrives.
    config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
    return NULL;
}

static int getattr(const char *path, struct stat *stat, struct fuse_file_info *file)
{
    REAL(at, path);
    const int status = file ? fstat((int)file->fh, stat) : fstatat(root, at, stat, AT_SYMLINK_NOFOLLOW);
    const int mode = rule("mode");
    if (mode >= 0) {
        stat->st_mode = (stat->st_mode & S_IFMT) | (mode_t)mode;
    }
    return result(status);
}

static int readlink_(const char *path, char *out, size_t size)
{
    REAL(at, path);
    const ssize_t length = readlinkat(root, at, out, size - 1);
    if (length < 0) {
        return -errno;
    }
    out[length] = 0;
    return 0;
}

static int mkdir_(const char *path, mode_t mode)
{
    REAL(at, path);
    return result(mkdirat(root, at, mode));
}

static int unlink_(const char *path)
{
    REAL(at, path);
    return result(unlinkat(root, at, 0));
}

static int rmdir_(const char *path)
{
    REAL(at, path);
    return result(unlinkat(root, at, AT_REMOVEDIR));
}

static int rename_(const char *from, const char *to, unsigned flags)
{
    FAIL_IF_RULE("rename");
    if (flags) {
        FAIL_IF_RULE("noreplace");
    }
    REAL(old, from);
    REAL(new, to);
    return result(renameat2(root, old, root, new, flags));
}

static int link_(const char *from, const char *to)
{
    FAIL_IF_RULE("link");
    REAL(old, from);
    REAL(new, to);
    return result(linkat(root, old, root, new, 0));
}

static int chmod_(const char *path, mode_t mode, struct fuse_file_info *file)
{
    (void)file;
    FAIL_IF_RULE("chmod");
    REAL(at, path);
    return result(fchmodat(root, at, mode, 0));
}

static int open_(const char *path, struct fuse_file_info *file)
{
    REAL(at, path);
    const int fd = openat(root, at, file->flags);
    file->fh = (uint64_t)fd;
    return result(fd);
}

static int create_(const char *path, mode_t mode, struct fuse_file_info *file)
{
    FAIL_IF_RULE("create");
    REAL(at, path);
    const int fd = openat(root, at, file->flags | O_CREAT, mode);
    file->fh = (uint64_t)fd;
    return result(fd);
}

static int read_(const char *path, char *out, size_t size, off_t offset, struct fuse_file_info *file)
{
    (void)path;
    const ssize_t length = pread((int)file->fh, out, size, offset);
    return length < 0 ? -errno : (int)length;
}

static int write_(const char *path, const char *data, size_t size, off_t offset,
                  struct fuse_file_info *file)
{
    (void)path;
    if (rule("write") >= 0) {
        if (offset > 0 || size < 2) {
            return -rule("write");
        }
        size /= 2;
    }
    const ssize_t length = pwrite((int)file->fh, data, size, offset);
    return length < 0 ? -errno : (int)length;
}

static int flush_(const char *path, struct fuse_file_info *file)
{
    (void)path;
    // Files that were only read are closed without an error.
    if ((fcntl((int)file->fh, F_GETFL) & O_ACCMODE) != O_RDONLY) {
        FAIL_IF_RULE("flush");
    }
    return 0;
}

static int release_(const char *path, struct fuse_file_info *file)
{
    (void)path;
    return result(close((int)file->fh));
}

static int fsync_(const char *path, int data_only, struct fuse_file_info *file)
{
    (void)path, (void)data_only, (void)file;
    FAIL_IF_RULE("fsync");
    return 0;
}

static int fsyncdir(const char *path, int data_only, struct fuse_file_info *file)
{
    (void)path, (void)data_only, (void)file;
    FAIL_IF_RULE("fsyncdir");
    return 0;
}

static int flock_(const char *path, struct fuse_file_info *file, int operation)
{
    (void)path, (void)file, (void)operation;
    return -rule("flock");
}

static int readdir_(const char *path, void *out, fuse_fill_dir_t fill, off_t offset,
                    struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    (void)offset, (void)file, (void)flags;
    REAL(at, path);
    const int fd = openat(root, at, O_RDONLY | O_DIRECTORY);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        return -errno;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[2 * sizeof entry->d_name];
        const int decompose = rule("decompose") > 0;
        replace_all(name, sizeof name, entry->d_name, COMPOSED, decompose ? DECOMPOSED : COMPOSED);
        const struct stat stat = {.st_ino = entry->d_ino, .st_mode = DTTOIF(entry->d_type)};
        fill(out, name, &stat, 0, (enum fuse_fill_dir_flags)0);
    }
    closedir(folder);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3 || (root = open(argv[1], O_RDONLY | O_DIRECTORY)) < 0) {
        perror("poorfs");
        return 1;
    }
    rules = argv + 3;
    umask(0);
    const struct fuse_operations operations = {
        .init = start,
        .getattr = getattr,
        .readlink = readlink_,
        .mkdir = mkdir_,
        .unlink = unlink_,
        .rmdir = rmdir_,
        .rename = rename_,
        .link = link_,
        .chmod = chmod_,
        .open = open_,
        .create = create_,
        .read = read_,
        .write = write_,
        .flush = flush_,
        .release = release_,
        .fsync = fsync_,
        .fsyncdir = fsyncdir,
        // Without this operation, the kernel locks by itself.
        .flock = rule("flock") >= 0 ? flock_ : NULL,
        .readdir = readdir_,
    };
    char *options[] = {argv[0], "-f", "-s", argv[2], NULL};
    return fuse_main(4, options, &operations, NULL);
}
