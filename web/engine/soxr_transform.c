/* soxr calls its transforms with arguments that some of its functions do not take. Most processors
   ignore what is too much; WebAssembly does not call such a function at all. The same table as in
   fft4g64.c, with the arguments as they are given. */
#include <stdlib.h>

#include "filter.h"

static void* setup(int length) {
  (void)length;
  return NULL;
}
static void delete_setup(void* none) { (void)none; }
static void forward(int length, void* none, double* data, void* scratch) {
  (void)none, (void)scratch;
  lsx_safe_rdft(length, 1, data);
}
static void backward(int length, void* none, double* data, void* scratch) {
  (void)none, (void)scratch;
  lsx_safe_rdft(length, -1, data);
}
static int multiplier(void) { return 2; }
static void keep_order(int length, void* none, double* data, void* scratch) {
  (void)length, (void)none, (void)data, (void)scratch;
}
static int flags(void) { return 0; }

typedef void (*Function)(void);
Function _soxr_rdft64_cb[] = {
    (Function)setup,      (Function)setup,
    (Function)delete_setup, (Function)forward,
    (Function)forward,    (Function)backward,
    (Function)backward,   (Function)_soxr_ordered_convolve,
    (Function)_soxr_ordered_partial_convolve, (Function)multiplier,
    (Function)keep_order, (Function)malloc,
    (Function)calloc,     (Function)free,
    (Function)flags,
};
