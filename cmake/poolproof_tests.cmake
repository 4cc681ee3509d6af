# SPDX-License-Identifier: Apache-2.0
# One test program per folder. Labels: `fast` for the unit tests, `laws` for the properties at their default size.
find_package(GTest REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)

function(poolproof_test name label)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_include_directories(${name} SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE poolproof poolproof_warnings ${RAPIDCHECK_LIBRARY} GTest::gtest_main
                          ${MPFR_LIBRARY} ${GMP_LIBRARY})
    gtest_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT 300
                         ENVIRONMENT "RC_PARAMS=seed=20260101" DISCOVERY_TIMEOUT 60)
endfunction()

include(GoogleTest)
foreach(folder text protocol plan oracle verdict cli generate reference backends run search laws vectorbase bench)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/tests/*.cpp)
    if(sources)
        poolproof_test(${folder}_tests fast ${sources})
    endif()
endforeach()

# A program in C99, to which the C header must be plain.
if(TARGET reference_tests)
    target_sources(reference_tests PRIVATE reference/tests/c_interface.c)
    set_target_properties(reference_tests PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
endif()
if(TARGET bench_tests)
    target_link_libraries(bench_tests PRIVATE poolproof_rows)
endif()

# Runs the program itself.
if(TARGET cli_tests)
    target_compile_definitions(cli_tests PRIVATE POOLPROOF_PROGRAM="$<TARGET_FILE:poolproof_cli>")
    add_dependencies(cli_tests poolproof_cli)
endif()

# Loads the plugins, through the host that stands beside the test program.
if(TARGET backends_tests)
    target_compile_definitions(backends_tests PRIVATE POOLPROOF_PLUGINS="$<TARGET_FILE_DIR:poolproof_example>")
    add_dependencies(backends_tests poolproof_example poolproof_misbehaves poolproof_host)
endif()

# What a user of the library writes.
poolproof_test(examples_gtest fast examples/gtest/pooling_test.cpp)

file(GLOB law_sources CONFIGURE_DEPENDS properties/*.cpp)
if(law_sources)
    poolproof_test(laws laws ${law_sources})
endif()

# The oracle against an evaluator that shares no code with it.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
add_test(NAME second_source
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/properties/second_source/compare.py
                 --poolproof $<TARGET_FILE:poolproof_cli> --seed 1 --count 4000)
set_tests_properties(second_source PROPERTIES LABELS laws TIMEOUT 300)

# The vectors and all who use them; what needs a package that is not there is skipped, and `ci/vectors --all` skips none.
add_test(NAME vectors COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/vectors)
set_tests_properties(vectors PROPERTIES LABELS fast TIMEOUT 300
                     ENVIRONMENT "POOLPROOF_PROGRAM=$<TARGET_FILE:poolproof_cli>")

# The adapters, each file of tests by itself. Tests whose packages are missing are skipped; `ci/adapters` skips none.
file(GLOB adapter_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/adapters/tests/*_test.py)
foreach(path IN LISTS adapter_tests)
    cmake_path(GET path STEM name)
    add_test(NAME adapters.${name}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/adapters/tests/run.py ${name})
    set_tests_properties(adapters.${name} PROPERTIES LABELS "fast;backend:python" TIMEOUT 600
                         ENVIRONMENT "POOLPROOF_PROGRAM=$<TARGET_FILE:poolproof_cli>")
endforeach()
