// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace megalith::nn {

// The orthonormal columns of a tall matrix (rows >= columns, row-major), signs such that R has a positive diagonal: uniform over
// orthogonal matrices when the elements are normal (Mezzadri 2007; torch.nn.init.orthogonal_).
std::vector<double> orthonormalColumns(const std::vector<double>& matrix, std::int64_t rows, std::int64_t columns);

}  // namespace megalith::nn
