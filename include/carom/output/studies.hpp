#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <carom/output/figure.hpp>
#include <carom/output/run.hpp>

namespace carom {

struct StudySettings {
  std::vector<Override> overrides = {};
  std::string signal = {};  ///< which one is looked at; empty: the main one of the kind
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};

/// How the error of a scenario falls with its step.
struct OrderStudy {
  struct Point {
    int refined = 1;   ///< so many steps in place of one
    double error = 0;  ///< max |y - reference| over the rows / max |reference|
    double slope = 0;  ///< log2 of the error before / this one, by the refinement; NaN: the first
    double cpu_seconds = 0;
  };
  std::string method, signal, reference;
  std::vector<Point> points;
  double order = 0;  ///< of the line through the logarithms of all errors above rounding
};

/// Runs a scenario with its steps refined by 1, 2, 4, ... (`levels` of them). The reference is the
/// reference method of the kind where that has no steps of its own, else the scenario's method with
/// steps four times finer than the finest.
OrderStudy study_order(const std::filesystem::path& file, int levels,
                       const StudySettings& settings = {});
Json order_json(const OrderStudy& study);
std::string order_table(const OrderStudy& study);
Figure order_figure(const OrderStudy& study);

/// How two runs of a scenario that differ a little grow apart.
struct DivergenceStudy {
  std::string key, signal;
  double change = 0;  ///< of the key, relative (absolute where it is zero)
  std::vector<double> time = {}, distance = {};  ///< largest of a part of the run, of all of it
  double rate = 0;    ///< [1/s]: slope of the logarithm between the change and saturation
  double growth = 0;  ///< distance at the end / where they first differ
};

/// `key` names a number of the scenario, e.g. "body.1.velocity".
DivergenceStudy study_divergence(const std::filesystem::path& file, const std::string& key,
                                 double change, const StudySettings& settings = {});
Json divergence_json(const DivergenceStudy& study);
std::string divergence_table(const DivergenceStudy& study);
Figure divergence_figure(const DivergenceStudy& study);

}  // namespace carom
