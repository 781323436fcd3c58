#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <map>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/scenario.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"

namespace carom::cli {
namespace {

constexpr int exit_failed = 1, exit_bad_input = 2;

template <class Number>
Number parse_number(const std::string& flag, const std::string& text, const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    throw InvalidInput(fmt::format("{} '{:.80}': beyond what a {} can hold", flag, text, kind));
  }
  if (result.ec != std::errc{} || result.ptr != end) {
    throw InvalidInput(fmt::format("{} '{:.80}': must be a {}", flag, text, kind));
  }
  return value;
}

/// Moves what CLI11 collected as text into the typed target of the flag.
void assign(const Flag& flag, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  if (!flag.allowed.empty() && !texts.back().empty()) {
    bool known = false;
    for (const std::string_view name : flag.allowed) known = known || name == texts.back();
    if (!known) throw InvalidInput(unknown_name_message(flag.name, texts.back(), flag.allowed));
  }
  struct Visitor {
    const Flag& flag;
    const std::vector<std::string>& texts;
    void operator()(bool* target) const { *target = true; }
    void operator()(std::optional<double>* target) const {
      *target = parse_number<double>(flag.name, texts.back(), "number");
    }
    void operator()(std::optional<long>* target) const {
      *target = parse_number<long>(flag.name, texts.back(), "whole number");
    }
    void operator()(std::string* target) const { *target = filled(texts.back()); }
    void operator()(std::vector<std::string>* target) const {
      for (const std::string& text : texts) filled(text);
      *target = texts;
    }
    /// An empty text would be taken for a flag that is not there.
    const std::string& filled(const std::string& text) const {
      if (text.empty()) throw InvalidInput(flag.name + " '': must not be empty");
      return text;
    }
  };
  std::visit(Visitor{flag, texts}, flag.target);
}

bool is_repeatable(const Flag& flag) {
  return std::holds_alternative<std::vector<std::string>*>(flag.target);
}

/// One subcommand as CLI11 knows it, with the texts it found for each flag.
struct Entry {
  const Command* command;
  CLI::App* app;
  std::map<std::string, std::vector<std::string>> texts;
};

void add_flag(Entry& entry, const Flag& flag) {
  std::string help = flag.help;
  if (!flag.allowed.empty()) help += fmt::format(" [{}]", fmt::join(flag.allowed, " | "));
  std::vector<std::string>& texts = entry.texts[flag.name];
  if (std::holds_alternative<bool*>(flag.target)) {
    entry.app->add_flag_callback(
        flag.name, [&texts] { texts.assign(1, ""); }, help);
    return;
  }
  const std::string spelling = flag.also.empty() ? flag.name : flag.also + "," + flag.name;
  CLI::Option* option = entry.app->add_option(spelling, texts, help)->type_name(flag.value);
  if (is_repeatable(flag)) {
    option->expected(1)->take_all();
  } else {
    // Given twice is a contradiction, not a choice of the last one.
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    // A positional argument leaves the next word to the next one.
    option->allow_extra_args(false);
  }
}

/// CLI11 says only that an argument was not expected; people need the nearest known name.
std::string unexpected_argument_message(const std::vector<Entry>& entries, const CLI::App& chosen,
                                        const std::string& message,
                                        const std::vector<std::string>& arguments) {
  std::vector<std::string_view> known;
  for (const Entry& entry : entries) {
    if (entry.app != &chosen) continue;
    for (const Flag& flag : entry.command->flags) {
      if (flag.name.starts_with('-')) known.emplace_back(flag.name);
    }
  }
  known.emplace_back("--help");
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || name == "--") continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return unknown_name_message("flag", name, known);
    }
  }
  return message;
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  commands.push_back(impact_command());
  commands.push_back(identify_command());
  commands.push_back(export_command());
  commands.push_back(score_command());
  commands.push_back(modes_command());
  commands.push_back(laws_command());
  commands.push_back(materials_command());
  commands.push_back(methods_command());
  commands.push_back(run_command());
  commands.push_back(render_command());
  commands.push_back(rerun_command());
  commands.push_back(check_command());
  commands.push_back(compare_command());
  commands.push_back(order_command());
  commands.push_back(divergence_command());
  commands.push_back(new_command());
  commands.push_back(papers_command());
  commands.push_back(cite_command());
  commands.push_back(sweep_command());
  commands.push_back(completion_command(commands));
  commands.push_back(manual_command(commands));
  return commands;
}

std::string one_line(std::string text) {
  for (char& letter : text) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  return text;
}

int fail(int code, const std::string& message) {
  fmt::print(stderr, "carom: error: {}\n", one_line(message));
  return code;
}

/// One line for each problem, FILE:LINE:COL first, as editors understand it.
int fail(const ScenarioError& error) {
  for (const Problem& problem : error.problems()) {
    fmt::print(stderr, "{}\n", one_line(problem.text()));
  }
  return exit_bad_input;
}

int run(int argc, char** argv) {
  CLI::App app{"carom: what happens when things hit each other"};
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(0, 1);
  const std::vector<Command> commands = all_commands();
  std::vector<Entry> entries;
  entries.reserve(commands.size());
  std::vector<std::string_view> names;
  for (const Command& command : commands) {
    names.emplace_back(command.name);
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    if (!command.examples.empty()) sub->footer("Examples:\n" + command.examples);
    entries.push_back({&command, sub, {}});
    for (const Flag& flag : command.flags) add_flag(entries.back(), flag);
  }

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && !arguments.front().starts_with('-') &&
      std::find(names.begin(), names.end(), arguments.front()) == names.end()) {
    return fail(exit_bad_input, unknown_name_message("command", arguments.front(), names));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    return fail(exit_bad_input,
                unexpected_argument_message(entries, chosen.empty() ? app : *chosen.front(),
                                            error.what(), arguments));
  }
  for (const Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    for (const Flag& flag : entry.command->flags) assign(flag, entry.texts.at(flag.name));
    return entry.command->run();
  }
  fmt::print("{}", app.help());
  return 0;
}

}  // namespace
}  // namespace carom::cli

int main(int argc, char** argv) {
  // A file that may not grow any more is an error of the write, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = carom::cli::run(argc, argv);
    // What was printed may still wait in the buffer; a full disk shows only here.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return carom::cli::fail(carom::cli::exit_bad_input, "cannot write to the standard output");
    }
    return code;
  } catch (const carom::ScenarioError& error) {
    return carom::cli::fail(error);
  } catch (const carom::InvalidInput& error) {
    return carom::cli::fail(carom::cli::exit_bad_input, error.what());
  } catch (const carom::Interrupted&) {
    return carom::cli::fail(carom::cli::exit_interrupted, "interrupted");
  } catch (const std::system_error& error) {  // fmt: the standard output cannot be written
    return carom::cli::fail(carom::cli::exit_bad_input, error.what());
  } catch (const std::exception& error) {
    return carom::cli::fail(carom::cli::exit_failed, fmt::format("unexpected: {}", error.what()));
  }
}
