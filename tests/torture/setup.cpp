#include "setup.hpp"

#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <carom/laws/catalogue.hpp>
#include <carom/scenario/methods.hpp>

namespace carom::torture {
namespace {

/// splitmix64: unlike the distributions of <random>, the same numbers by every library.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t index) : state_(seed * 0x9e3779b97f4a7c15U + index) {
    for (int i = 0; i < 3; ++i) next();
  }
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  bool chance(double share) { return uniform() < share; }
  std::size_t below(std::size_t count) { return next() % count; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint64_t state_;
};

struct Range {
  double low, high;
};

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t index) : random_(seed, index) {}

  Setup setup() {
    static const std::vector<Kind>& all = kinds();
    const Kind& kind = random_.one_of(all);
    wild_ = random_.chance(0.03);
    // No restitution there: points of a modal body have no mass of their own.
    modal_ = kind.name == "string" || kind.name == "body";
    std::vector<MethodCell> cells;
    for (const MethodCell& cell : method_cells(kind)) {
      if (cell.runs()) cells.push_back(cell);
    }
    const MethodCell& cell = random_.one_of(cells);
    law_ = cell.law;
    method_ = cell.method;
    setup_.part("").keys = {{"kind", '"' + kind.name + '"'}};
    fill(kind.name);
    if (random_.chance(0.3)) choose(kind);
    return std::move(setup_);
  }

 private:
  using Keys = std::vector<std::pair<std::string, std::string>>;

  std::string number(Range range) {
    constexpr std::array extremes{"1e-30", "1e30", "1e-300", "1.0", "1e10", "0.0", "-1.0"};
    if (wild_ && random_.chance(0.2)) return random_.one_of(extremes);
    if (random_.chance(0.1))
      return fmt::format("{:e}", random_.chance(0.5) ? range.low : range.high);
    const double exponent = random_.uniform(std::log10(range.low), std::log10(range.high));
    return fmt::format("{:.5e}", std::pow(10, exponent));
  }
  std::string share() {
    return fmt::format(
        "{:.4f}", random_.chance(0.2) ? static_cast<double>(random_.below(2)) : random_.uniform());
  }
  std::string text(std::string_view value) { return fmt::format("\"{}\"", value); }

  /// The keys of a law, from what it declares.
  Keys law(std::string_view name, Range stiffness = {1, 1e12}) {
    static const std::map<std::string, Range, std::less<>> ranges{
        {"exponent", {1, 20}},          {"mu", {1e-4, 1e3}},       {"damping", {1e-6, 1e6}},
        {"damping_exponent", {0.1, 5}}, {"radius", {1e-4, 1}},     {"adhesion", {1e-3, 10}},
        {"depth", {1e-7, 1e-2}},        {"restitution", {1e-6, 1}}};
    Keys keys{{"law", text(name)}};
    const LawInfo& info = law_info(name);
    std::string k = number(stiffness);
    for (const FieldInfo* field : info.fields) {
      const std::string key(field->name);
      if (field->by_restitution && !modal_ && random_.chance(0.3)) {
        keys.emplace_back("restitution", share());
        continue;
      }
      // A law that loses nothing is said so by most of them: left out it is refused.
      if (!field->is_required && random_.chance(field->by_restitution ? 0.02 : 0.2)) continue;
      if (field->type == FieldType::fixed) {
        if (random_.chance(0.05)) keys.emplace_back(key, number({1, 2}));
      } else if (field->type == FieldType::choice) {
        keys.emplace_back(key, text(random_.one_of(field->choices)));
      } else if (key == "stiffness") {
        keys.emplace_back(key, k);
      } else if (key == "unloading_stiffness") {
        keys.emplace_back(key, fmt::format("{:.5e}", std::stod(k) * random_.uniform(1, 10)));
      } else if (key == "exponent" && random_.chance(0.7)) {
        keys.emplace_back(key, fmt::format("{:.4f}", random_.uniform(1, 3)));
      } else if (const auto known = ranges.find(key); known != ranges.end()) {
        keys.emplace_back(key, number(known->second));
      } else if (field->type == FieldType::columns) {
        keys.emplace_back("file", text("table.csv"));
      } else if (key == "force") {
        constexpr std::array forces{"1e6*x", "1e8*x^1.5*(1+0.3*v)", "1e4*sinh(100*x)",
                                    "1e5*x+10*v"};
        keys.emplace_back(key, text(random_.one_of(forces)));
      }
    }
    return keys;
  }

  void contact(Range stiffness = {1, 1e12}) {
    setup_.part("[contact]").keys = law(law_, stiffness);
  }

  Setup::Part& run(Keys keys) {
    keys.emplace_back("method", text(method_));
    Setup::Part& part = setup_.part("[run]");
    part.keys = std::move(keys);
    return part;
  }

  void fill(std::string_view kind) {
    if (kind == "impact") {
      setup_.part("[body]").keys = {{"mass", number({1e-6, 1e4})}, {"speed", number({1e-4, 1e3})}};
      if (random_.chance(0.2)) setup_.parts.back().keys.emplace_back("force", number({1e-6, 1e3}));
      contact();
      run({{"rate", number({1e3, 1e7})}});
    } else if (kind == "bounce") {
      setup_.part("[body]").keys = {{"mass", number({1e-6, 1e4})},
                                    {"speed", number({1e-3, 10})},
                                    {"gravity", number({0.1, 100})}};
      contact();
      run({{"rate", number({1e3, 1e5})}, {"impacts", fmt::format("{}", 1 + random_.below(8))}});
    } else if (kind == "pair") {
      setup_.part("[pair]").keys = {
          {"masses", fmt::format("[{}, {}]", number({1e-6, 1e3}), number({1e-6, 1e3}))},
          {"velocities", fmt::format("[{}, {:.4f}]", number({1e-2, 100}), random_.uniform(-1, 0))}};
      contact();
      run({{"rate", number({1e3, 1e7})}});
    } else if (kind == "pendulums") {
      setup_.part("[pendulums]").keys = {
          {"masses", fmt::format("[{}, {}]", number({1e-3, 100}), number({1e-3, 100}))},
          {"lengths", "[6.0, 4.0]"},
          {"offset", "-2.0"},
          {"angles",
           fmt::format("[{:.3f}, {:.3f}]", random_.uniform(0, 60), random_.uniform(-90, -20))}};
      contact({1e3, 1e10});
      run({{"rate", number({1e3, 1e5})}, {"duration", number({0.05, 2})}});
    } else if (kind == "strike") {
      setup_.part("[body]").keys = {{"mass", number({1e-5, 100})}, {"speed", number({1e-3, 100})}};
      std::string modes;
      const std::size_t count = 1 + random_.below(5);
      for (std::size_t i = 0; i < count; ++i) {
        modes += fmt::format(
            "{}{{ frequency = {}, damping = {}, mass = {}, hit = {:.3f}, heard = 1.0 }}",
            i == 0 ? "" : ", ", number({10, 2e4}), number({1e-2, 1e3}), number({1e-3, 10}),
            random_.uniform(-1, 1));
      }
      setup_.part("[resonator]").keys = {{"modes", "[" + modes + "]"}};
      contact({1e2, 1e11});
      run({{"rate", number({8e3, 2e5})}, {"duration", number({1e-3, 0.05})}});
    } else if (kind == "bar") {
      setup_.part("[bar]").keys = {{"segments", fmt::format("{}", 2 + random_.below(6))},
                                   {"angle", fmt::format("{:.3f}", random_.uniform(1, 90))},
                                   {"height", "0.00636"},
                                   {"speed", number({0.01, 10})}};
      contact({1e4, 1e9});
      run({{"step", number({1e-6, 1e-5})}, {"duration", number({1e-4, 2e-3})}});
    } else if (kind == "string") {
      string_setup();
    } else if (kind == "body") {
      body_setup();
    } else if (kind == "assembly") {
      random_.chance(0.7) ? line_setup() : plane_setup();
    } else {
      setup_.part("# torture knows no kind " +
                  std::string(kind));  // is refused, and seen in the counts
    }
  }

  void string_setup() {
    setup_.part("[string]").keys = {{"length", number({0.1, 2})},
                                    {"linear_density", number({1e-4, 1e-1})},
                                    {"tension", number({1, 1e3})},
                                    {"modes", fmt::format("{}", 1 + random_.below(60))},
                                    {"inharmonicity", number({1e-7, 1e-2})}};
    if (random_.chance(0.7)) {
      setup_.part("[pluck]").keys = {{"position", "0.03"}, {"height", number({1e-5, 1e-2})}};
    } else {
      setup_.part("[hammer]").keys = {
          {"position", "0.05"}, {"mass", number({1e-5, 1e5})}, {"speed", number({1e-2, 100})}};
      if (law_ == "newton") {
        for (auto& key : law("hunt-crossley")) setup_.parts.back().keys.push_back(std::move(key));
      }
    }
    const std::size_t obstacles = random_.below(4);
    for (std::size_t i = 0; i < obstacles; ++i) {
      setup_.part("[[obstacle]]").keys = {
          {"position", fmt::format("{:.4f}", random_.uniform(0.005, 0.095))},
          {"height", fmt::format("{:.3e}", random_.uniform(-1e-3, 0))}};
    }
    contact({1e3, 1e16});
    run({{"rate", number({2e4, 4e5})}, {"duration", number({1e-3, 2e-2})}});
  }

  void body_setup() {
    setup_.part("[body]").keys = {{"type", text("drum")},
                                  {"modes", fmt::format("{}", 1 + random_.below(40))},
                                  {"radius", number({0.05, 0.5})},
                                  {"area_density", number({0.05, 5})},
                                  {"tension", number({100, 1e4})}};
    setup_.part("[hammer]").keys = {
        {"x", "0.01"}, {"mass", number({1e-4, 1e3})}, {"speed", number({1e-2, 100})}};
    if (law_ == "newton") {
      for (auto& key : law("hunt-crossley")) setup_.parts.back().keys.push_back(std::move(key));
    }
    if (random_.chance(0.5)) {
      setup_.part("[[wire]]").keys = {{"x1", "-0.03"},
                                      {"y1", "0.01"},
                                      {"x2", "0.03"},
                                      {"y2", "0.01"},
                                      {"points", fmt::format("{}", 1 + random_.below(6))},
                                      {"height", fmt::format("{:.3e}", random_.uniform(-1e-4, 0))}};
    }
    contact({1e3, 1e16});
    run({{"rate", number({2e4, 2e5})}, {"duration", number({1e-3, 1e-2})}});
  }

  void line_setup() {
    setup_.part("[space]").keys = {{"gravity", random_.chance(0.5) ? "9.81" : "0.0"}};
    const std::size_t count = 1 + random_.below(4);
    const bool shaken = random_.chance(0.3);
    setup_.part("[[body]]").keys = {
        {"name", text("floor")}, {"type", text(shaken ? "driven" : "fixed")}, {"position", "0.0"}};
    if (shaken) {
      setup_.parts.back().keys.emplace_back("amplitude", number({1e-5, 1e-2}));
      setup_.parts.back().keys.emplace_back("frequency", number({1, 1e3}));
    }
    for (std::size_t i = 1; i <= count; ++i) {
      setup_.part("[[body]]").keys = {
          {"name", text(fmt::format("b{}", i))},
          {"mass", number({1e-3, 100})},
          {"position", fmt::format("{:.4f}", 0.1 * static_cast<double>(i))},
          {"velocity", fmt::format("{:.4f}", random_.uniform(-5, 1))}};
    }
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string before = i == 1 ? "floor" : fmt::format("b{}", i - 1);
      const std::string between = fmt::format("[\"{}\", \"b{}\"]", before, i);
      if (random_.chance(0.4)) {
        setup_.part("[[link]]").keys = {{"between", between},
                                        {"stiffness", number({1, 1e6})},
                                        {"damping", number({1e-3, 1e2})}};
      }
      setup_.part("[[contact]]").keys = law(law_, {1e3, 1e10});
      setup_.parts.back().keys.emplace_back("between", between);
      setup_.parts.back().keys.emplace_back(
          "distance",
          random_.chance(0.2) ? "0.1" : fmt::format("{:.4f}", random_.uniform(0.05, 0.099)));
    }
    run({{"rate", number({1e3, 1e5})}, {"duration", number({1e-3, 0.2})}});
  }

  void plane_setup() {
    setup_.part("[space]").keys = {{"dimension", "2"},
                                   {"gravity", random_.chance(0.7) ? "9.81" : "0.0"}};
    const std::string lowest = random_.chance(0.7) ? "ground" : "peg";
    if (lowest == "peg") {
      setup_.part("[[body]]").keys = {
          {"name", text("peg")}, {"type", text("fixed")}, {"position", "[0.0, 0.0]"}};
    }
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 1; i <= count; ++i) {
      constexpr std::array types{"disc", "box", "rod"};
      const std::string type = random_.one_of(types);
      const bool disc = type == "disc";
      setup_.part("[[body]]").keys = {
          {"name", text(fmt::format("b{}", i))},
          {"type", text(type)},
          {"mass", number({1e-2, 10})},
          {"position", fmt::format("[{:.4f}, {:.4f}]", random_.uniform(-0.05, 0.05),
                                   0.03 + 0.07 * static_cast<double>(i - 1))},
          {"velocity",
           fmt::format("[{:.3f}, {:.3f}]", random_.uniform(-1, 1), random_.uniform(-3, 0))},
          {"angle", fmt::format("{:.3f}", disc ? 0.0 : random_.uniform(0, 1.5))},
          {"spin", fmt::format("{:.3f}", random_.uniform(-10, 10))}};
      Keys& keys = setup_.parts.back().keys;
      if (disc) {
        keys.emplace_back("radius", "0.025");
      } else if (type == "box") {
        keys.emplace_back("width", "0.03");
        keys.emplace_back("height", "0.02");
      } else {
        keys.emplace_back("length", "0.04");
      }
    }
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string before = i == 1 ? lowest : fmt::format("b{}", i - 1);
      setup_.part("[[contact]]").keys = law(law_, {1e3, 1e9});
      setup_.parts.back().keys.emplace_back("between", fmt::format("[\"{}\", \"b{}\"]", before, i));
      if (!random_.chance(0.5)) continue;
      setup_.parts.back().keys.emplace_back("friction", share());
      if (law_ != "newton" && random_.chance(0.5))
        setup_.parts.back().keys.emplace_back("tangential_stiffness", number({1e2, 1e9}));
    }
    run({{"rate", number({1e3, 5e4})}, {"duration", number({1e-3, 0.1})}});
  }

  /// One of the choices that the kind offers, at random; combinations that do not go together are
  /// refused, which is an answer too.
  void choose(const Kind& kind) {
    for (const Table& table : kind.tables) {
      if (table.repeated || (table.name != "run" && table.name != "body")) continue;
      for (const Field& field : table.fields) {
        if (field.type != ValueType::text || field.choices.empty() || field.name == "method" ||
            field.name == "type" || field.name == "until" || !random_.chance(0.3)) {
          continue;
        }
        for (Setup::Part& part : setup_.parts) {
          if (part.header == "[" + table.name + "]")
            part.keys.emplace_back(field.name, text(random_.one_of(field.choices)));
        }
      }
    }
  }

  Random random_;
  Setup setup_;
  std::string law_, method_;
  bool wild_ = false, modal_ = false;
};

}  // namespace

const char* const table_csv =
    "compression,loading,unloading\n0,0,0\n1e-5,2,0.5\n5e-5,15,5\n2e-4,90,35\n1e-3,700,300\n1e-2,"
    "9000,9000\n";

std::string Setup::text() const {
  std::string result;
  for (const Part& part : parts) {
    if (!part.header.empty()) result += part.header + "\n";
    for (const auto& [key, value] : part.keys) result += key + " = " + value + "\n";
  }
  return result;
}

void Setup::thin_out(double share) {
  const std::string& kind = parts.front().keys.front().second;
  const bool shorter =
      kind == "\"string\"" || kind == "\"body\"" || kind == "\"strike\"" || kind == "\"bar\"";
  for (Part& part : parts) {
    if (part.header != "[run]") continue;
    for (auto& [key, value] : part.keys) {
      if (key == (shorter ? "duration" : "rate"))
        value = fmt::format("{:.6e}", std::stod(value) * share);
    }
  }
}

Setup draw(std::uint64_t seed, std::uint64_t index) { return Draw(seed, index).setup(); }

}  // namespace carom::torture
