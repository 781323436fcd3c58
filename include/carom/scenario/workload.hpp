#pragma once

#include <carom/scenario/kind.hpp>

namespace carom {

/// What a run will take, known before it starts. Lower bounds where the run itself decides.
struct Workload {
  double duration = 0;      ///< simulated [s]
  double steps = 0;         ///< samples or steps of the time loop
  double rows = 0;          ///< of the signals
  double sound_frames = 0;  ///< of sound.wav
  double disk = 0;          ///< [bytes], at most written by the run at a time, at least so much
};

Workload workload(const Scenario& scenario);

/// "4.41e+05 samples, 4.41e+05 rows, about 35 MB on disk".
std::string describe(const Workload& work);

/// Refuses what no machine finishes: too many samples, or a sound longer than a WAV file can be.
/// The message has the estimate and the key to change.
void check_workload(const Scenario& scenario, Problems& problems);

/// Throws InvalidInput where the disk that holds `folder` has less room than the run needs.
void require_room(const Workload& work, const std::filesystem::path& folder);

}  // namespace carom
