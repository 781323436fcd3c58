#define CAROM_KERNEL_SET kernels_avx2
#define CAROM_KERNEL_NAME "avx2"
#include "kernels_body.hpp"
