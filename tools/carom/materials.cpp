#include <memory>

#include <fmt/format.h>

#include <carom/output/json.hpp>
#include <carom/systems/materials.hpp>

#include "commands.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct MaterialsOptions {
  std::string name;
  bool json = false;
};

int run_materials(const MaterialsOptions& options) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const NamedMaterial& m : materials()) {
    if (!options.name.empty() && m.name != options.name) continue;
    list.push_back({{"name", m.name},
                    {"young", m.young},
                    {"density", m.density},
                    {"poisson", m.poisson},
                    {"loss_factor", m.loss_factor},
                    {"summary", m.summary},
                    {"source", m.source}});
    rows.push_back({std::string(m.name), fmt::format("{:.4g}", m.young / 1e9),
                    fmt::format("{:g}", m.density), fmt::format("{:g}", m.poisson),
                    fmt::format("{:.2g}", m.loss_factor)});
  }
  if (options.json) {
    print_json({{"materials", std::move(list)}});
    return 0;
  }
  print_table({"name", "E [GPa]", "density [kg/m^3]", "Poisson's ratio", "loss factor"}, rows);
  if (!options.name.empty()) {
    fmt::print("{}\nsource: {}\n", list[0]["summary"].get<std::string>(),
               list[0]["source"].get<std::string>());
  }
  return 0;
}

}  // namespace

Command materials_command() {
  const auto options = std::make_shared<MaterialsOptions>();
  std::vector<std::string_view> names;
  for (const NamedMaterial& material : materials()) names.push_back(material.name);
  return {.name = "materials",
          .summary = "list the named materials: stiffness, density, losses and their sources",
          .flags = {{"name", "NAME", "one of them, with its source", &options->name, names},
                    {"--json", "", "one JSON document on stdout", &options->json}},
          .run = [options] { return run_materials(*options); },
          .examples = "  carom materials\n  carom materials glass\n"};
}

}  // namespace carom::cli
