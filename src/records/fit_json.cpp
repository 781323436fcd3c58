#include "fit_json.hpp"

#include <cmath>

#include <carom/output/json.hpp>

namespace carom {
namespace {

using Status = FittedNumber::Status;

bool is_known(const FittedNumber& one) {
  return one.status != Status::open && one.status != Status::out_of_reach;
}

/// The law with null for every number that the data leave open.
Json law_json(const LawFit& fit, const Collision& reference, bool timed) {
  if (!fit.fitted) return {{"name", fit.law}, {"restitution", json_number(*fit.restitution)}};
  Json json = to_json(*fit.fitted, reference);
  for (const FittedNumber& one : fit.numbers) {
    if (!is_known(one)) json[one.name] = nullptr;
  }
  if (!timed) json["omega_i"] = nullptr;
  const FittedNumber* mu = fit.find("mu");
  if (!timed && mu != nullptr && !is_known(*mu)) json["epsilon"] = nullptr;
  return json;
}

Json joint_json(const LawFit& fit) {
  Json rows = Json::array(), centre = Json::array();
  for (Eigen::Index i = 0; i < fit.covariance.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < fit.covariance.cols(); ++j)
      row.push_back(json_number(fit.covariance(i, j)));
    rows.push_back(std::move(row));
    centre.push_back(json_number(fit.centre[i]));
  }
  return {{"parameters", fit.free_fields},
          {"centre", centre},
          {"covariance", rows},
          {"factor", fit.factor}};
}

}  // namespace

Json fit_json(const Identification& laws, bool timed) {
  const LawFit& fit = laws.law();
  Json json;
  json["law"] = law_json(fit, laws.reference, timed);
  json["verdict"] = verdict_name(fit.verdict);
  json["reasons"] = fit.reasons;
  json["advice"] = laws.advice;
  Json widths = Json::object(), intervals = Json::object(), open = Json::array();
  for (const FittedNumber& one : fit.numbers) {
    if (one.status == Status::given) continue;
    if (!is_known(one)) open.push_back(one.name);
    widths[one.name] = is_known(one) ? json_number(one.half_width()) : Json(nullptr);
    if (is_known(one)) intervals[one.name] = {json_number(one.low), json_number(one.high)};
  }
  json["uncertainty"] = std::move(widths);
  json["interval"] = std::move(intervals);
  json["undetermined"] = std::move(open);
  Json candidates = Json::array();
  for (const LawFit& one : laws.candidates) {
    Json entry{{"law", law_json(one, laws.reference, timed)},
               {"misfit", json_number(one.misfit)},
               {"left_out_misfit", json_number(one.left_out_misfit)},
               {"criterion", json_number(one.criterion)},
               {"parameters", one.parameters},
               {"verdict", verdict_name(one.verdict)},
               {"reasons", one.reasons}};
    if (!one.same_as.empty()) entry["same_as"] = one.same_as;
    entry["complete"] = one.complete();
    candidates.push_back(std::move(entry));
  }
  json["candidates"] = std::move(candidates);
  if (!laws.left_out.empty()) json["left_out"] = laws.left_out;
  json["status"] = fit.converged ? "converged" : "not converged";
  json["formula"] = "exact";
  json["reference"] = {{"mass", laws.mass_known ? json_number(laws.reference.mass) : Json(nullptr)},
                       {"speed", json_number(laws.reference.speed)},
                       {"force", json_number(laws.reference.force)}};
  if (fit.fitted && fit.complete()) json["joint"] = joint_json(fit);
  return json;
}

Json read_json(const std::string& format, const MeasuredRun& run) {
  Json json{{"format", format}};
  if (!run.label.empty()) json["run"] = run.label;
  Json columns = Json::array();
  for (const RecordColumn& column : run.columns) {
    Json entry{{"title", column.title}, {"quantity", column.quantity}, {"unit", column.unit}};
    if (column.unit_assumed) entry["unit_assumed"] = true;
    columns.push_back(std::move(entry));
  }
  if (!columns.empty()) json["columns"] = std::move(columns);
  return json;
}

}  // namespace carom
