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
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G Ninja
     -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${CXX}
     "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/consumer)
step(${work}/build/workbench_consumer)
step(${work}/prefix/bin/carom --version)
