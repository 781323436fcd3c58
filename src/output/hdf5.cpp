#include <hdf5.h>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/output/hdf5.hpp>

namespace carom {
namespace {

constexpr hsize_t chunk_rows = 4096;

[[noreturn]] void fail() { throw InvalidInput("cannot write 'signals.h5': HDF5 refused"); }

hid_t checked(hid_t identifier) {
  if (identifier < 0) fail();
  return identifier;
}

/// Of variable length: the kind that h5py and others hand back as text, not as bytes.
void set_text(hid_t object, const std::string& name, const std::string& text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      checked(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  const char* pointer = text.c_str();
  H5Awrite(attribute, type, &pointer);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

hid_t make_dataset(hid_t file, const Signal& signal) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const hid_t space = H5Screate_simple(1, &none, &unlimited);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &chunk_rows);
  H5Pset_shuffle(properties);
  H5Pset_deflate(properties, 4);
  H5Pset_obj_track_times(properties, false);
  const hid_t dataset = checked(H5Dcreate2(file, signal.name.c_str(), H5T_IEEE_F64LE, space,
                                           H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Pclose(properties);
  H5Sclose(space);
  set_text(dataset, "unit", signal.unit);
  set_text(dataset, "help", signal.help);
  return dataset;
}

}  // namespace

Hdf5Signals::Hdf5Signals(std::filesystem::path file,
                         std::vector<std::pair<std::string, std::string>> attributes)
    : path_(std::move(file)), attributes_(std::move(attributes)) {}

Hdf5Signals::~Hdf5Signals() {
  for (const hid_t dataset : datasets_) H5Dclose(dataset);
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Signals::begin(const std::vector<Signal>& signals) {
  H5dont_atexit();  // at exit it would write once more what a full disk refused, and crash
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say what went wrong, HDF5 does not print
  const hid_t properties = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(properties, false);
  file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, properties, H5P_DEFAULT);
  H5Pclose(properties);
  checked(file_);
  for (const auto& [name, text] : attributes_) set_text(file_, name, text);
  datasets_.push_back(make_dataset(file_, {"time", "s", "since the start"}));
  for (const Signal& signal : signals) datasets_.push_back(make_dataset(file_, signal));
}

void Hdf5Signals::write(std::span<const double> values, std::size_t rows) {
  const std::size_t width = datasets_.size();
  std::vector<double> column(rows);
  const hsize_t first = rows_, count = rows, total = rows_ + rows;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t row = 0; row < rows; ++row) column[row] = values[row * width + i];
    if (H5Dset_extent(datasets_[i], &total) < 0) fail();
    const hid_t place = H5Dget_space(datasets_[i]);
    H5Sselect_hyperslab(place, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
    const hid_t memory = H5Screate_simple(1, &count, nullptr);
    const herr_t status =
        H5Dwrite(datasets_[i], H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, column.data());
    H5Sclose(memory);
    H5Sclose(place);
    if (status < 0) fail();
  }
  rows_ = total;
}

void Hdf5Signals::close() {
  bool failed = false;
  for (const hid_t dataset : datasets_) failed = H5Dclose(dataset) < 0 || failed;
  datasets_.clear();
  if (file_ >= 0) failed = H5Fclose(std::exchange(file_, -1)) < 0 || failed;
  if (failed) fail();
}

}  // namespace carom
