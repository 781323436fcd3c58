#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/files.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

/// Text as troff prints it: backslashes and dashes as they are, no line that begins as a request.
std::string troff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) result += "\\&";
    line_begins = letter == '\n';
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string head(std::string_view page, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"carom {}\" \"carom\"\n.SH NAME\n{} \\- {}\n", page, version(),
                     troff(page), troff(summary));
}

std::string command_page(const Command& command) {
  std::string text = head("carom-" + command.name, command.summary);
  text += fmt::format(".SH SYNOPSIS\n.B carom {}\n", troff(command.name));
  for (const Flag& flag : command.flags) {
    if (!flag.name.starts_with('-')) text += fmt::format(".RI [ {} ]\n", troff(flag.value));
  }
  text += ".RI [ options ]\n";
  if (!command.flags.empty()) text += ".SH OPTIONS\n";
  for (const Flag& flag : command.flags) {
    text += fmt::format(".TP\n.BR \"{}\"", troff(flag.name));
    if (!flag.value.empty()) text += fmt::format(" \" {}\"", troff(flag.value));
    text += "\n" + troff(flag.help) + "\n";
    if (!flag.allowed.empty()) {
      text += fmt::format("(one of {})\n", troff(fmt::format("{}", fmt::join(flag.allowed, ", "))));
    }
  }
  if (!command.examples.empty()) text += ".SH EXAMPLES\n.nf\n" + troff(command.examples) + ".fi\n";
  return text + ".SH SEE ALSO\n.BR carom (1)\n";
}

std::string main_page(const std::vector<Command>& commands) {
  std::string text = head("carom", "what happens when things hit each other");
  text +=
      ".SH SYNOPSIS\n.B carom\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n"
      "carom identifies contact laws from measurements, runs scenarios of impacts and contacts "
      "with "
      "audited energy, and writes numbers, pictures and sound. Scenario files and presets to start "
      "from are in the folder share/carom next to the program.\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    text +=
        fmt::format(".TP\n.BR carom\\-{} (1)\n{}\n", troff(command.name), troff(command.summary));
  }
  return text +
         ".SH EXIT STATUS\n.TP\n0\ndone, and the results hold what the method promises\n.TP\n1\n"
         "computed, but not converged or not as promised; the output says which\n.TP\n2\n"
         "refused, with one line that says why and what is allowed\n.TP\n130\n"
         "interrupted by Ctrl\\-C or SIGTERM\n"
         ".SH ENVIRONMENT\n.TP\nCAROM_INSTRUCTIONS\nbaseline, avx2 or avx512: the instructions "
         "that "
         "strings and bodies are computed with\n.TP\nNO_COLOR\nno colours on the terminal\n";
}

struct ManualOptions {
  std::string command, folder;
};

}  // namespace

Command manual_command(const std::vector<Command>& commands) {
  const auto options = std::make_shared<ManualOptions>();
  std::vector<std::string_view> names;
  const auto known = std::make_shared<std::vector<Command>>(commands);
  for (const Command& command : *known) names.emplace_back(command.name);
  return {.name = "manual",
          .summary = "print a manual page: carom manual run | man -l -",
          .flags = {{"command", "COMMAND", "the page of this command; without it, of carom",
                     &options->command, names},
                    {"--all", "DIR", "write all pages there instead", &options->folder}},
          .run =
              [options, known] {
                if (!options->folder.empty()) {
                  const std::filesystem::path folder = options->folder;
                  std::filesystem::create_directories(folder);
                  write_file(folder / "carom.1", main_page(*known));
                  for (const Command& command : *known) {
                    write_file(folder / ("carom-" + command.name + ".1"), command_page(command));
                  }
                  return 0;
                }
                if (options->command.empty()) fmt::print("{}", main_page(*known));
                for (const Command& command : *known) {
                  if (command.name == options->command) fmt::print("{}", command_page(command));
                }
                return 0;
              },
          .examples = "  carom manual run | man -l -\n"};
}

}  // namespace carom::cli
