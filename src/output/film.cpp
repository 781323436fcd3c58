#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <carom/output/film.hpp>
#include <carom/output/html.hpp>

#include "film_parts.hpp"
#include "report.hpp"

namespace carom {
namespace {

constexpr double film_height = 380;

/// Heights of all points of all frames in tenths of a pixel, two bytes each; behind each frame that
/// of the ball, if there is one.
std::string packed_frames(const Film& film, const FilmAxis& y) {
  std::string bytes;
  const auto pack = [&](double value) {
    const double place = std::clamp(10 * y(value), 0.0, 65535.0);
    const auto tenths = static_cast<std::uint32_t>(std::isfinite(place) ? place + 0.5 : 0.0);
    bytes += static_cast<char>(tenths & 255);
    bytes += static_cast<char>(tenths >> 8);
  };
  for (std::size_t k = 0; k < film.frames.size(); ++k) {
    for (const double value : film.frames[k]) pack(value);
    if (!film.ball_y.empty()) pack(film.ball_y[k]);
  }
  return data_url("", bytes).substr(std::string("data:;base64,").size());
}

// Reads the frames, draws the one asked for, plays while told to.
constexpr const char* film_script = R"((() => {
const box = document.getElementById('ID'), curve = box.querySelector('.curve');
const ball = box.querySelector('.ball');
const [button, slider, clock] = box.querySelectorAll('button, input, output');
const x = [X], times = [T], bytes = atob('DATA'), n = x.length, all = ball ? n + 1 : n;
const height = at => (bytes.charCodeAt(2 * at) + 256 * bytes.charCodeAt(2 * at + 1)) / 10;
const show = k => {
  let d = '';
  for (let i = 0; i < n; ++i) d += (i ? 'L' : 'M') + x[i] + ' ' + height(k * all + i);
  curve.setAttribute('d', d);
  if (ball) ball.setAttribute('cy', height(k * all + n) - ball.getAttribute('r'));
  slider.value = k;
  clock.textContent = times[k] + ' ms';
};
PLAY
})();)";

}  // namespace

std::string film_html(const Film& film) {
  if (film.frames.empty() || film.x.size() < 2) return {};
  const auto [x_low, x_high] = std::minmax_element(film.x.begin(), film.x.end());
  double low = 0, high = 0;
  for (const auto& frame : film.frames) {
    for (const double value : frame) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  // Marks far outside, such as the end of a neck, do not set the scale.
  for (const double value : film.mark_y) {
    if (value > 2 * low - high && value < 2 * high - low) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double margin = 0.06 * std::max(high - low, 1e-12);
  const FilmAxis x{*x_low, *x_high, film_left, film_width - film_right};
  const FilmAxis y{low - margin, high + margin, film_height - film_bottom, film_top};

  std::string first, places, times;
  for (std::size_t i = 0; i < film.x.size(); ++i) {
    first +=
        fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x(film.x[i]), y(film.frames.front()[i]));
    places += fmt::format("{}{:.1f}", i == 0 ? "" : ",", x(film.x[i]));
  }
  for (std::size_t k = 0; k < film.frames.size(); ++k) {
    times += fmt::format("{}{:.5g}", k == 0 ? "" : ",", 1e3 * film.times[k]);
  }
  std::string marks;
  for (std::size_t i = 0; i < film.mark_x.size(); ++i) {
    const double place = y(film.mark_y[i]);
    if (!(place > film_top && place < film_height - film_bottom + 4)) continue;
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x(film.mark_x[i]), place,
                         film.mark_x.size() > 60 ? 1.5 : 3.5);
  }
  if (!film.ball_y.empty()) {  // it rests on what is below it
    constexpr double radius = 9;
    marks += fmt::format("<circle class=\"ball\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>",
                         x(film.ball_x), y(film.ball_y.front()) - radius, radius);
  }
  std::string code = film_script;
  replace_once(code, "ID", film.name);
  replace_once(code, "[X]", "[" + places + "]");
  replace_once(code, "[T]", "[" + times + "]");
  replace_once(code, "PLAY", film_player());
  replace_once(code, "DATA", packed_frames(film, y));
  const double shown = film.times.back() - film.times.front();
  return fmt::format(
      "<div class=\"film\" id=\"{}\">\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">"
      "{}<g class=\"marks\">{}</g><path class=\"curve\" d=\"{}\"/></svg>\n{}"
      "<p class=\"caption\">{} {}</p>\n</div>\n<script>{}</script>\n",
      film.name, film_width, film_height, html_escaped(film.title),
      film_axes(x, y, film_height, film.x_label, film.y_label), marks, first,
      film_controls(film.frames.size() - 1, 1e3 * film.times.front()), html_escaped(film.caption),
      film_speed(shown), code);
}

}  // namespace carom
