#define CAROM_KERNEL_SET kernels_avx512
#define CAROM_KERNEL_NAME "avx512"
#include "kernels_body.hpp"
