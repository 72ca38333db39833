// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for the instruction set of the whole build.
#define MEGALITH_ISA isa_base
#include "engine/backend/cpu/direct_kernels.inl"
