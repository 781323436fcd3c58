#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <carom/output/film.hpp>
#include <carom/output/html.hpp>

#include "film_parts.hpp"

namespace carom {
namespace {

constexpr double mark_size = 14;  // of a body without a size of its own [pixel]

/// What all bodies need in all frames [m].
struct View {
  double x_low = 1e300, x_high = -1e300, y_low = 1e300, y_high = -1e300;
  void include(double x, double y, double reach) {
    x_low = std::min(x_low, x - reach);
    x_high = std::max(x_high, x + reach);
    y_low = std::min(y_low, y - reach);
    y_high = std::max(y_high, y + reach);
  }
};

View view_of(const BodyFilm& film) {
  View view;
  for (const BodyFilm::Body& body : film.bodies) {
    if (body.shape == BodyFilm::Shape::wall) continue;
    const double reach = 0.5 * std::hypot(body.width, body.height);
    for (std::size_t k = 0; k < film.times.size(); ++k) {
      if (std::isfinite(body.x[k]) && std::isfinite(body.y[k]))
        view.include(body.x[k], body.y[k], reach);
    }
  }
  const bool grounded =
      std::any_of(film.bodies.begin(), film.bodies.end(),
                  [](const BodyFilm::Body& body) { return body.shape == BodyFilm::Shape::wall; });
  if (grounded) view.y_low = std::min(view.y_low, -0.06 * (view.y_high - view.y_low));
  const double size = std::max({view.x_high - view.x_low, view.y_high - view.y_low, 1e-9});
  const double margin = 0.06 * size;
  view.x_low -= margin;
  view.x_high += margin;
  view.y_low -= grounded ? 0.0 : margin;
  view.y_high += margin;
  return view;
}

/// The body at the origin, in pixels.
std::string outline(const BodyFilm::Body& body, double scale, double reach) {
  const double w = body.width > 0 ? scale * body.width : mark_size;
  const double h = body.height > 0 ? scale * body.height : mark_size;
  switch (body.shape) {
    case BodyFilm::Shape::disc:
      return fmt::format("<circle r=\"{0:.1f}\"/><path d=\"M0 0H{0:.1f}\"/>", 0.5 * w);
    case BodyFilm::Shape::box:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                         -0.5 * w, -0.5 * h, w, h);
    case BodyFilm::Shape::rod: {
      const double thick = body.height > 0 ? std::max(h, 3.0) : 3.0;
      return fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\"/>",
          -0.5 * w, -0.5 * thick, w, thick, 0.5 * thick);
    }
    case BodyFilm::Shape::wall:
      return fmt::format(
          "<rect class=\"wall\" x=\"{:.0f}\" y=\"0\" width=\"{:.0f}\" height=\"{:.0f}\"/>", -reach,
          2 * reach, reach);
    case BodyFilm::Shape::plate:
      break;
  }
  return fmt::format("<rect class=\"wall\" x=\"-4\" y=\"-60\" width=\"8\" height=\"120\"/>");
}

constexpr const char* body_film_script = R"((() => {
const box = document.getElementById('ID'), parts = [...box.querySelectorAll('.body')];
const [button, slider, clock] = box.querySelectorAll('button, input, output');
const times = [T], places = [P], n = parts.length;
const show = k => {
  parts.forEach((part, i) => {
    const [x, y, a] = places.slice(3 * (k * n + i), 3 * (k * n + i) + 3);
    part.setAttribute('transform', `translate(${x / 10} ${y / 10}) rotate(${a / 10})`);
  });
  slider.value = k;
  clock.textContent = times[k] + ' ms';
};
PLAY
})();)";

}  // namespace

std::string body_film_html(const BodyFilm& film) {
  if (film.bodies.empty() || film.times.size() < 2) return {};
  View view = view_of(film);
  const double height = film.line ? 220 : 480;
  const double inner_width = film_width - film_left - film_right,
               inner_height = height - film_top - film_bottom;
  double scale = inner_width / (view.x_high - view.x_low);
  if (film.line) {
    view.y_high = 0.5 * inner_height / scale;
    view.y_low = -view.y_high;
  } else {
    scale = std::min(scale, inner_height / (view.y_high - view.y_low));
    const double middle = 0.5 * (view.x_low + view.x_high), half = 0.5 * inner_width / scale;
    view.x_low = middle - half;
    view.x_high = middle + half;
    view.y_high = view.y_low + inner_height / scale;
  }
  const FilmAxis x{view.x_low, view.x_high, film_left, film_width - film_right};
  const FilmAxis y{view.y_low, view.y_high, height - film_bottom, film_top};
  std::string bodies, places, times;
  const std::string clip = film.name + "_clip";
  for (const BodyFilm::Body& body : film.bodies) {
    // The label stands still while the body turns about its centre.
    bodies += fmt::format("<g class=\"body{}\"><title>{}</title>{}</g>", body.moves ? "" : " still",
                          html_escaped(body.label), outline(body, scale, 3 * film_width));
  }
  for (std::size_t k = 0; k < film.times.size(); ++k) {
    times += fmt::format("{}{:.5g}", k == 0 ? "" : ",", 1e3 * film.times[k]);
    for (const BodyFilm::Body& body : film.bodies) {
      const double degrees = -body.angle[k] * 57.29577951308232;
      places += fmt::format("{}{:.0f},{:.0f},{:.0f}", places.empty() ? "" : ",", 10 * x(body.x[k]),
                            10 * y(body.y[k]), 10 * degrees);
    }
  }
  std::string code = body_film_script;
  replace_once(code, "ID", film.name);
  replace_once(code, "[T]", "[" + times + "]");
  replace_once(code, "[P]", "[" + places + "]");
  replace_once(code, "PLAY", film_player());
  const double shown = film.times.back() - film.times.front();
  const std::string names = [&] {
    std::string text = "Bodies: ", separator;
    for (const BodyFilm::Body& body : film.bodies)
      text += std::exchange(separator, ", ") + html_escaped(body.label);
    return text;
  }();
  return fmt::format(
      "<div class=\"film\" id=\"{0}\">\n<svg viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{3}\"><clipPath id=\"{4}\"><rect x=\"{5}\" y=\"{6}\" width=\"{7}\" "
      "height=\"{8}\"/></clipPath>{9}<g clip-path=\"url(#{4})\">{10}</g></svg>\n{11}"
      "<p class=\"caption\">{12} {13}. {14}</p>\n</div>\n"
      "<script>{15}</script>\n",
      film.name, film_width, height, html_escaped(film.title), clip, film_left, film_top,
      inner_width, inner_height,
      film_axes(x, y, height, "x [m]", film.line ? "" : "y [m]", !film.line), bodies,
      film_controls(film.times.size() - 1, 1e3 * film.times.front()), html_escaped(film.caption),
      names, film_speed(shown), code);
}

}  // namespace carom
