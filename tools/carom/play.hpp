#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace carom::cli {

/// A program that plays sound files, with its flags: aplay, paplay or play, whichever is on the
/// PATH first in this order. Throws InvalidInput where there is none.
std::vector<std::string> find_player();

/// Plays the file to its end, or until `interrupt` is set. False: the player failed.
bool play(std::vector<std::string> player, const std::filesystem::path& file,
          const std::atomic<bool>& interrupt);

}  // namespace carom::cli
