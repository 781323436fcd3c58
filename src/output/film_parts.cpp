#include "film_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/output/html.hpp>

namespace carom {
namespace {

constexpr double film_seconds = 8;  // how long a film plays

/// 1, 2 or 5 times a power of ten: about five marks.
double film_mark_distance(double span) {
  const double rough = span / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string film_axes(const FilmAxis& x, const FilmAxis& y, double height,
                      const std::string& x_label, const std::string& y_label, bool vertical) {
  std::string svg;
  const auto marks = [](const FilmAxis& axis, auto&& draw) {
    const double step = film_mark_distance(axis.high - axis.low);
    for (double i = std::ceil(axis.low / step); i * step <= axis.high; ++i)
      draw(i * step + 0.0);  // no -0
  };
  marks(x, [&](double value) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:.4g}</text>",
        x(value), film_top, height - film_bottom, height - film_bottom + 24, value);
  });
  if (vertical)
    marks(y, [&](double value) {
      svg += fmt::format(
          "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5:.4g}</text>",
          film_left, y(value), film_width - film_right, film_left - 8, y(value) + 4, value);
    });
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                     (film_left + film_width - film_right) / 2, height - 8, html_escaped(x_label));
  svg += fmt::format(
      "<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      (film_top + height - film_bottom) / 2, html_escaped(y_label));
  return svg;
}

std::string film_controls(std::size_t last, double first_time) {
  return fmt::format(
      "<p class=\"controls\"><button type=\"button\">Play</button> <input type=\"range\" min=\"0\" "
      "max=\"{}\" value=\"0\" aria-label=\"moment shown\"> <output>{:.5g} ms</output></p>\n",
      last, first_time);
}

std::string film_player() {
  std::string script = R"(let playing = false, begun = 0;
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
set(!matchMedia('(prefers-reduced-motion: reduce)').matches);)";
  replace_once(script, "LENGTH", fmt::format("{:.0f}", 1e3 * film_seconds));
  return script;
}

std::string film_speed(double shown) {
  if (!(shown > 0)) return {};
  const double factor = film_seconds / shown;
  const double times = std::max(factor, 1 / factor);
  return fmt::format("{} {:.{}f} times.", factor >= 1 ? "Slowed down" : "Sped up", times,
                     times < 10 ? 1 : 0);
}

void replace_once(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

}  // namespace carom
