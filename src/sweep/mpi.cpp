// The plug-in carom_mpi.so: the only place that knows MPI.
#include <chrono>
#include <list>
#include <mpi.h>
#include <mutex>
#include <thread>

#include <carom/sweep/transport.hpp>

namespace carom {
namespace {

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int level = 0;
    // The mutex lets one thread at a time into MPI, which every MPI library supports well.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  ~MpiTransport() override {
    // A blocking barrier would spin on a processor that others may still need.
    MPI_Request all_here{};
    MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    for (int here = 0; here == 0;) {
      MPI_Test(&all_here, &here, MPI_STATUS_IGNORE);
      if (here == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    sweep_up(true);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  void send(int to, int tag, std::string bytes) override {
    const std::lock_guard lock(guard_);
    sweep_up(false);
    Sending& sending = sending_.emplace_back();
    sending.bytes = std::move(bytes);
    MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE, to, tag,
              MPI_COMM_WORLD, &sending.request);
  }

  bool receive(int tag, Message& message) override {
    const std::lock_guard lock(guard_);
    sweep_up(false);
    int found = 0;
    MPI_Message handle{};
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, tag < 0 ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, &found, &handle,
                &status);
    if (found == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    message.from = status.MPI_SOURCE;
    message.tag = status.MPI_TAG;
    message.bytes.resize(static_cast<std::size_t>(size));
    MPI_Mrecv(message.bytes.data(), size, MPI_BYTE, &handle, &status);
    return true;
  }

 private:
  struct Sending {
    MPI_Request request{};
    std::string bytes;
  };

  /// Forgets what has been delivered.
  void sweep_up(bool wait) {
    for (auto each = sending_.begin(); each != sending_.end();) {
      int gone = 0;
      if (wait) {
        MPI_Wait(&each->request, MPI_STATUS_IGNORE);
        gone = 1;
      } else {
        MPI_Test(&each->request, &gone, MPI_STATUS_IGNORE);
      }
      each = gone != 0 ? sending_.erase(each) : std::next(each);
    }
  }

  int rank_ = 0, size_ = 1;
  std::mutex guard_;
  std::list<Sending> sending_;
};

}  // namespace
}  // namespace carom

extern "C" __attribute__((visibility("default"))) carom::Transport* carom_make_mpi_transport() {
  return new carom::MpiTransport();
}
