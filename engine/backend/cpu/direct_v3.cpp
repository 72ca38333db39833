// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for x86-64-v3; only isa() decides whether it runs.
#define MEGALITH_ISA isa_v3
#include "engine/backend/cpu/direct_kernels.inl"
