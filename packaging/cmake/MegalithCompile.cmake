# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler flags, each in one place.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(MEGALITH_CCACHE ccache)
    mark_as_advanced(MEGALITH_CCACHE)
    if(MEGALITH_CCACHE)
        # Paths below the base are hashed as relative ones: a second checkout finds what the first one compiled.
        # Without the sloppiness no file that uses a precompiled header is cached.
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
            CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros "${MEGALITH_CCACHE}")
    endif()
endif()

if(MEGALITH_SANITIZE)
    # A finding ends the program, so that the test that met it fails.
    add_compile_options(-fsanitize=${MEGALITH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${MEGALITH_SANITIZE})
    if(MEGALITH_SANITIZE MATCHES "undefined")
        # Half of the time to compile, and what they find ends in a crash that ASan reports too.
        add_compile_options(-fno-sanitize=null,alignment,vptr,object-size,pointer-overflow)
    endif()
endif()

# Warnings for our own code; headers of libraries are SYSTEM, so they are left out.
# megalith_warnings(target [extra flags...])
function(megalith_warnings target)
    # g++ 12 takes the literal in "text" + std::string for one that overlaps itself (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-restrict ${ARGN})
    if(MEGALITH_WERROR)
        # What follows the flow of values depends on the optimiser and has false findings in g++ 12: seen, but no error.
        target_compile_options(${target} PRIVATE -Werror -Wno-error=array-bounds -Wno-error=stringop-overflow
            -Wno-error=stringop-overread -Wno-error=uninitialized -Wno-error=maybe-uninitialized)
    endif()
endfunction()

# What most files with Qt include, read once.
set(MEGALITH_QT_HEADERS
    <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility> <vector>
    <fmt/format.h>
    <QAbstractTableModel> <QApplication> <QCheckBox> <QComboBox> <QGraphicsItem> <QGraphicsScene> <QGraphicsView> <QGridLayout>
    <QHeaderView> <QKeyEvent> <QLabel> <QLineEdit> <QMainWindow> <QMenu> <QPainter> <QPushButton> <QScrollBar> <QSettings>
    <QSpinBox> <QStyledItemDelegate> <QTimer> <QToolButton> <QTreeView> <QVBoxLayout>)
