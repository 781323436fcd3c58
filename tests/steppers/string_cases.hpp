#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/steppers/modal_problem.hpp>

#include "../support/data.hpp"

namespace cases {

/// Columns of a CSV file (gzipped or not) by name.
using Table = std::map<std::string, std::vector<double>>;

inline Table read_table(const std::filesystem::path& path) {
  const bool packed = path.extension() == ".gz";
  const std::string command = (packed ? "gzip -dc '" : "cat '") + path.string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> file(popen(command.c_str(), "r"), pclose);
  Table table;
  std::vector<std::vector<double>*> columns;
  char line[4096];
  while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
    std::string text(line);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    std::size_t start = 0;
    const bool header = columns.empty();
    for (std::size_t i = 0; start <= text.size(); ++i) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      const std::string cell = text.substr(start, end - start);
      if (header) {
        columns.push_back(&table[cell]);
      } else {
        columns.at(i)->push_back(std::strtod(cell.c_str(), nullptr));
      }
      start = end + 1;
    }
  }
  return table;
}

inline std::filesystem::path string_data() {
  const auto folder = support::shared_folder();
  return folder.empty() ? folder : folder / "data" / "strings";
}

/// sqrt(2/L) sin(j pi x/L), one row per position.
inline carom::ShapeMatrix string_shapes(const std::vector<double>& positions, double length,
                                        int modes) {
  carom::ShapeMatrix shapes(static_cast<Eigen::Index>(positions.size()), modes);
  for (Eigen::Index i = 0; i < shapes.rows(); ++i) {
    for (int j = 0; j < modes; ++j) {
      shapes(i, j) = std::sqrt(2 / length) *
                     std::sin((j + 1) * M_PI * positions[static_cast<std::size_t>(i)] / length);
    }
  }
  return shapes;
}

inline carom::ModalProblem measured_string(const std::string& folder, const std::string& column,
                                           double length, double density,
                                           const std::vector<double>& positions,
                                           const std::vector<double>& heights, double restitution) {
  const Table modes = read_table(string_data() / folder / "modes.csv");
  const Table start = read_table(string_data() / folder / "initial_modal.csv");
  carom::ModalProblem problem;
  const auto& frequency = modes.at("frequency_Hz");
  const auto& sigma = modes.at("sigma_1_per_s");
  for (std::size_t j = 0; j < frequency.size(); ++j) {
    problem.body.modes.push_back({.frequency = frequency[j], .damping = sigma[j], .mass = density});
  }
  const auto& q = start.at(column);
  problem.start.position =
      Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  problem.body.shapes = string_shapes(positions, length, static_cast<int>(frequency.size()));
  problem.heights = heights;
  problem.law = carom::NewtonRestitution{.restitution = restitution};
  return problem;
}

/// The electric-guitar string over a point bridge (issanchou2018 Sect. IV A).
inline carom::ModalProblem point_bridge(double restitution) {
  return measured_string("one_contact", "q0_triangle_1p8mm_m32", 1.002, 1.17e-3, {0.006}, {0.0},
                         restitution);
}

/// The bass G string over 20 frets (Sect. IV B).
inline carom::ModalProblem bass(double restitution) {
  const Table frets = read_table(string_data() / "bass_fretted" / "frets.csv");
  return measured_string("bass_fretted", "q_t0_m32", 0.863, 0.0067, frets.at("x_m"),
                         frets.at("height_m"), restitution);
}

/// The same string over a neck without frets: every grid point may touch.
inline carom::ModalProblem fretless(double restitution) {
  const Table neck = read_table(string_data() / "bass_fretless" / "neck_profile.csv");
  return measured_string("bass_fretless", "q0_m32", 0.863, 0.0067, neck.at("x_m"),
                         neck.at("height_m"), restitution);
}

}  // namespace cases
