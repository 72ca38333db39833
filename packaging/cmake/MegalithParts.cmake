# SPDX-License-Identifier: GPL-3.0-or-later
# While folders are still arriving: takes every subfolder that has a CMakeLists.txt, and a source in the folder's own
# sources.cmake (a target_sources call); a library without sources gets an empty one.
function(megalith_add_parts target)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/sources.cmake")
        include("${CMAKE_CURRENT_SOURCE_DIR}/sources.cmake")
    endif()
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
    foreach(part IN LISTS parts)
        get_filename_component(part "${part}" DIRECTORY)
        add_subdirectory("${part}")
    endforeach()
    megalith_ensure_sources(${target})
endfunction()

function(megalith_ensure_sources target)
    get_target_property(sources ${target} SOURCES)
    if(NOT sources)
        set(empty "${CMAKE_CURRENT_BINARY_DIR}/${target}_empty.cpp")
        file(CONFIGURE OUTPUT "${empty}" CONTENT "// Nothing here yet.\n")
        target_sources(${target} PRIVATE "${empty}")
    endif()
endfunction()
