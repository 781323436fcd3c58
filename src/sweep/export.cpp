#include <cerrno>
#include <cstdio>
#include <cstring>
#include <hdf5.h>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/sweep/store.hpp>

#include "sqlite.hpp"

namespace carom {
namespace {

/// A file under a temporary name until commit(): whole or not at all.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path), temporary_(path.string() + ".part" + std::to_string(getpid())) {}
  ~NewFile() { std::remove(temporary_.c_str()); }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& temporary() const noexcept { return temporary_; }
  void commit() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw InvalidInput("cannot write '" + path_.string() + "': " + reason);
  }

 private:
  std::filesystem::path path_;
  std::string temporary_;
};

/// A cell of text. Spreadsheets take what begins with these signs for a formula and compute it; a
/// leading ' makes it text. Numbers do not come here.
std::string quoted(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    text.insert(0, 1, '\'');
  }
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string result = "\"";
  for (const char letter : text) {
    result += letter;
    if (letter == '"') result += letter;
  }
  return result + "\"";
}

std::string csv_text(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return number_text(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return quoted(*text);
  return {};
}

/// Names of the columns of `results`, in the order of the table.
std::vector<std::string> result_names(Database& database) {
  std::vector<std::string> names;
  Statement columns = database.prepare("SELECT name FROM pragma_table_info('results')");
  while (columns.step()) names.push_back(columns.text(0));
  if (names.empty()) throw InvalidInput("this is no store of a sweep: it has no table 'results'");
  return names;
}

class Hdf5Writer {
 public:
  explicit Hdf5Writer(NewFile& file) : file_(file) {
    H5dont_atexit();  // see Hdf5Signals
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    std::FILE* made = create_new(file.temporary());
    if (made == nullptr) file.fail(std::strerror(errno));
    std::fclose(made);
    const hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(properties, false);
    handle_ = checked(H5Fcreate(file.temporary().c_str(), H5F_ACC_TRUNC, properties, H5P_DEFAULT));
    H5Pclose(properties);
  }
  ~Hdf5Writer() {
    if (handle_ >= 0) H5Fclose(handle_);
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  hid_t make_group(const std::string& name) {
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, false);
    const hid_t group =
        checked(H5Gcreate2(handle_, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    return group;
  }

  void attribute(hid_t object, const std::string& name, const Cell& cell) {
    const hid_t space = H5Screate(H5S_SCALAR);
    if (const auto* text = std::get_if<std::string>(&cell)) {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, std::max<std::size_t>(1, text->size()));
      H5Tset_cset(type, H5T_CSET_UTF8);
      put(object, name, type, type, space, text->c_str());
      H5Tclose(type);
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
      put(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
      put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, number);
    }
    H5Sclose(space);
  }

  void dataset(hid_t group, const std::string& name, const std::vector<double>& values) {
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    if (size > 0) {
      H5Pset_chunk(properties, 1, &size);
      H5Pset_shuffle(properties);
      H5Pset_deflate(properties, 4);
    }
    const hid_t set = checked(H5Dcreate2(group, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                         properties, H5P_DEFAULT));
    const bool good = size == 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                            values.data()) >= 0;
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    if (!good) file_.fail("HDF5 refused");
  }

  void close() {
    if (H5Fclose(std::exchange(handle_, -1)) < 0) file_.fail("HDF5 refused");
  }

 private:
  hid_t checked(hid_t identifier) const {
    if (identifier < 0) file_.fail("HDF5 refused");
    return identifier;
  }
  void put(hid_t object, const std::string& name, hid_t type, hid_t memory, hid_t space,
           const void* value) {
    const hid_t attribute =
        checked(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute, memory, value);
    H5Aclose(attribute);
  }

  NewFile& file_;
  hid_t handle_ = -1;
};

}  // namespace

std::filesystem::path store_file(const std::filesystem::path& file) {
  const auto inside = file / SweepStore::file_name;
  auto found = std::filesystem::is_directory(file) ? inside : file;
  if (!std::filesystem::is_regular_file(found)) {
    throw InvalidInput("there is no store '" + found.string() + "'");
  }
  return found;
}

SweepTable read_table(const std::filesystem::path& file) {
  Database database(store_file(file), Database::Mode::read);
  SweepTable table;
  table.names = result_names(database);
  Statement parameters = database.prepare("SELECT count(*) FROM columns WHERE role = 'parameter'");
  parameters.step();
  table.parameters = static_cast<std::size_t>(parameters.whole(0));
  Statement rows = database.prepare("SELECT * FROM results ORDER BY run");
  while (rows.step()) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      row.push_back(rows.cell(static_cast<int>(i)));
    }
  }
  return table;
}

void write_csv(const std::filesystem::path& store, std::FILE* stream) {
  Database database(store_file(store), Database::Mode::read);
  const std::vector<std::string> names = result_names(database);
  std::string text;
  const auto flush = [&] {
    if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) {
      throw InvalidInput(std::string("cannot write CSV: ") + std::strerror(errno));
    }
    text.clear();
  };
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ",") + quoted(names[i]);
  text += "\n";
  Statement rows = database.prepare("SELECT * FROM results ORDER BY run");
  while (rows.step()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) text += ',';
      text += csv_text(rows.cell(static_cast<int>(i)));
    }
    text += "\n";
    if (text.size() > (1u << 16)) flush();
  }
  flush();
}

void export_csv(const std::filesystem::path& store, const std::filesystem::path& file) {
  NewFile target(file);
  std::FILE* stream = create_new(target.temporary());
  if (stream == nullptr) target.fail(std::strerror(errno));
  try {
    write_csv(store, stream);
  } catch (...) {
    std::fclose(stream);
    throw;
  }
  if (std::fclose(stream) != 0) target.fail(std::strerror(errno));
  target.commit();
}

void export_hdf5(const std::filesystem::path& store, const std::filesystem::path& file) {
  Database database(store_file(store), Database::Mode::read);
  const std::vector<std::string> names = result_names(database);
  NewFile target(file);
  Hdf5Writer writer(target);
  Statement signals =
      database.prepare("SELECT name, samples FROM signals WHERE run = ? ORDER BY name");
  Statement rows = database.prepare("SELECT * FROM results ORDER BY run");
  while (rows.step()) {
    const std::int64_t run = rows.whole(0);
    const hid_t group = writer.make_group(fmt::format("run_{:07}", run));
    for (std::size_t i = 0; i < names.size(); ++i) {
      writer.attribute(group, names[i], rows.cell(static_cast<int>(i)));
    }
    signals.bind(1, run);
    while (signals.step()) writer.dataset(group, signals.text(0), signals.blob(1));
    signals.reset();
    H5Gclose(group);
  }
  writer.close();
  target.commit();
}

}  // namespace carom
