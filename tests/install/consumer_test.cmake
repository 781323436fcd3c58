# Installs carom into a folder of its own and builds, then runs, a project that finds it there.
# cmake -DBUILD_DIR=... -DCXX=... -DCXX_FLAGS=... -P consumer_test.cmake
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

set(work ${BUILD_DIR}/consumer_test)
file(REMOVE_RECURSE ${work})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
foreach(engine_only OFF ON)
  step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build${engine_only} -G Ninja
       -DENGINE_ONLY=${engine_only} -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${CXX}
       "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
  step(${CMAKE_COMMAND} --build ${work}/build${engine_only})
  step(${work}/build${engine_only}/consumer)
endforeach()
step(${work}/buildOFF/workbench_consumer)
foreach(file share/man/man1/carom-run.1.gz share/bash-completion/completions/carom
             share/zsh/vendor-completions/_carom share/fish/vendor_completions.d/carom.fish
             share/carom/examples/bounce.toml share/carom/presets/marimba.toml)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
step(${work}/prefix/bin/carom --version)
