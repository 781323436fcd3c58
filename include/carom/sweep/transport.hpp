#pragma once

#include <memory>
#include <string>

namespace carom {

/// Messages between the processes of a sweep. Implemented by the plug-in `carom_mpi`, so that the
/// program itself does not need MPI to start.
class Transport {
 public:
  struct Message {
    int from = 0, tag = 0;
    std::string bytes = {};
  };

  virtual ~Transport() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Returns at once; the bytes are kept until they are gone. Safe from several threads.
  virtual void send(int to, int tag, std::string bytes) = 0;
  /// The next message with this tag (any: -1), if there is one. Safe from several threads.
  virtual bool receive(int tag, Message& message) = 0;
};

/// How many processes were started together, as mpirun or srun say in the environment; 1 without.
int ranks_in_environment();

/// Loads the plug-in when several processes were started together; null when it is one. Throws
/// InvalidInput when the plug-in cannot be found: R processes writing one store is never what is
/// wanted. Keep the result until the end of the program: its destructor ends MPI.
std::unique_ptr<Transport> connect_ranks();

}  // namespace carom
