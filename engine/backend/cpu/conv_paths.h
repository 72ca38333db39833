// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu/conv.h"

// The ways in which conv.cpp can have a convolution computed. None of them is given an empty size.
namespace megalith::cpu {

// As matrix products over copied windows (im2col). Works for everything.
template<typename T>
void columnsForward(CpuContext&, const Conv2dShape&, const T* x, const T* weight, const T* bias, T* y);
template<typename T>
void columnsBackwardInput(CpuContext&, const Conv2dShape&, const T* dy, const T* weight, T* dx);
template<typename T>
void columnsBackwardWeight(CpuContext&, const Conv2dShape&, const T* x, const T* dy, T* dweight);

// By oneDNN. False: it is not there or has nothing but its reference code for this shape, and nothing was written.
bool dnnForward(CpuContext&, const Conv2dShape&, const float* x, const float* weight, const float* bias, float* y);
bool dnnBackwardInput(CpuContext&, const Conv2dShape&, const float* dy, const float* weight, float* dx);
bool dnnBackwardWeight(CpuContext&, const Conv2dShape&, const float* x, const float* dy, float* dweight);

}  // namespace megalith::cpu
