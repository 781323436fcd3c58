#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>
#include <carom/scenario/scenario.hpp>

namespace carom {

struct RenderSettings {
  std::filesystem::path out;                           ///< folder of the files
  std::vector<Override> overrides = {};                ///< of the scenario
  std::vector<std::string> notes = {};                 ///< "D2", ...; none: as the scenario has it
  std::vector<double> velocities = {0.25, 0.5, 1.0};   ///< multiples of the blow in the scenario
  std::function<void(const Progress&)> progress = {};  ///< of all runs together
  const std::atomic<bool>* interrupt = nullptr;
};

/// What was written.
struct RenderReport {
  struct Sample {
    std::string file;
    int key = 0;          ///< MIDI number of its pitch
    double cents = 0;     ///< how far it is above that key
    double velocity = 0;  ///< multiple of the blow in the scenario
    int low_key = 0, high_key = 127;
    int low_velocity = 1, high_velocity = 127;
    double peak = 0;  ///< full scale is 1
  };
  std::vector<Sample> samples;  ///< by key, then by velocity
  double gain = 0;              ///< the one of all files: file sample over simulated quantity
  std::string blow;             ///< the key of the scenario that was scaled
  std::vector<std::filesystem::path> files;  ///< with the map, all of them
};

/// Runs a scenario for every note and strength of the blow and writes a WAV file of each, with an
/// SFZ map (format 1) for samplers. All files have one gain, so that the difference in loudness is
/// what physics makes it: sound.gain where the scenario gives it, else the loudest file reaches
/// sound.peak. Throws Interrupted; InvalidInput for what cannot be rendered.
RenderReport render_samples(const std::filesystem::path& scenario, const RenderSettings& settings);

}  // namespace carom
