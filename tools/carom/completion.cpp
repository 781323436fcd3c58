#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"

namespace carom::cli {
namespace {

/// A bash function that offers the subcommands, then the flags of the chosen one, the names that a
/// flag or the command itself takes, and file names everywhere else.
std::string bash_script(const std::vector<Command>& commands) {
  std::vector<std::string> names{"completion"};
  std::string flag_cases, value_cases, word_cases;
  for (const Command& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> flags{"--help"};
    for (const Flag& flag : command.flags) {
      if (!flag.name.starts_with('-')) {
        if (!flag.allowed.empty()) {
          word_cases += fmt::format("      {0}:{0}) words=\"{1}\" ;;\n", command.name,
                                    fmt::join(flag.allowed, " "));
        }
        continue;
      }
      flags.push_back(flag.name);
      if (!flag.allowed.empty()) {
        value_cases += fmt::format("    {}:{}) words=\"{}\" ;;\n", command.name, flag.name,
                                   fmt::join(flag.allowed, " "));
      } else if (!flag.suggested.empty()) {
        value_cases += fmt::format("    {}:{}) words=\"{}\"; compopt -o nospace ;;\n", command.name,
                                   flag.name, fmt::join(flag.suggested, " "));
      }
    }
    flag_cases += fmt::format("      {}) words=\"{}\" ;;\n", command.name, fmt::join(flags, " "));
  }
  return fmt::format(R"(# carom completion for bash:  source <(carom completion bash)
_carom() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}:$before" in
{}  esac
  if [ -z "$words" ] && [[ $word == -* ]]; then
    case "${{COMP_WORDS[1]}}" in
{}    esac
  elif [ -z "$words" ]; then
    case "${{COMP_WORDS[1]}}:$before" in
{}    esac
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _carom carom
)",
                     fmt::join(names, " "), value_cases, flag_cases, word_cases);
}

}  // namespace

Command completion_command(const std::vector<Command>& commands) {
  const auto shell = std::make_shared<std::string>("bash");
  const std::string script = bash_script(commands);
  return {.name = "completion",
          .summary = "print the completion script of a shell",
          .flags = {{"shell", "SHELL", "the shell", shell.get(), {"bash"}}},
          .run =
              [shell, script] {
                fmt::print("{}", script);
                return 0;
              },
          .examples = "  source <(carom completion bash)\n"};
}

}  // namespace carom::cli
