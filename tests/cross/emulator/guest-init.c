/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * The emulated machine's first process. Runs /program with the arguments in /args (each terminated by a
 * zero byte), with its output on the first serial port and its errors on the second, then writes "exit
 * status N" to the third and powers the machine off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { COM3 = 0x3e8, COM3_STATUS = COM3 + 5, EMPTY = 0x40, BOCHS_SHUTDOWN = 0x8900 };

static int open_port(const char *name)
{
    int fd = open(name, O_RDWR | O_NOCTTY);
    struct termios t;

    tcgetattr(fd, &t);
    cfmakeraw(&t); /* raw bytes: no carriage returns are added */
    cfsetspeed(&t, B115200);
    tcsetattr(fd, TCSANOW, &t);
    return fd;
}

int main(void)
{
    static char text[1 << 16], line[32];
    static char *args[sizeof text / 2];
    int status;

    mount("none", "/dev", "devtmpfs", 0, 0);
    mount("none", "/proc", "proc", 0, 0);
    mount("none", "/tmp", "tmpfs", 0, 0);

    ssize_t length = read(open("/args", O_RDONLY), text, sizeof text - 1);
    for (ssize_t at = 0, n = 0; at < length; at += strlen(text + at) + 1)
        args[n++] = text + at;

    int out = open_port("/dev/ttyS0"), err = open_port("/dev/ttyS1");
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(out, 1);
        dup2(err, 2);
        execv("/program", args);
        perror("/program");
        _exit(126);
    }
    while (wait(&status) != child)
        ;
    tcdrain(out);
    tcdrain(err);

    /* Written directly to the port, so that everything is sent before power-off. */
    snprintf(line, sizeof line, "\nexit status %d\n",
             WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    iopl(3);
    for (const char *c = line; *c; c++) {
        outb(*c, COM3);
        while (!(inb(COM3_STATUS) & EMPTY))
            ;
    }
    for (const char *c = "Shutdown"; *c; c++)
        outb(*c, BOCHS_SHUTDOWN);
    for (;;)
        pause();
}
