#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <carom/output/film.hpp>
#include <carom/output/html.hpp>

#include "report.hpp"

namespace carom {
namespace {

constexpr double film_width = 960, film_height = 380;
constexpr double film_left = 66, film_right = 14, film_top = 12, film_bottom = 46;
constexpr double film_seconds = 8;  // how long a film plays

/// From a value to the page, in pixels.
struct FilmAxis {
  double low, high, from, to;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

/// 1, 2 or 5 times a power of ten: about five marks.
double film_mark_distance(double span) {
  const double rough = span / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::string film_axes(const FilmAxis& x, const FilmAxis& y, const Film& film) {
  std::string svg;
  const auto marks = [](const FilmAxis& axis, auto&& draw) {
    const double step = film_mark_distance(axis.high - axis.low);
    for (double i = std::ceil(axis.low / step); i * step <= axis.high; ++i) draw(i * step);
  };
  marks(x, [&](double value) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:.4g}</text>",
        x(value), film_top, film_height - film_bottom, film_height - film_bottom + 18, value);
  });
  marks(y, [&](double value) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.4g}</text>",
        film_left, y(value), film_width - film_right, film_left - 8, y(value) + 4, value);
  });
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                     (film_left + film_width - film_right) / 2, film_height - 8,
                     html_escaped(film.x_label));
  svg += fmt::format(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      (film_top + film_height - film_bottom) / 2, html_escaped(film.y_label));
  return svg;
}

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
let playing = false, begun = 0;
const whole = LENGTH, last = times.length - 1;
const turn = now => {
  if (!playing) return;
  const part = Math.max(0, now - begun) / whole % 1;  // a frame may be older than the click
  show(Math.floor(part * (last + 1)));
  requestAnimationFrame(turn);
};
const set = on => {
  playing = on;
  button.textContent = on ? 'Pause' : 'Play';
  if (!on) return;
  begun = performance.now() - slider.value / (last + 1) * whole;
  requestAnimationFrame(turn);
};
button.onclick = () => set(!playing);
slider.oninput = () => { set(false); show(+slider.value); };
show(0);
set(!matchMedia('(prefers-reduced-motion: reduce)').matches);
})();)";

void replace_once(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

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
  replace_once(code, "LENGTH", fmt::format("{:.0f}", 1e3 * film_seconds));
  replace_once(code, "DATA", packed_frames(film, y));
  const double shown = film.times.back() - film.times.front();
  return fmt::format(
      "<div class=\"film\" id=\"{}\">\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">"
      "{}<g class=\"marks\">{}</g><path class=\"curve\" d=\"{}\"/></svg>\n"
      "<p class=\"controls\"><button type=\"button\">Play</button> <input type=\"range\" min=\"0\" "
      "max=\"{}\" value=\"0\" aria-label=\"moment shown\"> <output>{:.5g} ms</output></p>\n"
      "<p class=\"caption\">{} Slowed down {:.0f} times.</p>\n</div>\n<script>{}</script>\n",
      film.name, film_width, film_height, html_escaped(film.title), film_axes(x, y, film), marks,
      first, film.frames.size() - 1, 1e3 * film.times.front(), html_escaped(film.caption),
      shown > 0 ? film_seconds / shown : 0.0, code);
}

}  // namespace carom
