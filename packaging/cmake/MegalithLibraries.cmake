# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries we stand on, as Debian 12 packages them: packaging/packages.build is the list of packages.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED CONFIG)
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
find_package(fmt 9 REQUIRED CONFIG)
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

find_package(CLI11 2 REQUIRED CONFIG)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Svg DBus)
if(MEGALITH_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
    # Without the definitions that name each test's folder: with them no precompiled header serves two folders.
    set_target_properties(Qt6::Test PROPERTIES INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
endif()

# Optional: without them the program does the same, slower.
find_package(dnnl 2.6 CONFIG QUIET)
find_package(OpenCL QUIET)
find_path(MEGALITH_CLHPP CL/opencl.hpp)
mark_as_advanced(MEGALITH_CLHPP)

set(MEGALITH_HAVE_ONEDNN ${dnnl_FOUND})
set(MEGALITH_HAVE_OPENCL OFF)
if(OpenCL_FOUND AND MEGALITH_CLHPP)
    set(MEGALITH_HAVE_OPENCL ON)
endif()
message(STATUS "oneDNN: ${MEGALITH_HAVE_ONEDNN}, OpenCL: ${MEGALITH_HAVE_OPENCL}")
