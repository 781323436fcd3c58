// mpirun -n R carom_bench_messages: round trips per second that rank 0 can answer through the same
// transport the sweep uses, with small messages, from all other ranks at once.
#include <chrono>
#include <cstdio>
#include <ctime>

#include <carom/sweep/transport.hpp>

int main() {
  const auto transport = carom::connect_ranks();
  if (transport == nullptr) {
    std::fprintf(stderr, "start it with mpirun -n R, R > 1\n");
    return 2;
  }
  constexpr int trips = 20'000;
  const std::string bytes(256, 'x');
  carom::Transport::Message message;
  const auto begin = std::chrono::steady_clock::now();
  if (transport->rank() == 0) {
    const int total = trips * (transport->size() - 1);
    for (int answered = 0; answered < total;) {
      if (!transport->receive(-1, message)) continue;
      transport->send(message.from, message.tag, bytes);
      ++answered;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const double cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    std::printf("%d ranks: %.0f messages answered per second, %.0f per CPU second of rank 0\n",
                transport->size(), total / took.count(), total / cpu);
  } else {
    for (int i = 0; i < trips; ++i) {
      transport->send(0, 1, bytes);
      while (!transport->receive(1, message)) {
      }
    }
  }
}
