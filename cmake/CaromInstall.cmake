# cmake --install gives find_package(carom) with carom::carom (engine), carom::runner (scenarios in
# memory) and carom::workbench (files, output, sweeps), the program with manual pages, completion and
# examples, and the Python package. Components: carom, dev and python, which are also the Debian
# packages, and mpi.
include(CMakePackageConfigHelpers)

# The engine has an export of its own: a project that wants no more of carom needs to find nothing of
# what the others link.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
foreach(part carom carom_runner carom_workbench)
  install(TARGETS ${part} EXPORT ${part} COMPONENT dev
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  install(EXPORT ${part} NAMESPACE carom:: DESTINATION ${package_dir} COMPONENT dev)
endforeach()
configure_package_config_file(cmake/caromConfig.cmake.in ${PROJECT_BINARY_DIR}/caromConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caromConfig.cmake ${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# What the program says about itself (tools/carom): a manual page for each command, and completion.
set(said ${PROJECT_BINARY_DIR}/said)
install(DIRECTORY ${said}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT carom)
install(FILES ${said}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME carom
        COMPONENT carom)
install(FILES ${said}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _carom
        COMPONENT carom)
install(FILES ${said}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME carom.fish
        COMPONENT carom)

foreach(folder examples presets)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/carom COMPONENT carom)
  endif()
endforeach()
include(CaromPackages)
