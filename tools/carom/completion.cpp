#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"

namespace carom::cli {
namespace {

bool is_positional(const Flag& flag) { return !flag.name.starts_with('-'); }
bool is_switch(const Flag& flag) { return std::holds_alternative<bool*>(flag.target); }

/// What a flag takes, separated by blanks; empty where only the user knows.
std::string choices(const Flag& flag) {
  return flag.allowed.empty() ? fmt::format("{}", fmt::join(flag.suggested, " "))
                              : fmt::format("{}", fmt::join(flag.allowed, " "));
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char letter : text) {
    if (special.find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

/// Between single quotes, as every shell reads it.
std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? "'\\''" : std::string(1, letter);
  return result + "'";
}

/// A bash function that offers the subcommands, then the flags of the chosen one, the names that a
/// flag or the command itself takes, and file names everywhere else.
std::string bash_script(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::string flag_cases, value_cases, word_cases;
  for (const Command& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> flags{"--help"};
    for (const Flag& flag : command.flags) {
      const std::string words = choices(flag);
      if (is_positional(flag)) {
        if (!words.empty()) {
          word_cases += fmt::format("      {0}:{0}) words=\"{1}\" ;;\n", command.name, words);
        }
        continue;
      }
      flags.push_back(flag.name);
      if (words.empty()) continue;
      value_cases += fmt::format("    {}:{}) words=\"{}\"{} ;;\n", command.name, flag.name, words,
                                 flag.allowed.empty() ? "; compopt -o nospace" : "");
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

/// zsh: one `_arguments` call for each subcommand; colons and brackets separate its parts.
std::string zsh_script(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    names +=
        fmt::format("    {}\n", single_quoted(command.name + ":" + escaped(command.summary, ":")));
    cases += fmt::format("    {}) _arguments -s", command.name);
    for (const Flag& flag : command.flags) {
      const std::string words = choices(flag);
      const std::string action = words.empty() ? "_files" : "(" + words + ")";
      const bool repeats = std::holds_alternative<std::vector<std::string>*>(flag.target);
      std::string spec = repeats ? "*" : "";
      if (is_positional(flag)) {
        spec += fmt::format(":{}:{}", flag.name, action);
      } else {
        spec += flag.name + "[" + escaped(flag.help, "[]:\\") + "]";
        if (!is_switch(flag)) spec += fmt::format(":{}:{}", flag.value, action);
      }
      cases += " \\\n      " + single_quoted(spec);
    }
    cases += " \\\n      '--help[print help]' ;;\n";
  }
  return fmt::format(R"(#compdef carom
# carom completion for zsh:  source <(carom completion zsh)
_carom() {{
  local -a commands=(
{})
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[print help]' '--version[print the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = "_carom" ]; then _carom "$@"; else compdef _carom carom; fi
)",
                     names, cases);
}

/// fish: one `complete` line for each subcommand and flag.
std::string fish_script(const std::vector<Command>& commands) {
  std::string lines =
      "# carom completion for fish:  carom completion fish | source\n"
      "complete -c carom -n __fish_use_subcommand -l help -d 'print help'\n"
      "complete -c carom -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const Command& command : commands) {
    lines += fmt::format("complete -c carom -n __fish_use_subcommand -f -a {} -d {}\n",
                         command.name, single_quoted(command.summary));
    const std::string chosen = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    for (const Flag& flag : command.flags) {
      const std::string words = choices(flag);
      if (is_positional(flag)) {
        if (!words.empty()) {
          lines += fmt::format("complete -c carom -n {} -f -a '{}'\n", chosen, words);
        }
        continue;
      }
      lines += fmt::format("complete -c carom -n {} -l {}", chosen, flag.name.substr(2));
      if (!is_switch(flag)) lines += words.empty() ? " -r" : fmt::format(" -x -a '{}'", words);
      lines += fmt::format(" -d {}\n", single_quoted(flag.help));
    }
  }
  return lines;
}

}  // namespace

Command completion_command(const std::vector<Command>& commands) {
  const auto shell = std::make_shared<std::string>("bash");
  Command own{.name = "completion",
              .summary = "print the completion script of a shell",
              .flags = {{"shell", "SHELL", "the shell", shell.get(), {"bash", "zsh", "fish"}}},
              .run = nullptr,
              .examples =
                  "  source <(carom completion bash)\n  source <(carom completion zsh)\n"
                  "  carom completion fish | source\n"};
  auto known = std::make_shared<std::vector<Command>>(commands);
  known->push_back(own);
  own.run = [shell, known] {
    fmt::print("{}", *shell == "zsh"    ? zsh_script(*known)
                     : *shell == "fish" ? fish_script(*known)
                                        : bash_script(*known));
    return 0;
  };
  return own;
}

}  // namespace carom::cli
