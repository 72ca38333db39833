// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/orthogonal.h"

#include <Eigen/QR>

namespace megalith::nn {

std::vector<double> orthonormalColumns(const std::vector<double>& matrix, std::int64_t rows, std::int64_t columns)
{
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::MatrixXd a = Eigen::Map<const Matrix>(matrix.data(), rows, columns);
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(a);
    Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(rows, columns);
    for (Eigen::Index i = 0; i < columns; ++i)
        if (qr.matrixQR()(i, i) < 0.0)
            q.col(i) = -q.col(i);
    std::vector<double> out(matrix.size());
    Eigen::Map<Matrix>(out.data(), rows, columns) = q;
    return out;
}

}  // namespace megalith::nn
