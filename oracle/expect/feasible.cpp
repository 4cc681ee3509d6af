// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/feasible.hpp"

#include <optional>

namespace poolproof {

namespace {

/// A tableau in which every row is an equation with a basic variable of its own; the last column is the
/// right-hand side.
class Tableau {
public:
    Tableau(std::size_t variables, const std::vector<Constraint>& constraints) {
        // Each constraint gives  a x + s = greatest  and  a x - t = least,  with s and t not negative.
        const std::size_t rows = 2 * constraints.size();
        columns_ = variables + rows;
        for (std::size_t k = 0; k < constraints.size(); ++k) {
            add_row(constraints[k].coefficients, constraints[k].greatest, variables + 2 * k, 1);
            add_row(constraints[k].coefficients, constraints[k].least, variables + 2 * k + 1, -1);
        }
        for (std::size_t r = 0; r < rows; ++r) basis_.push_back(columns_ + r);  // the artificial variables
    }

    bool minimise_artificials() {
        while (const auto entering = improving_column()) {
            const auto leaving = blocking_row(*entering);
            if (!leaving) return false;
            pivot(*leaving, *entering);
        }
        for (std::size_t r = 0; r < rows_.size(); ++r)
            if (basis_[r] >= columns_ && !rows_[r].back().is_zero()) return false;
        return true;
    }

private:
    void add_row(const std::vector<Rational>& coefficients, const Rational& right, std::size_t slack,
                 int slack_sign) {
        std::vector<Rational> row(columns_ + 1, Rational(0));
        for (std::size_t k = 0; k < coefficients.size(); ++k) row[k] = coefficients[k];
        row[slack] = slack_sign;
        row.back() = right;
        if (sign(right) < 0)
            for (Rational& x : row) x = -x;
        rows_.push_back(std::move(row));
    }

    /// The first column that lowers the sum of the artificial variables.
    std::optional<std::size_t> improving_column() const {
        for (std::size_t c = 0; c < columns_; ++c) {
            Rational gain = 0;
            for (std::size_t r = 0; r < rows_.size(); ++r)
                if (basis_[r] >= columns_) gain += rows_[r][c];
            if (sign(gain) > 0) return c;
        }
        return std::nullopt;
    }

    std::optional<std::size_t> blocking_row(std::size_t column) const {
        std::optional<std::size_t> best;
        Rational least;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (sign(rows_[r][column]) <= 0) continue;
            const Rational ratio = rows_[r].back() / rows_[r][column];
            if (!best || ratio < least || (ratio == least && basis_[r] < basis_[*best])) {
                best = r;
                least = ratio;
            }
        }
        return best;
    }

    void pivot(std::size_t row, std::size_t column) {
        const Rational by = rows_[row][column];
        for (Rational& x : rows_[row]) x /= by;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (r == row || rows_[r][column].is_zero()) continue;
            const Rational times = rows_[r][column];
            for (std::size_t c = 0; c <= columns_; ++c)
                if (!rows_[row][c].is_zero()) rows_[r][c] -= times * rows_[row][c];
        }
        basis_[row] = column;
    }

    std::size_t columns_ = 0;
    std::vector<std::vector<Rational>> rows_;
    std::vector<std::size_t> basis_;
};

}  // namespace

bool feasible(std::size_t variables, const std::vector<Constraint>& constraints) {
    return Tableau(variables, constraints).minimise_artificials();
}

}  // namespace poolproof
