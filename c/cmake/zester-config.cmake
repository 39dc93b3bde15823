# The CMake package zester. It has two targets:
#
#   zester::zester  the library, for a harness that calls zester_decode
#   zester::wrap    the library and the flags of the linker that wrap a harness, which stays as it is
#
# For example:
#
#   find_package(zester REQUIRED)
#   add_executable(target harness.c grammar.c)
#   target_compile_options(target PRIVATE -fsanitize=fuzzer,address)
#   target_link_options(target PRIVATE -fsanitize=fuzzer,address)
#   target_link_libraries(target PRIVATE zester::zester)

cmake_minimum_required(VERSION 3.13)

if(NOT TARGET zester::zester)
  # This file is in PREFIX/lib/cmake/zester.
  get_filename_component(_zester_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(zester::zester STATIC IMPORTED)
  set_target_properties(zester::zester PROPERTIES
    IMPORTED_LOCATION "${_zester_prefix}/lib/libzester.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_zester_prefix}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m;gcc_s")
  add_library(zester::wrap INTERFACE IMPORTED)
  set_target_properties(zester::wrap PROPERTIES
    INTERFACE_LINK_LIBRARIES zester::zester
    INTERFACE_LINK_OPTIONS "LINKER:--wrap=LLVMFuzzerTestOneInput;LINKER:--wrap=LLVMFuzzerInitialize")
  unset(_zester_prefix)
endif()
