// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for x86-64-v4; only isa() decides whether it runs.
#define MEGALITH_ISA isa_v4
#include "engine/backend/cpu/direct_kernels.inl"
