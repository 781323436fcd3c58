#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>

namespace carom {

/// signals.h5: one dataset for `time` and each signal, with the attributes `unit` and `help`;
/// compressed, readable by h5py and every other HDF5 tool. The same run gives the same bytes.
class Hdf5Signals final : public SignalSink {
 public:
  /// `attributes` are texts on the file itself: kind, scenario, version.
  Hdf5Signals(std::filesystem::path file,
              std::vector<std::pair<std::string, std::string>> attributes);
  ~Hdf5Signals() override;
  Hdf5Signals(const Hdf5Signals&) = delete;
  Hdf5Signals& operator=(const Hdf5Signals&) = delete;

  void begin(const std::vector<Signal>& signals) override;
  void write(std::span<const double> values, std::size_t rows) override;
  void close();  ///< throws InvalidInput when the disk is full

 private:
  std::filesystem::path path_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::int64_t file_ = -1;              ///< an HDF5 identifier
  std::vector<std::int64_t> datasets_;  ///< the same
  std::uint64_t rows_ = 0;
};

}  // namespace carom
