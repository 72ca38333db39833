// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// MEGALITH_MULTIVERSION before a function compiles it for several instruction sets; the best for this CPU is chosen when
// the program starts. What is inlined into the function takes part; what it calls does not, and neither does the body of
// an OpenMP region inside it (the compiler cuts that out first): call such a function from within the region. Put it on
// plain functions, not on templates or members; a template that it calls can be forced inline with MEGALITH_INLINE.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) \
    && !defined(__SANITIZE_ADDRESS__)
#define MEGALITH_MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define MEGALITH_MULTIVERSION
#endif

#if defined(__GNUC__)
#define MEGALITH_INLINE inline __attribute__((always_inline))
#else
#define MEGALITH_INLINE inline
#endif
