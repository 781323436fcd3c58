#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// How a subcommand describes itself. main.cpp turns the description into the command line, its
/// help, its errors and the shell completion; each subcommand is one file that returns a Command.
namespace carom::cli {

/// Where the value of a flag goes; the type says what is accepted.
using Target = std::variant<bool*, std::optional<double>*, std::optional<long>*, std::string*,
                            std::vector<std::string>*>;

struct Flag {
  std::string name;   ///< with dashes, "--mass"; without, a positional argument
  std::string value;  ///< what the value is, for the help: "KG", "FILE"; empty for a switch
  std::string help;
  Target target;
  std::vector<std::string_view> allowed = {};  ///< the names a text flag takes; empty: any text
  std::vector<std::string> suggested =
      {};                 ///< what completion offers in addition; nothing is enforced
  std::string also = {};  ///< a second spelling: "-o"
};

struct Command {
  std::string name;
  std::string summary;
  std::vector<Flag> flags;
  std::function<int()> run;  ///< returns the exit code; throws InvalidInput on bad input
  std::string examples = {};
};

}  // namespace carom::cli
