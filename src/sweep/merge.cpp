#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/sweep/store.hpp>

#include "sqlite.hpp"

namespace carom {
namespace {

std::vector<std::filesystem::path> part_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const auto file = entry.path() / SweepStore::file_name;
    if (entry.path().filename().string().starts_with("part-") && std::filesystem::exists(file)) {
      files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw InvalidInput("there are no parts in '" + folder.string() +
                       "': folders part-I-of-N with a store are needed");
  }
  return files;
}

}  // namespace

std::filesystem::path part_folder(const std::filesystem::path& folder, SweepPart part) {
  if (part.of == 1) return folder;
  return folder / fmt::format("part-{}-of-{}", part.index, part.of);
}

std::pair<std::int64_t, std::int64_t> merge_parts(const std::filesystem::path& folder) {
  const auto parts = part_files(folder);
  const auto target = folder / SweepStore::file_name;
  // Built under a temporary name and renamed: a merge that is killed leaves what was there before.
  const std::filesystem::path temporary = target.string() + ".part" + std::to_string(getpid());
  std::error_code code;
  std::filesystem::remove(temporary, code);
  std::pair<std::int64_t, std::int64_t> counts;
  try {
    Database merged(temporary, Database::Mode::write);
    std::string hash, version;
    for (const auto& file : parts) {
      Database part(file, Database::Mode::read);
      if (hash.empty()) {
        hash = meta(part, "plan_hash");
        version = meta(part, "carom_version");
      }
      if (meta(part, "plan_hash") != hash || meta(part, "carom_version") != version) {
        throw InvalidInput("'" + file.string() + "' belongs to another plan or version than '" +
                           parts.front().string() + "'");
      }
    }
    const auto attach = [&merged](const std::filesystem::path& file) {
      merged.prepare("ATTACH ? AS part").bind(1, std::string_view(file.native())).run();
    };
    attach(parts.front());
    std::vector<std::string> tables;
    {
      Statement schema = merged.prepare("SELECT sql FROM part.sqlite_master WHERE sql IS NOT NULL");
      while (schema.step()) tables.push_back(schema.text(0));
    }
    for (const std::string& sql : tables) merged.execute(sql);
    merged.execute(
        "INSERT INTO meta SELECT * FROM part.meta; INSERT INTO columns SELECT * FROM part.columns;"
        "UPDATE meta SET value = '1/1' WHERE key = 'part'; DETACH part;");
    for (const auto& file : parts) {
      attach(file);
      merged.execute(
          "BEGIN; INSERT INTO results SELECT * FROM part.results; INSERT INTO costs SELECT * FROM "
          "part.costs; INSERT INTO signals SELECT * FROM part.signals; COMMIT; DETACH part;");
    }
    Statement rows = merged.prepare("SELECT count(*) FROM results");
    rows.step();
    counts = {rows.whole(0), std::stoll(meta(merged, "runs"))};
  } catch (...) {
    std::filesystem::remove(temporary, code);
    throw;
  }
  for (const char* suffix : {"-wal", "-shm"})
    std::filesystem::remove(target.string() + suffix, code);
  std::filesystem::rename(temporary, target, code);
  if (code) throw InvalidInput("cannot write '" + target.string() + "': " + code.message());
  return counts;
}

}  // namespace carom
