#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <utility>

#include <carom/core/error.hpp>

#include "worker_pool.hpp"

namespace carom {
namespace {

using namespace std::chrono_literals;
constexpr int orders = 0;  // tag
constexpr char go = 'g', stop = 's';
constexpr char working = 'w', leaving_now = 'l';

/// Waiting without burning the processor that another rank may need: short naps, growing.
class Patience {
 public:
  void nap() {
    std::this_thread::sleep_for(next_);
    next_ = std::min<std::chrono::microseconds>(2 * next_, 500us);
  }
  void reset() { next_ = 20us; }

 private:
  std::chrono::microseconds next_ = 20us;
};

Transport::Message wait_for(Transport& transport, int tag) {
  Transport::Message message;
  Patience patience;
  while (!transport.receive(tag, message)) patience.nap();
  return message;
}

std::string pack_runs(const std::vector<std::int64_t>& runs) {
  return {reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(std::int64_t)};
}
std::vector<std::int64_t> unpack_runs(const std::string& bytes) {
  std::vector<std::int64_t> runs(bytes.size() / sizeof(std::int64_t));
  if (!runs.empty()) std::memcpy(runs.data(), bytes.data(), runs.size() * sizeof(std::int64_t));
  return runs;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

RankServer::RankServer(Transport& transport, const SweepPlan& plan)
    : transport_(transport), plan_(plan), clients_(static_cast<std::size_t>(transport.size())) {}

void RankServer::open(Scheduler& scheduler) {
  std::string trouble;
  for (int count = 1; count < transport_.size(); ++count) {
    const Transport::Message hello = wait_for(transport_, orders);
    const Json content = parse_json(hello.bytes);
    const auto rank = std::to_string(hello.from);
    if (content["trouble"] != "") {
      trouble = "rank " + rank + ": " + content["trouble"].get<std::string>();
    } else if (content["hash"] != plan_.hash()) {
      trouble = "rank " + rank +
                " reads another plan or scenario than rank 0: all ranks must see "
                "the same files";
    } else {
      for (int thread = 1; thread <= content["jobs"].get<int>(); ++thread) {
        clients_[static_cast<std::size_t>(hello.from)].push_back(
            scheduler.enrol(content["host"].get<std::string>() + " rank " + rank));
        ++at_work_;
      }
    }
  }
  for (int rank = 1; rank < transport_.size(); ++rank) {
    transport_.send(rank, orders, std::string(1, trouble.empty() ? go : stop));
  }
  if (!trouble.empty()) throw InvalidInput(trouble);
}

bool RankServer::serve(Scheduler& scheduler) {
  bool any = false;
  Transport::Message message;
  while (transport_.receive(-1, message)) {
    any = true;
    const bool leaves = message.bytes.at(0) == leaving_now;
    const std::size_t client = clients_.at(static_cast<std::size_t>(message.from))
                                   .at(static_cast<std::size_t>(message.tag - 1));
    const std::vector<RunRecord> finished = unpack(std::string_view(message.bytes).substr(1));
    const std::vector<std::int64_t> chunk = scheduler.exchange(client, finished, leaves);
    transport_.send(message.from, message.tag, pack_runs(chunk));
    if (chunk.empty()) --at_work_;
  }
  return any;
}

void RankServer::tell_all_to_stop() {
  if (std::exchange(told_, true)) return;
  for (int rank = 1; rank < transport_.size(); ++rank) {
    transport_.send(rank, orders, std::string(1, stop));
  }
}

void work_for_rank_0(Transport& transport, const SweepPlan* plan, const std::string& trouble,
                     int jobs, const std::atomic<bool>* interrupt) {
  const Json hello{{"trouble", trouble},
                   {"hash", plan != nullptr ? plan->hash() : ""},
                   {"jobs", jobs},
                   {"host", host_name()}};
  transport.send(0, orders, json_text(hello));
  if (wait_for(transport, orders).bytes.at(0) != go) return;
  std::atomic<bool> stopped{false};
  std::vector<Exchange> exchanges;
  for (int thread = 1; thread <= jobs; ++thread) {
    exchanges.push_back([&transport, thread](const std::vector<RunRecord>& finished, bool leaves) {
      transport.send(0, thread, std::string(1, leaves ? leaving_now : working) + pack(finished));
      return unpack_runs(wait_for(transport, thread).bytes);
    });
  }
  WorkerPool pool(*plan, std::move(exchanges), stopped);
  while (!pool.wait(0.005)) {
    Transport::Message order;
    if (transport.receive(orders, order)) stopped = true;
    if (interrupt != nullptr && *interrupt) stopped = true;
  }
}

void dismiss_ranks(Transport& transport) {
  for (int count = 1; count < transport.size(); ++count) wait_for(transport, orders);
  for (int rank = 1; rank < transport.size(); ++rank) {
    transport.send(rank, orders, std::string(1, stop));
  }
}

}  // namespace carom
