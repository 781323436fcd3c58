// The page in a real browser: no console error, no outside request, pictures and sound load.
#include <gtest/gtest.h>

#include <carom/output/run.hpp>

#include "process.hpp"

namespace carom {
namespace {

/// What Chromium makes of a page after it has loaded: its document, and its log on stderr.
support::Finished open_in_browser(const std::filesystem::path& page,
                                  const support::TemporaryFolder& folder) {
  return support::run(
      {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
       "--no-first-run", "--disable-background-networking", "--disable-component-update",
       "--disable-sync", "--enable-logging=stderr", "--v=0",
       "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + (folder / "profile").string(),
       "--virtual-time-budget=8000", "--dump-dom", "file://" + page.string()},
      folder.path(), 90);
}

bool has_chromium() { return std::system("command -v chromium > /dev/null 2>&1") == 0; }

TEST(Report, OpensInABrowserWithPicturesAndSound) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed; CI=1 ./run test does it";
  const support::TemporaryFolder folder;
  const Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/examples/bounce.toml");
  run_to_folder(scenario, {.out = folder / "out"});
  // A copy gets one more script, which says what the browser made of the page.
  std::string page = support::read_file(folder / "out" / "report.html");
  ASSERT_NE(page.find("</body>"), std::string::npos);
  page.insert(page.find("</body>"), R"(<script>
addEventListener('load', () => {
  const say = (id, text) => { const p = document.createElement('p'); p.id = id; p.textContent = text; document.body.append(p); };
  const images = [...document.images];
  say('seen-images', images.filter(i => i.complete && i.naturalWidth > 100 && i.getBoundingClientRect().width > 100).length + ' of ' + images.length);
  const audio = document.querySelector('audio');
  const loaded = () => say('seen-audio', audio.duration.toFixed(3) + ' ' + (audio.error ? 'error' : 'fine'));
  if (audio.readyState > 0) loaded(); else { audio.addEventListener('loadedmetadata', loaded); audio.addEventListener('error', () => say('seen-audio', 'error')); }
  const canvas = document.querySelector('#signals canvas'), key = k => { canvas.dispatchEvent(new KeyboardEvent('keydown', { key: k })); return canvas.toDataURL(); };
  const [whole, near, again] = ['0', '+', '0'].map(key);
  say('seen-plots', [document.querySelectorAll('.plot canvas').length, near !== whole, again === whole, canvas.height > 300].join(' '));
  const motion = document.querySelector('#motion'), [play, slide] = motion.querySelectorAll('button, input');
  const frames = [0, 300].map(k => { slide.value = k; slide.oninput(); return motion.querySelector('canvas').toDataURL(); });
  say('seen-motion', [frames[0] !== frames[1], play.textContent, motion.querySelector('output').textContent.endsWith('s')].join(' '));
  say('seen-requests', performance.getEntriesByType('resource').filter(r => !r.name.startsWith('data:')).map(r => r.name).join(' ') || 'none');
});
</script>)");
  const auto done = open_in_browser(folder.write("probe.html", page), folder);
  ASSERT_FALSE(done.timed_out);
  ASSERT_EQ(done.exit_code, 0) << done.err.substr(0, 2000);
  EXPECT_NE(done.out.find("<p id=\"seen-images\">3 of 3</p>"), std::string::npos)
      << done.out.substr(done.out.size() > 900 ? done.out.size() - 900 : 0);
  EXPECT_NE(done.out.find("<p id=\"seen-requests\">none</p>"), std::string::npos);
  // Signals, energy and spectrum; the plus key zooms, 0 shows everything again; the ball moves.
  EXPECT_NE(done.out.find("<p id=\"seen-plots\">3 true true true</p>"), std::string::npos)
      << done.out.substr(done.out.size() > 900 ? done.out.size() - 900 : 0);
  EXPECT_NE(done.out.find("<p id=\"seen-motion\">true Play true</p>"), std::string::npos)
      << done.out.substr(done.out.size() > 900 ? done.out.size() - 900 : 0);
  EXPECT_NE(done.out.find("<p id=\"seen-audio\">2.0"), std::string::npos)
      << done.out.substr(done.out.size() > 900 ? done.out.size() - 900 : 0);
  EXPECT_EQ(done.err.find("CONSOLE"), std::string::npos) << done.err;
}

TEST(Report, AFilmMovesInABrowser) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed; CI=1 ./run test does it";
  const support::TemporaryFolder folder;
  const std::vector<Override> changes{{"run.duration", "0.02"}};
  const Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/examples/slapped_bass.toml", changes);
  run_to_folder(scenario, {.out = folder / "out"});
  std::string page = support::read_file(folder / "out" / "report.html");
  ASSERT_NE(page.find("</body>"), std::string::npos);
  page.insert(page.find("</body>"), R"(<script>
addEventListener('load', () => {
  const film = document.getElementById('film'), curve = film.querySelector('.curve');
  const [button, slider] = film.querySelectorAll('button, input');
  const d = [];
  for (const k of [0, 7, +slider.max]) { slider.value = k; slider.oninput(); d.push(curve.getAttribute('d')); }
  const p = document.createElement('p');
  p.id = 'seen-film';
  p.textContent = [new Set(d).size, d[0].split('L').length, d.some(s => s.includes('NaN')), button.textContent, curve.getBoundingClientRect().width > 300].join(' ');
  document.body.append(p);
});
</script>)");
  const auto done = open_in_browser(folder.write("probe.html", page), folder);
  ASSERT_EQ(done.exit_code, 0) << done.err.substr(0, 2000);
  // Three different shapes of 121 points; the slider stops the film.
  EXPECT_NE(done.out.find("<p id=\"seen-film\">3 121 false Play true</p>"), std::string::npos)
      << done.out.substr(done.out.size() > 900 ? done.out.size() - 900 : 0);
  EXPECT_EQ(done.err.find("CONSOLE"), std::string::npos) << done.err;
}

TEST(Report, StandsAloneAndHasItsMainParts) {
  const support::TemporaryFolder folder;
  const Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/examples/bounce.toml");
  const RunReport report = run_to_folder(scenario, {.out = folder / "out"});
  EXPECT_TRUE(report.passed);
  const std::string page = support::read_file(folder / "out" / "report.html");
  for (const char* part :
       {"<h1>A ball on a hard floor</h1>", "Energy audit", "The energy balance closes",
        "<audio controls", "id=\"signals\"", "id=\"motion\"", "id=\"impacts\"", "id=\"inputs\"",
        "id=\"force_loop\"", "id=\"phase_portrait\"", "id=\"spectrum\"", "id=\"spectrogram\"",
        "Is it well resolved?", "Do it again", "carom run "}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  // Outside the data: URLs there is no address at all, and no script from elsewhere.
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  // More points than a picture shows, so that there is something to zoom into: every row here.
  const std::size_t count = page.find("\"n\":");
  ASSERT_NE(count, std::string::npos);
  EXPECT_GT(std::stol(page.substr(count + 4)), 80000);
  EXPECT_EQ(page.find("src=\"/"), std::string::npos);
}

TEST(Report, TextFromAScenarioCannotBecomeMarkup) {
  const support::TemporaryFolder folder;
  const std::vector<Override> changes{{"title", "\"<script>alert(1)</script> & <b>\""},
                                      {"run.impacts", "2"}};
  const Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/examples/bounce.toml", changes);
  run_to_folder(scenario, {.out = folder / "out"});
  const std::string page = support::read_file(folder / "out" / "report.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;"), std::string::npos);
}

}  // namespace
}  // namespace carom
