# SPDX-License-Identifier: GPL-3.0-or-later
# megalith_test(NAME test_tensor
#               SOURCES test_tensor.cpp [...]
#               [LABELS numbers threads peer]   the folder's name is a label already
#               [LIBS megalith_widgets ...]     the window's libraries; without them the engine alone
#               [TIMEOUT seconds])              default: 600
#
# One Qt Test program. Labels:
#   numbers   values and training; run in the optimised build (preset ci), all others under ASan and UBSan (preset asan)
#   threads   run under ThreadSanitizer too (preset tsan)
#   peer      needs Python peers: MEGALITH_PEER_PYTHON, MEGALITH_TORCH_PYTHON (packaging/test sets them)
# tests/paths.h tells the source where tests/data and the program are.

# What packaging/test builds in each build folder: tests_numbers in ci, tests_other in asan, tests_threads in tsan.
# MEGALITH_LONG in the environment (packaging/test --long) adds what takes minutes.
add_custom_target(tests_numbers)
add_custom_target(tests_other)
add_custom_target(tests_threads)
add_custom_target(tests_all DEPENDS tests_numbers tests_other)
if(TARGET megalith)
    add_dependencies(tests_numbers megalith)
    add_dependencies(tests_other megalith)
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/test_paths.cpp.in" "${PROJECT_BINARY_DIR}/test_paths.cpp" @ONLY)

# What is tested is in the libraries: the tests' own code is neither optimised nor, for ASan, instrumented, which halves
# the time they take to compile. ThreadSanitizer has to see every access.
function(megalith_test_code target)
    megalith_warnings(${target})
    target_compile_options(${target} PRIVATE -O0)
    if(MEGALITH_SANITIZE MATCHES "address")
        target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
endfunction()

# megalith_test_base(name lib [header...]): what the tests of a library link, with the headers that most of them read.
function(megalith_test_base name lib)
    add_library(${name} STATIC "${PROJECT_BINARY_DIR}/test_paths.cpp")
    megalith_test_code(${name})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${lib} Qt6::Test)
    target_precompile_headers(${name} PRIVATE ${ARGN} <QTemporaryDir> <QTest> <QtTest>)
endfunction()
megalith_test_base(megalith_test_engine megalith_engine
    <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility>
    <vector> <fmt/format.h>
    "${PROJECT_SOURCE_DIR}/engine/core/error.h" "${PROJECT_SOURCE_DIR}/engine/core/tensor.h"
    "${PROJECT_SOURCE_DIR}/engine/core/value.h")
megalith_test_base(megalith_test_widgets megalith_widgets
    ${MEGALITH_QT_HEADERS} "${PROJECT_SOURCE_DIR}/engine/graph/document.h")

set(MEGALITH_TEST_ENVIRONMENT
    QT_QPA_PLATFORM=offscreen
    QTEST_FUNCTION_TIMEOUT=900000  # milliseconds; ctest's own limit is the shorter one
    LC_ALL=C.UTF-8
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/packaging/sanitizers/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/packaging/sanitizers/tsan.supp")
if(MEGALITH_SANITIZE MATCHES "thread")
    # libgomp is not built for ThreadSanitizer: with more than one thread it gives false races.
    list(APPEND MEGALITH_TEST_ENVIRONMENT OMP_NUM_THREADS=1)
endif()

function(megalith_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;LABELS;LIBS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "megalith_test: NAME and SOURCES are needed; not understood: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()

    if(arg_LIBS)
        set(base megalith_test_widgets)
    else()
        set(base megalith_test_engine)
    endif()

    # moc is called for the one file that includes what it writes; CMake's own AUTOMOC costs seconds for each test.
    list(GET arg_SOURCES 0 source)
    set(moc "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.moc")
    qt_generate_moc("${source}" "${moc}" TARGET ${arg_NAME})
    add_executable(${arg_NAME} ${arg_SOURCES} "${moc}")
    target_include_directories(${arg_NAME} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
    set_target_properties(${arg_NAME} PROPERTIES UNITY_BUILD OFF)
    megalith_test_code(${arg_NAME})
    target_link_libraries(${arg_NAME} PRIVATE ${base} ${arg_LIBS})
    target_precompile_headers(${arg_NAME} REUSE_FROM ${base})

    if("numbers" IN_LIST arg_LABELS)
        add_dependencies(tests_numbers ${arg_NAME})
    else()
        add_dependencies(tests_other ${arg_NAME})
    endif()
    if("threads" IN_LIST arg_LABELS)
        add_dependencies(tests_threads ${arg_NAME})
    endif()

    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES
        LABELS "${folder};${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "${MEGALITH_TEST_ENVIRONMENT}")
endfunction()
