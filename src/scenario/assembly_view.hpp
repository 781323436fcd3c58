#pragma once

#include <string>
#include <variant>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/systems/line_assembly.hpp>
#include <carom/systems/plane_assembly.hpp>

#include "assembly_file.hpp"
#include "assembly_march.hpp"

namespace carom {

/// An assembly on a line or in the plane, seen as people see it: by bodies and contacts rather than
/// by coordinates and gaps.
class AssemblyView {
 public:
  explicit AssemblyView(const AssemblyFile& file);

  const AnySystem& system() const noexcept { return system_; }
  const MotionState& start() const noexcept { return start_; }
  bool plane() const noexcept { return std::holds_alternative<PlaneAssembly>(model_); }
  const PlaneAssembly* plane_model() const noexcept { return std::get_if<PlaneAssembly>(&model_); }
  int gaps() const { return system_.contacts(); }
  int contact_of(int gap) const;
  // Of each gap.
  std::vector<double> friction() const { return of_gaps(file_->friction); }
  /// [N/m]; 0: not given.
  std::vector<double> tangential_stiffness() const { return of_gaps(file_->tangential_stiffness); }
  int body(const std::string& name) const;

  std::vector<Signal> signals() const;
  void row(const AssemblyMarch& now, std::vector<double>& values) const;
  /// One of each contact, of all its gaps [N].
  void add_forces(const AssemblyMarch& now, std::vector<double>& values) const;
  double kinetic_energy(int body, const AssemblyMarch& now) const;
  PlaneAssembly::Pose pose(int body, const AssemblyMarch& now) const;
  double heard(int body, bool velocity, const AssemblyMarch& now) const;

  Json contacts_json(const Scenario& scenario, const std::vector<AssemblyImpact>& impacts) const;
  Json laws_json(const Scenario& scenario) const;
  /// What residuals are compared with: all the energy that was there, came in or went out [J].
  double energy_scale(const AssemblyMarch& now) const;

 private:
  using Model = std::variant<LineAssembly, PlaneAssembly>;
  static Model model_of(const Assembly& parts);
  std::vector<double> of_gaps(const std::vector<double>& of_contacts) const;

  const AssemblyFile* file_;
  Model model_;
  AnySystem system_;
  MotionState start_;
  std::vector<std::size_t> shown_;  ///< bodies with signals: those that move freely first
};

/// Rows, energies, and what pictures and the film are made of.
class AssemblyRecorder {
 public:
  AssemblyRecorder(const AssemblyView& view, const AssemblyFile& file, RunContext& context,
                   double duration);
  void record(const AssemblyMarch& now);
  std::vector<Picture> pictures() const;
  BodyFilm film() const;
  double most_kinetic_energy() const noexcept { return most_; }  ///< of all rows [J]
  void archive(Archive& state) { state(times_, next_frame_, poses_, kinetic_, forces_, most_); }

 private:
  struct Frame {
    double x = 0, y = 0, angle = 0;
  };
  const AssemblyView& view_;
  const AssemblyFile& file_;
  RunContext& context_;
  double duration_;
  std::vector<double> values_;
  // Of the frames: each holds one entry for every body or contact.
  std::vector<double> times_;
  double next_frame_ = 0.0;
  std::vector<Frame> poses_;
  std::vector<double> kinetic_, forces_;
  double most_ = 0.0;
};

}  // namespace carom
