# How every carom target is built: language level, warnings, floating point rules.

# No contraction: a fused multiply-add that the compiler picks by itself would make the bits of a
# result depend on the machine it was compiled for. Kernels that want FMA ask for it by name.
function(carom_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion
                                           -Wno-sign-conversion -Wdouble-promotion)
  # What a browser does not have: the processor's caches, by which Eigen cuts large products, and the long
  # double in which Boost computes Bessel functions.
  if(CAROM_PORTABLE)
    target_compile_definitions(${target} PRIVATE EIGEN_NO_CPUID BOOST_MATH_PROMOTE_DOUBLE_POLICY=false)
  endif()
  if(NOT CMAKE_UNITY_BUILD)  # among files compiled together a local name may hide a neighbour's
    target_compile_options(${target} PRIVATE -Wshadow)
  endif()
  # g++ collects its garbage later: an eighth less time for half a gigabyte more.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
  # For ccache, which must see what a precompiled header holds.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # g++ 12 warns of overlap and overflow inside std::string where there is none (its bug 105651).
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
  if(CAROM_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Code that reads, writes and hands over, but does no sums of its own: -O1 runs as fast as -O3 there
# and compiles in two thirds of the time.
function(carom_light_optimisation target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# carom_library(name [EXPORT_AS public_name]): a library filled room by room with carom_room().
function(carom_library target)
  cmake_parse_arguments(ARG "" "EXPORT_AS" "" ${ARGN})
  add_library(${target})
  if(NOT ARG_EXPORT_AS)
    set(ARG_EXPORT_AS ${target})
  endif()
  add_library(carom::${ARG_EXPORT_AS} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${ARG_EXPORT_AS}
                                             VERIFY_INTERFACE_HEADER_SETS ON LINKER_LANGUAGE CXX
                                             UNITY_BUILD_MODE GROUP)
  carom_compile_options(${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include)
endfunction()

# carom_room(library HEADERS laws/law.hpp ... SOURCES law.cpp ...): headers are named relative to
# include/carom, sources relative to the calling folder. Where CMAKE_UNITY_BUILD is on (the release
# preset), neighbours in SOURCES are compiled together, never across rooms: most of the time goes
# into reading the same large headers. File-local names must therefore differ within a room.
function(carom_room target)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES" ${ARGN})
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(count 0)
  foreach(source ${ARG_SOURCES})
    math(EXPR group "${count} / 8")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${room}_${group})
    math(EXPR count "${count} + 1")
  endforeach()
  list(TRANSFORM ARG_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/carom/)
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${target} PRIVATE ${ARG_SOURCES}
                           PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${ARG_HEADERS})
endfunction()

# What is tested is optimised; the tests themselves only cost time to compile.
function(carom_test_options target)
  carom_compile_options(${target})
  carom_light_optimisation(${target})
  # At -O1 g++ 12 sees uninitialised values in Eigen where there are none.
  target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  # GoogleTest's macros are not ours to lint.
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
endfunction()

# carom_test(name sources...): one GoogleTest program per room, each test a ctest entry.
function(carom_test name)
  add_executable(carom_test_${name} ${ARGN})
  target_link_libraries(carom_test_${name} PRIVATE carom::carom carom_test_support GTest::gtest_main)
  carom_test_options(carom_test_${name})
  target_precompile_headers(carom_test_${name} REUSE_FROM carom_test_support)
  gtest_discover_tests(carom_test_${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}.
                       PROPERTIES TIMEOUT 300)
endfunction()
