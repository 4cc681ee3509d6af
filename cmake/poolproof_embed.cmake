# SPDX-License-Identifier: Apache-2.0
# Puts the files that are data (profiles, the clauses of SPEC.md) into the program, so that it runs from anywhere.

# Writes `OUTPUT` as C++ that defines `poolproof::VARIABLE`, an array of {name, text} of the given files.
function(poolproof_embed output variable)
    set(body "")
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME_WE)
        file(READ ${file} text)
        # A string literal may hold 64 KiB; longer texts are concatenated in pieces.
        string(LENGTH "${text}" length)
        set(pieces "")
        set(at 0)
        while(at LESS length)
            string(SUBSTRING "${text}" ${at} 8000 piece)
            string(APPEND pieces "R\"~~(${piece})~~\"\n")
            math(EXPR at "${at} + 8000")
        endwhile()
        string(APPEND body "    {\"${name}\", ${pieces}},\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    endforeach()
    file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
         "#include <string_view>\n#include <utility>\n#include <vector>\nnamespace poolproof {\nextern const std::vector<std::pair<std::string_view, std::string_view>> ${variable};\nconst std::vector<std::pair<std::string_view, std::string_view>> ${variable}{\n@body@};\n}\n")
endfunction()

function(poolproof_embed_profiles output)
    file(GLOB profiles CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/profiles/*.json)
    poolproof_embed(${output} profile_texts ${profiles})
endfunction()

function(poolproof_embed_clauses output)
    poolproof_embed(${output} clause_texts ${CMAKE_CURRENT_SOURCE_DIR}/docs/SPEC.md)
endfunction()
