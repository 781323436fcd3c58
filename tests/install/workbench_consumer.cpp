#include <cstdio>

#include <carom/scenario/kind.hpp>

int main() {
  std::printf("%zu kinds of scenario\n", carom::kinds().size());
  return carom::kinds().empty() ? 1 : 0;
}
