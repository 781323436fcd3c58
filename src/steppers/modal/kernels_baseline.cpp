#define CAROM_KERNEL_SET kernels_baseline
#define CAROM_KERNEL_NAME "baseline"
#include "kernels_body.hpp"
