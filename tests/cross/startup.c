/* From reset to main on a Cortex-M with a floating-point unit; files and messages go through semihosting. */
#include <stdint.h>
#include <stdlib.h>

#define SYS_EXIT 0x18
#define RUN_TIME_ERROR 0x20023
#define COPROCESSOR_ACCESS (*(volatile uint32_t *)0xE000ED88)

extern unsigned char stack_top[], bss_start[], bss_end[];
int main(void);
void initialise_monitor_handles(void);

/* newlib's exit calls it. */
void _fini(void)
{
}

static void __attribute__((noreturn)) reset(void)
{
  COPROCESSOR_ACCESS |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  for (unsigned char *byte = bss_start; byte != bss_end; ++byte) {
    *byte = 0;
  }
  initialise_monitor_handles();
  exit(main());
}

/* Any exception ends the emulation as a failure. */
static void fault(void)
{
  register uint32_t operation __asm__("r0") = SYS_EXIT;
  register uint32_t reason __asm__("r1") = RUN_TIME_ERROR;
  __asm__ volatile("bkpt 0xAB" : : "r"(operation), "r"(reason) : "memory");
  for (;;) {
  }
}

typedef void handler(void);
static handler *const vectors[16] __attribute__((section(".vectors"), used)) = {
    (handler *)(void *)stack_top, reset, fault, fault, fault, fault, fault, fault,
    fault, fault, fault, fault, fault, fault, fault, fault};
