#include <gtest/gtest.h>

#include <carom/scenario/kind.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

/// Everything a run sends out, in one list.
class Listener final : public SignalSink, public SoundSink {
 public:
  void begin(const std::vector<Signal>& signals) override { width = signals.size() + 1; }
  void write(std::span<const double> values, std::size_t rows) override {
    EXPECT_EQ(values.size(), rows * width);
    add(0, values);
  }
  void begin(double rate) override { EXPECT_GT(rate, 0); }
  void write(std::span<const double> samples) override { add(1, samples); }
  void add(double what, std::span<const double> values) {
    all.push_back(what);
    all.insert(all.end(), values.begin(), values.end());
  }
  std::size_t width = 0;
  std::vector<double> all;
};

class ListenedTable final : public TableSink {
 public:
  explicit ListenedTable(Listener& listener) : listener_(listener) {}
  using TableSink::row;
  void row(std::span<const double> values) override { listener_.add(3, values); }

 private:
  Listener& listener_;
};

/// What was there when a run was cut off.
struct Moment {
  std::string state;
  std::vector<double> sent;
};

/// Cuts a run off when it looks up for the n-th time, or takes one up again.
class Scissors final : public RunKeeper {
 public:
  Scissors(Listener& listener, int looks, const Moment* from)
      : listener_(listener), looks_(looks), from_(from) {}
  std::optional<std::string> resume() override {
    if (from_ == nullptr) return std::nullopt;
    listener_.all = from_->sent;
    return from_->state;
  }
  bool due(double) override { return --looks_ == 0; }
  void keep(const std::string& state) override {
    if (cut) return;  // once more when it stops
    moment = {state, listener_.all};
    cut = true;
  }
  Moment moment;
  std::atomic<bool> cut = false;

 private:
  Listener& listener_;
  int looks_;
  const Moment* from_;
};

struct Heard {
  std::vector<double> all;
  std::string results;
  EnergyAudit energy;
  bool cut = false;
  Moment moment;
};

Heard play(const Scenario& scenario, int looks, const Moment* from = nullptr) {
  Listener listener;
  Scissors scissors(listener, looks, from);
  RunContext::Sinks sinks;
  sinks.signals = {&listener};
  if (scenario.has("sound")) sinks.sound = &listener;
  sinks.energy = [&](const EnergySample& s) {
    listener.add(2, std::array{s.time, s.kinetic, s.elastic, s.dissipated, s.injected});
  };
  sinks.table = [&](const std::string&, const std::vector<Signal>&) {
    return std::make_unique<ListenedTable>(listener);
  };
  sinks.interrupt = &scissors.cut;
  sinks.keeper = &scissors;
  RunContext context(std::move(sinks));
  const RunOutcome outcome = find_kind(scenario.kind()).run(scenario, context);
  context.finish();
  Heard heard{std::move(listener.all), json_text(outcome.results), outcome.energy, scissors.cut,
              scissors.moment};
  for (const Picture& picture : outcome.pictures) {
    for (const Series& series : picture.panel.series) {
      heard.all.insert(heard.all.end(), series.x.begin(), series.x.end());
      heard.all.insert(heard.all.end(), series.y.begin(), series.y.end());
    }
  }
  return heard;
}

struct Case {
  std::string kind;
  std::vector<Override> changes;
  std::vector<std::string> without = {};  ///< keys of the template that do not fit
};
/// The file that `carom new` writes, without some of its lines.
std::string text_of(const Case& each) {
  std::string text = scenario_template(find_kind(each.kind));
  for (const std::string& key : each.without) {
    const std::size_t line = text.find("\n" + key + " =");
    text.erase(line, text.find('\n', line + 1) - line);
  }
  return text;
}
std::string name_of(const Case& each) {
  std::string name = each.kind;
  for (const Override& change : each.changes) name += " " + change.key + "=" + change.value;
  return name;
}

// Cut off and taken up again at many moments, one after another, a run sends out the same bits.
void expect_same_after_cuts(const Case& each, int most_cuts) {
  SCOPED_TRACE(name_of(each));
  const Scenario scenario = parse_scenario(text_of(each), "test.toml", each.changes);
  const Heard whole = play(scenario, -1);
  ASSERT_FALSE(whole.cut);
  ASSERT_FALSE(whole.all.empty());
  int cuts = 0;
  Heard part = play(scenario, 2);
  while (part.cut && cuts < most_cuts) {
    ++cuts;
    const Moment moment = part.moment;
    part = play(scenario, 2 + cuts % 4, &moment);
    if (part.cut && part.moment.sent.size() == moment.sent.size()) {
      // Nothing was sent in between: what matters is that it moved on.
      EXPECT_NE(part.moment.state, moment.state);
    }
  }
  if (part.cut) {
    const Moment moment = part.moment;
    part = play(scenario, -1, &moment);
  }
  EXPECT_GE(cuts, 1);
  EXPECT_TRUE(part.all == whole.all) << part.all.size() << " numbers against " << whole.all.size();
  EXPECT_EQ(part.results, whole.results);
  EXPECT_EQ(part.energy.final, whole.energy.final);
  EXPECT_EQ(part.energy.dissipated, whole.energy.dissipated);
  EXPECT_EQ(part.energy.injected, whole.energy.injected);
  EXPECT_EQ(part.energy.residual, whole.energy.residual);
  EXPECT_EQ(part.energy.worst_residual, whole.energy.worst_residual);
}

TEST(Resume, BounceGoesOnWithEveryBitInEveryMethod) {
  for (const char* method : {"passive", "exact", "event-driven", "verlet", "heun", "rk4"}) {
    expect_same_after_cuts({"bounce", {{"run.method", method}, {"run.impacts", "30"}}}, 6);
  }
  for (const char* correct : {"both", "project"}) {
    expect_same_after_cuts({"bounce",
                            {{"run.method", "verlet"},
                             {"run.impacts", "10"},
                             {"run.correct", correct},
                             {"contact.law", "hertz-damper"},
                             {"contact.damping", "20"}},
                            {"mu"}},
                           4);
  }
}

TEST(Resume, ImpactAndPairGoOnWithEveryBit) {
  for (const char* method : {"exact", "passive", "trapezoid"}) {
    expect_same_after_cuts({"impact", {{"run.method", method}, {"run.rate", "3e6"}}}, 4);
    expect_same_after_cuts({"pair", {{"run.method", method}, {"run.rate", "3e6"}}}, 4);
  }
}

TEST(Resume, StrikeGoesOnWithEveryBit) {
  for (const char* method : {"passive", "event-driven"}) {
    const std::vector<Override> common{{"run.method", method}, {"run.duration", "0.1"}};
    expect_same_after_cuts({"strike", common}, 6);
    auto pressed = common;
    pressed.push_back({"body.force", "40"});
    expect_same_after_cuts({"strike", pressed}, 6);
  }
}

TEST(Resume, BarGoesOnWithEveryBitInEveryMethod) {
  for (const char* method : {"paoli-schatzman", "event-driven", "moreau-jean"}) {
    for (const char* model : {"pairs", "spiral"}) {
      expect_same_after_cuts({"bar",
                              {{"run.method", method},
                               {"bar.model", model},
                               {"bar.segments", "4"},
                               {"bar.height", "0.0064"},
                               {"run.step", "1e-6"},
                               {"output.every", "7"}}},
                             5);
    }
  }
}

TEST(Resume, PendulumsGoOnWithEveryBit) {
  const std::vector<Override> shorter{{"run.duration", "3"}, {"output.interval", "0.01"}};
  expect_same_after_cuts({"pendulums", shorter}, 5);
  auto newton = shorter;
  newton.push_back({"contact.law", "newton"});
  expect_same_after_cuts({"pendulums", newton, {"stiffness", "exponent"}}, 5);
}

TEST(Resume, StringAndBodyGoOnWithEveryBitInBothEngines) {
  for (const char* engine : {"fast", "plain"}) {
    for (const char* kind : {"string", "body"}) {
      const std::string modes = std::string(kind) + ".modes";
      const std::vector<Override> common{{modes, "12"},
                                         {"run.engine", engine},
                                         {"run.duration", "1"},
                                         {"output.contacts", "true"},
                                         {"output.every", "50"}};
      expect_same_after_cuts({kind, common}, 4);
      for (const char* method : {"discrete-gradient", "quadratised"}) {
        auto compliant = common;
        compliant.push_back({"run.method", method});
        compliant.push_back({"contact.law", "hunt-crossley"});
        compliant.push_back({"contact.stiffness", "1e7"});
        compliant.push_back({"contact.mu", "0.3"});
        compliant[2].value = "0.5";
        expect_same_after_cuts({kind, compliant}, 3);
      }
      auto plastic = common;  // contacts that remember
      plastic.push_back({"contact.law", "walton-braun"});
      plastic.push_back({"contact.stiffness", "1e5"});
      plastic.push_back({"contact.unloading_stiffness", "3e5"});
      plastic[2].value = "0.5";
      expect_same_after_cuts({kind, plastic}, 3);
    }
  }
}

TEST(Resume, AStateOfAnotherRunIsRefused) {
  const Scenario one = parse_scenario(scenario_template(find_kind("strike")), "test.toml");
  const Heard part = play(one, 2);
  ASSERT_TRUE(part.cut);
  Moment moment = part.moment;
  moment.state.resize(moment.state.size() / 2);
  EXPECT_THROW(play(one, -1, &moment), InvalidInput);
  moment.state = part.moment.state + "more";
  EXPECT_THROW(play(one, -1, &moment), InvalidInput);
}

}  // namespace
}  // namespace carom
