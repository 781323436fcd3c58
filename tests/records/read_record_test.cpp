#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/records/identify_file.hpp>
#include <carom/records/measurements.hpp>
#include <carom/records/record.hpp>

namespace carom {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Reading : public testing::Test {
 protected:
  Reading() : folder_(fs::temp_directory_path() / ("carom_records_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Reading() override { fs::remove_all(folder_); }

  fs::path file(const std::string& text, const std::string& name = "record.csv") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Record read(const std::string& text, const ReadOptions& options = {}) const {
    return read_record(file(text), options);
  }
  std::string refusal(const std::string& text, const ReadOptions& options = {}) const {
    try {
      read_measurements(file(text), options);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  }
  fs::path folder_;
};

void expect_column(const RecordRun& run, const char* quantity, const std::vector<double>& values) {
  const RecordColumn* column = run.find(quantity);
  ASSERT_NE(column, nullptr) << quantity;
  ASSERT_EQ(column->values.size(), values.size()) << quantity;
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_DOUBLE_EQ(column->values[i], values[i]) << quantity << " " << i;
}

/// The same two columns as instruments write them.
TEST_F(Reading, TheSameTableInManyHands) {
  for (const char* text :
       {"time,force\n0,1\n0.5,2.25\n",                                 // the plain one
        "Time (s),Force (N)\n0,1\n0.5,2.25\n",                         // units in titles
        "\"Time (s)\",\"Force (N)\"\r\n0,1\r\n0.5,2.25\r\n",           // quotes, CRLF
        "\xef\xbb\xbfTime (s),Force (N)\n0,1\n0.5,2.25\n",             // BOM
        "Time [s];Force [N]\n0;1\n0,5;2,25\n",                         // decimal comma
        "t\tF\n0\t1\n0.5\t2.25\n",                                     // tabs, symbols
        "t / s   F / N\n0 1\n0.5 2.25\n",                              // blanks
        "time_ms,force_kN\n0,0.001\n500,0.00225\n",                    // other units
        "TIME,FORCE  \n0,1  \n0.5,2.25\t\n\n\n",                       // capitals, trailing blanks
        "# measured in May\n# time(s), \t force(N)\n0 1\n0.5 2.25\n",  // comments
        "% t,F\n0,1,\n0.5,2.25,\n",                                    // trailing separators
        "Versuch 3\nTime,Force\ns,N\n0,1\n0.5,2.25\n",                 // units below the titles
        "\"Time (s)\"\t\"Force (N)\"\n0.000000000E0\t1.0E0\n5.0E-1\t2.25E0\n",  // phyphox
        "Zeit (s);Kraft (N)\n+0;+1\n+0,5;+2,25\n",
        "time,force\r0,1\r0.5,2.25\r",  // old line ends
        "Time (ms),Force (lbf)\n0,0.22480894309971046\n500,0.5058201219743486\n"}) {
    SCOPED_TRACE(text);
    const Record record = read(text);
    ASSERT_EQ(record.runs.size(), 1u);
    // A pound is 0.45359237 kg by definition, so its weight is exact to rounding.
    for (const auto& [quantity, values] :
         {std::pair{"time", std::vector{0.0, 0.5}}, {"force", {1.0, 2.25}}}) {
      const RecordColumn* column = record.runs[0].find(quantity);
      ASSERT_NE(column, nullptr) << quantity;
      ASSERT_EQ(column->values.size(), 2u);
      EXPECT_NEAR(column->values[0], values[0], 1e-12);
      EXPECT_NEAR(column->values[1], values[1], 1e-12);
    }
  }
}

TEST_F(Reading, EncodingsOtherThanUtf8) {
  // "Time (µs)" with the micro sign of Latin-1, and UTF-16 with its mark.
  expect_column(read("Time (\xb5s),Force (N)\n1,1\n2,3\n").runs[0], "time", {1e-6, 2e-6});
  std::string wide = "\xff\xfe";
  for (const char c : std::string("Time (s)\tForce (N)\n0\t1\n1\t2\n")) wide += {c, '\0'};
  expect_column(read(wide).runs[0], "force", {1, 2});
}

TEST_F(Reading, UnitsOfAcceleration) {
  const auto first = [&](const std::string& title) {
    return read("time," + title + "\n0,1\n1,2\n").runs[0].find("acceleration")->values[0];
  };
  EXPECT_DOUBLE_EQ(first("acceleration (g)"), 9.80665);
  EXPECT_DOUBLE_EQ(first("Acceleration (m/s\xc2\xb2)"), 1);
  EXPECT_DOUBLE_EQ(first("Linear Acceleration x (m/s^2)"), 1);
  EXPECT_DOUBLE_EQ(first("accel [mm/s^2]"), 1e-3);
}

TEST_F(Reading, RunsSideBySideAsVernierWritesThem) {
  const std::string text =
      "\"Run 5: Time (s)\",\"Run 5: Force (N)\",\"Run 5: Velocity (m/s)\",\"Run 1: Time "
      "(s)\",\"Run 1: Force (N)\",\"Run 1: Velocity (m/s)\"\n"
      "0.01,-1,,0.01,-5,\n0.02,-2,0.3,0.02,-6,0.4\n0.03,-3,,,,\n";
  const Record record = read(text);
  ASSERT_EQ(record.runs.size(), 2u);
  EXPECT_EQ(record.runs[0].label, "Run 5");
  expect_column(record.runs[0], "force", {-1, -2, -3});
  EXPECT_EQ(record.runs[1].find("force")->values.size(), 2u);  // the blank row was a neighbour's
  EXPECT_EQ(read(text, {.columns = {}, .units = {}, .run = 1}).runs[0].label, "Run 1");
  EXPECT_NE(refusal(text, {.columns = {}, .units = {}, .run = 2}).find("Run 5, Run 1"),
            std::string::npos);
  // Without names a new column of times begins a run.
  EXPECT_EQ(read("time,force,time,force\n0,1,0,3\n1,2,1,4\n").runs.size(), 2u);
}

TEST_F(Reading, RunsBelowEachOther) {
  // Logger Pro's text: names, short names and units above each run.
  const Record vernier = read(
      "Vernier Format 2\nUntitled.cmbl 5/4/2021 10:11:12 .\nRun 1\nTime\tForce\nt\tF\ns\tN\n\n"
      "0\t1\n1\t2\nRun 2\nTime\tForce\nt\tF\ns\tN\n\n0\t3\n1\t4\n");
  ASSERT_EQ(vernier.runs.size(), 2u);
  expect_column(vernier.runs[1], "force", {3, 4});
  const Record again = read("time,force\n0,1\n1,2\n2,1\n0,5\n1,6\n");  // the clock begins anew
  ASSERT_EQ(again.runs.size(), 2u);
  expect_column(again.runs[1], "force", {5, 6});
}

TEST_F(Reading, PhyphoxStopwatchAndCollision) {
  for (const char* text :
       {"\"Start (s)\",\"Stop 1 (s)\",\"Stop 2 (s)\",\"Stop 3 (s)\",\"Stop 4 (s)\",\"Stop 5 (s)\"\n"
        "0.5,1.5,2.3,2.9,0,0\n",
        "\"Bounce 0 (s)\",\"Height 0 (m)\",\"Bounce 1 (s)\",\"Height 1 (m)\",\"Energy 1\",\"Bounce "
        "2 "
        "(s)\",\"Bounce 3 (s)\"\n0.5,1,1.5,0.9,0.8,2.3,2.9\n"}) {
    const Measurements found = read_measurements(file(text));
    const auto* times = std::get_if<TimesRecord>(&found.runs[0].data);
    ASSERT_NE(times, nullptr);
    EXPECT_EQ(times->times, (std::vector{0.5, 1.5, 2.3, 2.9}));
  }
}

const char* const lvm_head =
    "LabVIEW Measurement\t\nWriter_Version\t2\nReader_Version\t2\nSeparator\tTab\n"
    "Decimal_Separator\t,\nMulti_Headings\tYes\nX_Columns\tOne\nTime_Pref\tRelative\n"
    "***End_of_Header***\t\n\t\n";
const char* const lvm_segment =
    "Channels\t1\nSamples\t2\nDate\t2020/01/01\nTime\t10:00:00\nY_Unit_Label\tNewtons\n"
    "X_Dimension\tTime\nX0\t0,0E+0\nDelta_X\t0,500000\n***End_of_Header***\t\n"
    "X_Value\tVoltage\tComment\n";

TEST_F(Reading, LabviewMeasurementFiles) {
  const std::string one =
      std::string(lvm_head) + lvm_segment + "0,000000\t1,5\n0,500000\t2,5\tok\n";
  const Record record = read(one + "\n" + lvm_segment + "0,000000\t7\n0,500000\t8\n");
  ASSERT_EQ(record.runs.size(), 2u);
  expect_column(record.runs[0], "time", {0, 0.5});
  expect_column(record.runs[0], "force", {1.5, 2.5});  // by its unit: the title says nothing
  expect_column(record.runs[1], "force", {7, 8});
  // Without a column of times they follow from X0 and Delta_X.
  std::string without = std::string(lvm_head) + lvm_segment + "\t1,5\n\t2,5\n";
  without.replace(without.find("X_Columns\tOne"), 13, "X_Columns\tNo");
  expect_column(read(without).runs[0], "time", {0, 0.5});
  EXPECT_NE(refusal(std::string(lvm_head).substr(0, 100)).find("does not end"), std::string::npos);
}

TEST_F(Reading, ColumnsWithoutTitlesAreNamedByTheUser) {
  const std::string text = "0 1 9\n1 2 9\n2 1 9\n";
  EXPECT_NE(refusal(text).find("--columns time,force"), std::string::npos);
  const Record record = read(text, {.columns = {"time", "acceleration"}, .units = {"ms", "g"}});
  expect_column(record.runs[0], "time", {0, 1e-3, 2e-3});
  expect_column(record.runs[0], "acceleration", {9.80665, 2 * 9.80665, 9.80665});
  const Record skipped = read(text, {.columns = {"time", "-", "force"}});
  expect_column(skipped.runs[0], "force", {9, 9, 9});
}

TEST_F(Reading, ColumnsWithTitlesAreChosenByThem) {
  const std::string text = "clock,Ch 1,Ch 2\n0,1,4\n1,2,5\n";
  const Record record =
      read(text, {.columns = {"time=clock", "force=Ch 2"}, .units = {"ms", "kN"}});
  expect_column(record.runs[0], "force", {4000, 5000});
  expect_column(read(text, {.columns = {"time=1", "force=2"}}).runs[0], "force", {1, 2});
  EXPECT_NE(refusal(text, {.columns = {"time=clock", "force=Ch 3"}}).find("'Ch 1', 'Ch 2'"),
            std::string::npos);
  EXPECT_NE(refusal(text, {.columns = {"time=clock", "farce=Ch 1"}}).find("did you mean 'force'"),
            std::string::npos);
}

TEST_F(Reading, WordsThatMeasureNothingAreNoTitles) {
  const std::string note = "# tap 3\n0 1\n0.5 2.25\n", titled = "ball,left\n0,1\n0.5,2.25\n";
  EXPECT_NE(refusal(note).find("has no titles"), std::string::npos) << refusal(note);
  for (const std::string& text : {note, titled})
    expect_column(read(text, {.columns = {"time", "force"}}).runs[0], "force", {1, 2.25});
  EXPECT_NE(refusal(titled, {.columns = {"time=bell"}}).find("'ball', 'left'"), std::string::npos);
  EXPECT_NE(refusal("time,left\n0,1\n1,2\n", {.columns = {"time", "force"}})
                .find("no column for 'force'"),
            std::string::npos);
}

/// Each refusal is one line that shows what is there.
TEST_F(Reading, BrokenFilesAreRefusedWithWhatIsThere) {
  const auto expect = [&](const std::string& text, const char* message,
                          const ReadOptions& options = {}) {
    const std::string refused = refusal(text, options);
    EXPECT_NE(refused.find(message), std::string::npos) << text << "\n-> " << refused;
    EXPECT_EQ(refused.find('\n'), std::string::npos);
    EXPECT_NE(refused.find("record.csv"), std::string::npos);
  };
  expect("", "has no rows of numbers");
  expect("time,force\n", "has no rows of numbers");
  expect("time,force\n0,x\n1,2\n", "line 2: 'x' is not a finite number");
  expect("time,force\n0,1\n1,inf\n", "line 3: 'inf' is not a finite number");
  expect("time (s),force (V)\n0,1\n1,2\n", "'V' is not a unit of force; known: N");
  expect("time,force\n0,1\n1,2\n", "'furlong' is not a unit of time", {.units = {"furlong"}});
  expect("apples,pears\n1,2\n", "it has 'apples', 'pears'");
  expect("time,Force 1 (N),Force 2 (N)\n0,1,2\n1,2,3\n",
         "both measure force; choose with --columns");
  expect("speed,restitution\n1,0.5\n2,\n", "row 2 has no number for 'restitution'");
  expect("time\n100\n300\n480\n640\n", "give their unit, for example --units time=ms");
  expect(std::string("time,force\n0,1\0\n", 16), "is not text");
  expect(std::string("PK\x03\x04\x14\0\0\0", 8), "unpack it");
  expect("time,force\n0,1\n", "there is no such run", {.run = 3});
  expect("time,force\n0,nan\n1,nan\n", "column 'force' has no numbers");
  expect("time,force\n0,1\n1,2,3\n", "line 3 has 3 cells under 2 titles");
  expect("time force\n1 0.1 1\n2 0.2 2\n", "line 2 has 3 cells under 2 titles");
  expect("speed,restitution\n-1,0.5\n2,0.5\n", "speed has both signs, -1 and 2");
}

TEST_F(Reading, WhatCannotBeTestedIsNotAccepted) {
  const IdentifiedFile one = identify_file(file("speed,restitution\n1,0.5\n"), {});
  EXPECT_FALSE(one.accepted);
  EXPECT_EQ(one.runs[0].laws().law().verdict, FitVerdict::undetermined);
  for (const double step : {1e-2, 1e-4}) {
    std::string samples = "time\n";
    for (int i = 0; i < 400; ++i) samples += std::to_string(step * i) + "\n";
    try {
      identify_file(file(samples), {});
      FAIL() << "a list of samples is no list of bounces";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("0 of 400 times follow each other"),
                std::string::npos);
    }
  }
}

TEST_F(Reading, SpecialFilesAndFoldersAreNotRead) {
  for (const fs::path& path : {fs::path("/dev/zero"), folder_, folder_ / "absent.csv"})
    EXPECT_THROW(read_record(path), InvalidInput) << path;
  EXPECT_THROW(read_sound("/dev/zero"), InvalidInput);
  EXPECT_THROW(read_sound(file("no sound at all", "a.wav")), InvalidInput);
}

TEST_F(Reading, TablesOfImpacts) {
  const Measurements found = read_measurements(
      file("v (cm/s);COR;contact time (us);mass (g);peak force (kN)\n100;0,9;250;20;0,1\n"));
  const auto& impact = std::get<SeriesRecord>(found.runs[0].data).impacts[0];
  EXPECT_DOUBLE_EQ(impact.speed, 1);
  EXPECT_DOUBLE_EQ(*impact.restitution, 0.9);
  EXPECT_DOUBLE_EQ(*impact.contact_time, 250e-6);
  EXPECT_DOUBLE_EQ(*impact.mass, 0.02);
  EXPECT_DOUBLE_EQ(*impact.max_force, 100);
  const Measurements drops =
      read_measurements(file("drop height (cm),rebound height (cm)\n100,64\n50,32\n"));
  const auto& drop = std::get<SeriesRecord>(drops.runs[0].data).impacts[0];
  EXPECT_NEAR(*drop.restitution, 0.8, 1e-12);  // sqrt(64/100)
  EXPECT_NEAR(drop.speed, std::sqrt(2 * 9.81), 1e-12);
}

TEST_F(Reading, BounceTimesAsTimesOrIntervals) {
  const auto times = [&](const std::string& text, const ReadOptions& options = {}) {
    const Measurements found = read_measurements(file(text), options);
    return std::get<TimesRecord>(found.runs[0].data);
  };
  EXPECT_DOUBLE_EQ(
      times("time,sound,bounce\n129,5,0\n315,4,1\n492,3,2\n", {.units = {"time=ms"}}).resolution,
      1e-3);
  EXPECT_EQ(times("Time (s)\n0.5\n1.25\n").times, (std::vector{0.5, 1.25}));
  EXPECT_EQ(times("Time (s)\n0,5\n1,25\n").times, (std::vector{0.5, 1.25}));  // decimal comma
  EXPECT_EQ(times("interval (ms)\n500\n250\n").times, (std::vector{0.0, 0.5, 0.75}));
}

}  // namespace
}  // namespace carom
