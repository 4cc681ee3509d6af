// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

TEST(Npy, EveryFormatAndRankComesBack) {
    for (std::size_t f = 0; f < format_names.size(); ++f)
        for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{1, 2, 3}}) {
            Tensor t(static_cast<Format>(f), shape);
            for (std::size_t k = 0; k < t.data.size(); ++k) t.data[k] = static_cast<std::uint8_t>(k * 37);
            const std::string file = write_npy(t);
            EXPECT_EQ((file.size() - t.data.size()) % 64, 0U);
            const auto back = read_npy(file, t.format);
            ASSERT_TRUE(back) << message(back.rejection());
            EXPECT_EQ(*back, t);
        }
}

/// What NumPy 1.24 writes for numpy.array([[1, 2]], dtype='<f4').
TEST(Npy, IsTheFormThatNumpyWrites) {
    std::string numpy("\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
                      68);
    numpy.append(59, ' ');
    numpy += '\n';
    numpy += std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);
    const auto t = read_npy(numpy, Format::f32);
    ASSERT_TRUE(t) << message(t.rejection());
    EXPECT_EQ(t->shape, (Shape{1, 2}));
    EXPECT_EQ((*t)[1], 0x40000000U);
}

TEST(Npy, SaysWhatIsWrong) {
    const std::string good = write_npy(Tensor(Format::f32, {2}));
    const auto field = [](const std::string& file, Format f = Format::f32) {
        const auto t = read_npy(file, f);
        return t ? std::string("none") : t.rejection().field;
    };
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string s = good;
        return s.replace(s.find(from), from.size(), to);
    };
    EXPECT_EQ(field(good), "none");
    EXPECT_EQ(field(""), "npy.magic");
    EXPECT_EQ(field(good.substr(0, 40)), "npy.header");
    EXPECT_EQ(field(good.substr(0, good.size() - 1)), "npy.data");
    EXPECT_EQ(field(good, Format::f64), "npy.descr");
    EXPECT_EQ(field(with("<f4", ">f4")), "npy.descr");
    EXPECT_EQ(field(with("False", "True ")), "npy.fortran_order");
    EXPECT_EQ(field(with("(2,)", "(x,)")), "npy.shape");
}

}  // namespace
}  // namespace poolproof
