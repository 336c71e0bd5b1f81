/* What generated C takes of this header. That of MinGW is for GNU compilers alone. */
#ifndef TIME_H
#define TIME_H
#define TIME_UTC 1
struct timespec {
  long long tv_sec;
  long tv_nsec;
};
int timespec_get(struct timespec *time, int base);
#endif
