# cpack (./run deb) makes three Debian packages of the install components: carom, libcarom-dev,
# python3-carom.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "carom maintainers <carom@packages.debian.org>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL carom dev python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # what is linked becomes "Depends" with its version
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(release ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(summary "Impact and contact engine")
set(about "carom computes what happens when things hit each other: it
identifies contact laws from measurements, steps bodies, strings and
assemblies through impacts with audited energy, and writes numbers,
pictures and sound.
.
")
set(CPACK_DEBIAN_CAROM_PACKAGE_NAME carom)
set(CPACK_DEBIAN_CAROM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_CAROM_PACKAGE_DEPENDS gnuplot-nox)  # draws the pictures of reports
set(CPACK_COMPONENT_CAROM_DESCRIPTION "${summary}: command line program\n${about}This package has the program, its manual pages and examples.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libcarom-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libeigen3-dev, libboost-dev, libmuparser-dev")
# For the component workbench; the engine needs none of them.
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libfmt-dev, nlohmann-json3-dev, libtbb-dev, libsqlite3-dev, pkg-config, libtomlplusplus-dev, libsndfile1-dev, libsoxr-dev, libebur128-dev, libhdf5-dev, nettle-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "${summary}: C++ library\n${about}This package has headers, static libraries and find_package(carom).")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-carom)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(CAROM_BUILD_PYTHON)
  # Debian's extension modules are for one version of Python each.
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python}), python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${summary}: Python package\n${about}This package has the Python package carom.")

# Every package says who may use it and what has changed.
set(debian ${PROJECT_BINARY_DIR}/debian)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/copyright ${debian}/copyright COPYONLY)
string(TIMESTAMP CAROM_DATE "%a, %d %b %Y 00:00:00 +0000" UTC)
foreach(entry carom=carom dev=libcarom-dev python=python3-carom)
  string(REGEX MATCH "(.*)=(.*)" _ ${entry})
  set(component ${CMAKE_MATCH_1})
  set(package ${CMAKE_MATCH_2})
  if(component STREQUAL python AND NOT CAROM_BUILD_PYTHON)
    continue()
  endif()
  file(WRITE ${debian}/${package}/changelog "${package} (${release}) bookworm; urgency=medium

  * See CHANGELOG.md of carom.

 -- ${CPACK_PACKAGE_CONTACT}  ${CAROM_DATE}
")
  execute_process(COMMAND gzip -9 -n -f ${debian}/${package}/changelog)
  install(FILES ${debian}/${package}/changelog.gz RENAME changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()
include(CPack)
