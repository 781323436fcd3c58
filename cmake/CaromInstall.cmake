# cmake --install gives find_package(carom) with carom::carom (engine), carom::runner
# (scenarios in memory) and carom::workbench (files, output, sweeps), the program and the Python package.
include(CMakePackageConfigHelpers)

install(TARGETS carom carom_runner carom_workbench EXPORT carom
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(EXPORT carom NAMESPACE carom:: DESTINATION ${package_dir})
configure_package_config_file(cmake/caromConfig.cmake.in ${PROJECT_BINARY_DIR}/caromConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caromConfig.cmake ${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${package_dir})
