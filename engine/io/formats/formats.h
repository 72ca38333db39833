// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/io/weights_format.h"

namespace megalith::io {

// One function for each format, each in its own file; weightsFormats() is their list.
WeightsFormat megaFormat();

}  // namespace megalith::io
