// SPDX-License-Identifier: Apache-2.0
// process_cost RUNS COMMAND [ARGUMENT...]: runs a command so often, one run behind the other, and
// prints the median processor time of a run in microseconds and the most memory of one in KiB.
//
// The kernel counts what a child took from its start as a copy of this small program to its end. A
// shell's `time` rounds to milliseconds, and what starts a process of its own is counted too.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char** environ;

static int CompareLongs(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

static long Microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

int main(int argc, char** argv) {
  const long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
  if (runs < 1 || runs > 1000) {
    fprintf(stderr, "process_cost: needs 1 to 1000 runs and a command\n");
    return 2;
  }
  long times[1000], memory = 0;
  for (long run = 0; run < runs; ++run) {
    pid_t child;
    const int failed = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
    if (failed != 0) {
      fprintf(stderr, "process_cost: cannot start %s: %s\n", argv[2], strerror(failed));
      return 1;
    }
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
      if (errno == EINTR) continue;
      perror("process_cost");
      return 1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "process_cost: %s failed\n", argv[2]);
      return 1;
    }
    times[run] = Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime);
    if (usage.ru_maxrss > memory) memory = usage.ru_maxrss;
  }
  qsort(times, (size_t)runs, sizeof(times[0]), &CompareLongs);
  printf("%ld %ld\n", times[runs / 2], memory);
  return 0;
}
