#include "targets.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <carom/core/clock.hpp>
#include <carom/core/error.hpp>
#include <carom/laws/force_formula.hpp>
#include <carom/nonsmooth/lcp.hpp>
#include <carom/output/rerun.hpp>
#include <carom/output/run.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/records/measurements.hpp>
#include <carom/scenario/kind.hpp>
#include <carom/scenario/template.hpp>
#include <carom/sweep/plan.hpp>
#include <carom/sweep/store.hpp>

#include "condition.hpp"

namespace carom::fuzz {
namespace {

/// A folder for readers that want a file, gone at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/carom-fuzz-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path file(const char* name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const Folder& folder() {
  static const Folder one;
  return one;
}

/// The kind that the first byte names, and the rest.
const Kind& kind_of(std::string& bytes) {
  const std::size_t chosen = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  if (!bytes.empty()) bytes.erase(0, 1);
  return kinds()[chosen % kinds().size()];
}

void scenario(const std::string& bytes) { (void)parse_scenario(bytes, folder().path() / "x.toml"); }

/// Lines of key=value over the template of a kind.
void set(const std::string& bytes) {
  std::string text = bytes;
  const Kind& kind = kind_of(text);
  std::vector<Override> overrides;
  for (std::size_t begin = 0; begin < text.size() && overrides.size() < 8;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    overrides.push_back(parse_override(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  (void)parse_scenario(scenario_template(kind), folder().path() / "x.toml", overrides);
}

void table(const std::string& bytes) { (void)read_measurements(folder().file("input.csv", bytes)); }
void sound(const std::string& bytes) { (void)read_sound(folder().file("input.wav", bytes)); }
void fit(const std::string& bytes) { (void)read_fit(folder().file("fit.json", bytes)); }
void summary(const std::string& bytes) {
  (void)read_earlier_run(folder().file("summary.json", bytes));
}
void store(const std::string& bytes) { (void)read_table(folder().file("sweep.sqlite", bytes)); }

void plan(const std::string& bytes) {
  static const std::string bounce = scenario_template(find_kind("bounce"));
  const SweepPlan made = read_plan(bytes, bounce);
  if (made.size() > 0) (void)made.scenario(made.size());
}

void condition(const std::string& bytes) {
  static const std::vector<std::string> names{"body.mass", "contact.law", "run.on"};
  static const std::vector<Json> values{1.5, "newton", true};
  (void)Condition(bytes, names).holds(values);
}

void formula(const std::string& bytes) { (void)ForceFormula(bytes, {{"k", 1e6}, {"a", 0.5}}); }

/// A state handed to a run, which is stopped after a moment.
void checkpoint(const std::string& bytes) {
  struct Keeper final : RunKeeper {
    explicit Keeper(std::string state) : given(std::move(state)) {}
    std::optional<std::string> resume() override { return given; }
    bool due(double) override { return false; }
    void keep(const std::string&) override {}
    std::string given;
  };
  struct Silent final : SignalSink {
    void begin(const std::vector<Signal>&) override {}
    void write(std::span<const double>, std::size_t) override {}
  };
  std::string state = bytes;
  const Kind& kind = kind_of(state);
  const Scenario read = parse_scenario(scenario_template(kind), "x.toml");
  Keeper keeper(std::move(state));
  Silent silent;
  std::atomic<bool> stop{false};
  RunContext::Sinks sinks;
  sinks.signals = {&silent};
  sinks.keeper = &keeper;
  sinks.interrupt = &stop;
  const double begin = wall_now();
  sinks.progress = [&](const Progress&) { stop = wall_now() - begin > 0.05; };
  RunContext context(std::move(sinks));
  kind.run(read, context);
}

/// Numbers as they are in memory: size, then M and q.
void lcp(const std::string& bytes) {
  const int size = bytes.empty() ? 1 : 1 + static_cast<unsigned char>(bytes.front()) % 6;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(size, size);
  Eigen::VectorXd vector = -Eigen::VectorXd::Ones(size);
  std::size_t at = 1;
  const auto next = [&](double& number) {
    if (at + sizeof number > bytes.size()) return;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    at += sizeof number;
  };
  for (double& number : vector) next(number);
  for (double& number : matrix.reshaped()) next(number);
  for (const LcpMethod method :
       {LcpMethod::automatic, LcpMethod::lemke, LcpMethod::gauss_seidel, LcpMethod::newton}) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(size);
    const LcpResult result = LcpSolver(size, {.method = method}).solve(matrix, vector, z);
    // What is called solved is a solution.
    if (result.status == LcpStatus::solved && !(result.residual <= 1e-12 && z.allFinite()))
      std::abort();
  }
}

constexpr Target all[] = {{"scenario", scenario},
                          {"set", set},
                          {"table", table},
                          {"sound", sound},
                          {"fit", fit},
                          {"summary", summary},
                          {"store", store},
                          {"plan", plan},
                          {"condition", condition},
                          {"formula", formula},
                          {"checkpoint", checkpoint},
                          {"lcp", lcp}};

}  // namespace

std::span<const Target> targets() { return all; }

void feed(const Target& target, const std::string& bytes) {
  try {
    target.read(bytes);
  } catch (const InvalidInput&) {
    // Refused, as it should be.
  }
}

}  // namespace carom::fuzz
