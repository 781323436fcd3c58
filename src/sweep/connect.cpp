#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/sweep/transport.hpp>

namespace carom {
namespace {

constexpr const char* plugin_name = "carom_mpi.so";

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : 0;
}

/// Beside the program or library this code is in, or where `cmake --install` puts it.
std::vector<std::filesystem::path> plugin_places() {
  std::vector<std::filesystem::path> places;
  if (const char* named = std::getenv("CAROM_MPI_PLUGIN")) return {named};
  std::error_code code;
  std::vector<std::filesystem::path> homes{std::filesystem::read_symlink("/proc/self/exe", code)};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ranks_in_environment), &info) != 0) {
    homes.emplace_back(std::filesystem::absolute(info.dli_fname, code));
  }
  for (const auto& home : homes) {
    places.push_back(home.parent_path() / plugin_name);
    places.push_back(home.parent_path().parent_path() / CAROM_PLUGIN_DIR / plugin_name);
  }
  return places;
}

}  // namespace

int ranks_in_environment() {
  // Open MPI; MPICH, Intel MPI and Slurm's PMI; Slurm's PMIx, which leaves the count to Slurm.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int size = number_in_environment(name); size > 0) return size;
  }
  if (std::getenv("PMIX_RANK") != nullptr) {
    if (const int size = number_in_environment("SLURM_STEP_NUM_TASKS"); size > 0) return size;
  }
  return 1;
}

std::unique_ptr<Transport> connect_ranks() {
  const int ranks = ranks_in_environment();
  if (ranks <= 1) return nullptr;
  const std::string start = "started as " + std::to_string(ranks) + " ranks, but ";
  std::string reason;
  for (const auto& place : plugin_places()) {
    if (!std::filesystem::exists(place)) continue;
    // Global: MPI libraries load parts of themselves that expect to find the others.
    void* plugin = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (plugin == nullptr) {
      reason = dlerror();
      continue;
    }
    using Make = Transport* (*)();
    const auto make = reinterpret_cast<Make>(dlsym(plugin, "carom_make_mpi_transport"));
    if (make == nullptr)
      throw InvalidInput(start + "'" + place.string() + "' is no plug-in of carom");
    return std::unique_ptr<Transport>(make());
  }
  throw InvalidInput(start + (reason.empty()
                                  ? "this carom was built without MPI (no carom_mpi.so beside it); "
                                    "start it without mpirun, or build it where MPI is installed"
                                  : "MPI cannot be loaded: " + reason));
}

}  // namespace carom
