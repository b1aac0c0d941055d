// Lane maps of ops that move lanes, against what the coordinates of each lane say.
#include "ir/movement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/typing.h"

namespace mytriton {
namespace {

using Shape = std::vector<int64_t>;

constexpr int kPrograms = 3000;
constexpr int64_t kSizes[] = {1, 1, 2, 2, 3, 4, 5, 8, 16, 17, 32, 64};

Type block(const Shape& shape) {
    return Type::scalar(Scalar::i32).with_shape(shape);
}

Shape coordinates(const Shape& shape, int64_t lane) {
    Shape at(shape.size());
    for (size_t i = shape.size(); i-- > 0; lane /= shape[i]) at[i] = lane % shape[i];
    return at;
}

int64_t lane_of(const Shape& shape, const Shape& at) {
    int64_t lane = 0;
    for (size_t i = 0; i < shape.size(); ++i) lane = lane * shape[i] + at[i];
    return lane;
}

std::string text(const Shape& shape) {
    return block(shape).str();
}

class MovementTest : public testing::Test {
  protected:
    std::mt19937 random_{1};

    int64_t below(int64_t count) { return static_cast<int64_t>(random_() % count); }

    Shape shape() {
        while (true) {
            Shape sizes(1 + below(kMaxRank));
            for (int64_t& size : sizes) size = kSizes[below(std::size(kSizes))];
            if (block(sizes).lanes() <= 4096) return sizes;
        }
    }

    Shape order(size_t rank) {
        Shape axes(rank);
        for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int64_t>(i);
        std::ranges::shuffle(axes, random_);
        return axes;
    }

    // The lane that each lane of the result comes from, by `expected`. What is said of whole runs
    // of lanes must hold; that it is said is tested below.
    void check(const LaneMap& map, int64_t lanes, const std::string& what, auto expected) {
        for (int64_t lane = 0; lane < lanes; ++lane)
            ASSERT_EQ(map.source(lane), expected(lane)) << what << ", lane " << lane;
        for (int64_t count : {1, 4, 8, 16}) {
            bool uniform = true, consecutive = true;
            for (int64_t lane = 0; lane < lanes; ++lane) {
                int64_t first = lane / count * count;
                uniform &= map.source(lane) == map.source(first);
                consecutive &= map.source(lane) == map.source(first) + lane - first;
            }
            if (map.is_uniform(count)) {
                EXPECT_TRUE(uniform) << what << ", runs of " << count;
            }
            if (map.is_consecutive(count)) {
                EXPECT_TRUE(consecutive) << what << ", runs of " << count;
            }
        }
    }
};

TEST_F(MovementTest, BroadcastRepeatsAxes) {
    for (int i = 0; i < kPrograms; ++i) {
        Shape to = shape(), from = to;
        for (int64_t& size : from)
            if (below(2)) size = 1;
        LaneMap map = lane_map(Op::broadcast, {}, block(from), block(to));
        check(map, block(to).lanes(), text(from) + " to " + text(to), [&](int64_t lane) {
            Shape at = coordinates(to, lane);
            for (size_t axis = 0; axis < at.size(); ++axis)
                if (from[axis] == 1) at[axis] = 0;
            return lane_of(from, at);
        });
    }
}

TEST_F(MovementTest, PermuteExchangesAxes) {
    for (int i = 0; i < kPrograms; ++i) {
        Shape from = shape(), axes = order(from.size());
        Type result = permuted_type(block(from), axes);
        std::vector<Attr> attrs = {{AttrKey::order, pack_order(axes)}};
        LaneMap map = lane_map(Op::permute, attrs, block(from), result);
        std::string what = text(from) + " by " + attr_value(attrs[0]);
        check(map, result.lanes(), what, [&](int64_t lane) {
            Shape to = coordinates(result.shape(), lane), at(to.size());
            for (size_t axis = 0; axis < to.size(); ++axis) at[axes[axis]] = to[axis];
            return lane_of(from, at);
        });
    }
}

TEST_F(MovementTest, ReshapeKeepsLanesAndHalfTakesEverySecond) {
    for (int i = 0; i < 200; ++i) {
        Shape from = shape();
        int64_t lanes = block(from).lanes();
        check(lane_map(Op::reshape, {}, block(from), block({lanes})), lanes, text(from),
              [](int64_t lane) { return lane; });
        Shape pairs = from;
        if (pairs.size() == kMaxRank) continue;
        pairs.push_back(2);
        int64_t index = below(2);
        check(lane_map(Op::half, {{AttrKey::index, index}}, block(pairs), half_type(block(pairs))),
              lanes, text(pairs), [&](int64_t lane) { return 2 * lane + index; });
    }
}

TEST_F(MovementTest, WholeVectorsAreSeen) {
    auto broadcast = [](const Shape& from, const Shape& to) {
        return lane_map(Op::broadcast, {}, block(from), block(to));
    };
    EXPECT_TRUE(broadcast({4, 1}, {4, 16}).is_uniform(16));
    EXPECT_TRUE(broadcast({1, 1}, {3, 5}).is_uniform(16));
    EXPECT_FALSE(broadcast({4, 1}, {4, 24}).is_uniform(16));
    EXPECT_TRUE(broadcast({1, 32}, {4, 32}).is_consecutive(16));
    EXPECT_TRUE(broadcast({3, 1, 16}, {3, 2, 16}).is_consecutive(16));
    EXPECT_FALSE(broadcast({1, 24}, {4, 24}).is_consecutive(16));
    auto permute = [](const Shape& from, const Shape& axes) {
        return lane_map(Op::permute, {{AttrKey::order, pack_order(axes)}}, block(from),
                        permuted_type(block(from), axes));
    };
    EXPECT_TRUE(permute({4, 3, 16}, {1, 0, 2}).is_consecutive(16));
    EXPECT_TRUE(permute({1, 64}, {1, 0}).is_consecutive(16));
    EXPECT_FALSE(permute({16, 16}, {1, 0}).is_consecutive(16));
    EXPECT_FALSE(permute({16, 16}, {1, 0}).is_uniform(16));
}

// A term for each run of axes that move together.
TEST_F(MovementTest, AxesThatStayTogetherAreOneTerm) {
    auto terms = [](const Shape& from, const Shape& axes) {
        return lane_map(Op::permute, {{AttrKey::order, pack_order(axes)}}, block(from),
                        permuted_type(block(from), axes))
            .terms;
    };
    EXPECT_EQ(terms({2, 3, 4, 5}, {0, 1, 2, 3}), (std::vector<LaneMap::Term>{{1, 0, 1}}));
    EXPECT_EQ(terms({2, 3, 4, 5}, {2, 3, 0, 1}),
              (std::vector<LaneMap::Term>{{6, 0, 1}, {1, 6, 20}}));
}

TEST_F(MovementTest, ShapesStretch) {
    EXPECT_EQ(stretched_shape({block({4, 1}), Type::scalar(Scalar::f32), block({8})}),
              (Shape{4, 8}));
    EXPECT_EQ(stretched_shape({Type(), block({1})}), (Shape{1}));
    EXPECT_EQ(stretched_shape({Type::scalar(Scalar::f32)}), Shape{});
    EXPECT_THROW(stretched_shape({block({4, 2}), block({4, 1}), block({3, 2})}), TypingError);
}

}  // namespace
}  // namespace mytriton
