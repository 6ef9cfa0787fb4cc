/* The coarse match of candidates with what all codes have in common. */
#include "native.h"

/* The image around each candidate: patches, count x side x side. to_px: count x 2 x 3, from half samples to pixels. Each
 * sample is the mean of four points. side: at most MAX_PATCH_SIDE. */
VECTORIZED
void tk_rectify_patches(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const float *to_px, int count,
                        int side, float *patches)
{
    image gray = {pixels, stride, height, width};
    float x[4 * MAX_PATCH_SIDE], y[4 * MAX_PATCH_SIDE], points[4 * MAX_PATCH_SIDE];
    for (int n = 0; n < count; n++, to_px += 6)
        for (int row = 0; row < side; row++, patches += side) {
            for (int quarter = 0; quarter < 4; quarter++) {
                float v = (float)(2 * row + quarter / 2);
                for (int k = 0; k < side; k++) {
                    float u = (float)(2 * k + quarter % 2);
                    x[quarter * side + k] = to_px[0] * u + to_px[1] * v + to_px[2];
                    y[quarter * side + k] = to_px[3] * u + to_px[4] * v + to_px[5];
                }
            }
            sample_points(gray, 4 * side, x, y, points);
            for (int k = 0; k < side; k++)
                patches[k] = (points[k] + points[side + k] + points[2 * side + k] + points[3 * side + k]) / 4;
        }
}

/* patches: count x side x side, side at least 7. sums: count x 2. */
VECTORIZED
void tk_sum_edge_directions(const float *restrict patches, int count, int side, float *restrict sums)
{
    for (int n = 0; n < count; n++, patches += side * side, sums += 2) {
        float cosine = 0, sine = 0;
        for (int y = 3; y < side - 3; y++) {
            const float *above = patches + (y - 1) * side, *here = above + side, *below = here + side;
#pragma omp simd reduction(+ : cosine, sine)
            for (int x = 3; x < side - 3; x++) {
                float dx = above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) + below[x + 1] - below[x - 1];
                float dy = below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) + below[x + 1] - above[x + 1];
                float cos2 = dx * dx - dy * dy, sin2 = 2 * dx * dy, energy = dx * dx + dy * dy;
                energy = energy > 1e-3f ? energy : 1e-3f;
                cosine += (cos2 * cos2 - sin2 * sin2) / energy;
                sine += 2 * cos2 * sin2 / energy;
            }
        }
        sums[0] = cosine, sums[1] = sine;
    }
}

typedef float lanes __attribute__((vector_size(4 * LANES)));

/* The products of a row of positions in a patch with six templates. The patch begins where the templates lie at the first
 * position. is_wide: whether the row has more than LANES positions, and at most twice as many. products: of six
 * templates, `step` numbers apart. */
HELPER void correlate_row(const float *restrict patch, int side, int template, const float *restrict templates,
                          int is_wide, float *restrict products, int step)
{
    lanes a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, left;
    lanes a2 = {0}, b2 = {0}, c2 = {0}, d2 = {0}, e2 = {0}, f2 = {0}, right = {0};
    int size = template * template;
    for (int y = 0; y < template; y++)
        for (int x = 0; x < template; x++, templates++) {
            memcpy(&left, patch + y * side + x, sizeof left);
            if (is_wide)
                memcpy(&right, patch + y * side + x + LANES, sizeof right);
            a += left * templates[0];
            a2 += right * templates[0];
            b += left * templates[size];
            b2 += right * templates[size];
            c += left * templates[2 * size];
            c2 += right * templates[2 * size];
            d += left * templates[3 * size];
            d2 += right * templates[3 * size];
            e += left * templates[4 * size];
            e2 += right * templates[4 * size];
            f += left * templates[5 * size];
            f2 += right * templates[5 * size];
        }
    memcpy(products, &a, sizeof a);
    memcpy(products + step, &b, sizeof b);
    memcpy(products + 2 * step, &c, sizeof c);
    memcpy(products + 3 * step, &d, sizeof d);
    memcpy(products + 4 * step, &e, sizeof e);
    memcpy(products + 5 * step, &f, sizeof f);
    if (is_wide) {
        memcpy(products + LANES, &a2, sizeof a2);
        memcpy(products + step + LANES, &b2, sizeof b2);
        memcpy(products + 2 * step + LANES, &c2, sizeof c2);
        memcpy(products + 3 * step + LANES, &d2, sizeof d2);
        memcpy(products + 4 * step + LANES, &e2, sizeof e2);
        memcpy(products + 5 * step + LANES, &f2, sizeof f2);
    }
}

/* The products of every position in a patch with all templates, whose number is a multiple of six. products: templates x
 * positions x width, where the width is LANES or twice as many. */
HELPER void correlate(const float *restrict patch, int side, int template, const float *restrict templates, int count,
                      float *restrict products)
{
    int positions = side - template + 1, width = positions > LANES ? 2 * LANES : LANES;
    for (int t = 0; t < count; t += 6)
        for (int row = 0; row < positions; row++) {
            const float *start = patch + row * side, *first = templates + t * template * template;
            float *target = products + (t * positions + row) * width;
            if (positions > LANES)
                correlate_row(start, side, template, first, 1, target, positions * width);
            else
                correlate_row(start, side, template, first, 0, target, positions * width);
        }
}

/* The sums of the squares of the samples under a template, at every position of the template in a patch: positions x
 * width. */
HELPER void window_energies(const float *restrict patch, int side, int template, int width, float *restrict energies)
{
    int positions = side - template + 1;
    for (int row = 0; row < positions; row++, energies += width) {
        float sums[MAX_PATCH_SIDE] = {0};
        for (int y = row; y < row + template; y++)
            for (int k = 0; k < side; k++)
                sums[k] += patch[y * side + k] * patch[y * side + k];
        for (int k = 0; k < width; k++)
            energies[k] = 0;
        for (int x = 0; x < template; x++)
            for (int k = 0; k < positions; k++)
                energies[k] += sums[k + x];
    }
}

/* Subtracts from the energies what the shading has of them: the squares of the products with polynomials of up to the
 * second order, which form an orthonormal basis. They are products of a polynomial across and one down, so filtering first
 * along rows and then along columns is much faster. axis: the three polynomials along an axis, 3 x template. */
HELPER void subtract_shading(const float *restrict patch, int side, int template, int width,
                             const float *restrict axis, float *restrict energies)
{
    float rows[3 * MAX_PATCH_SIDE * 2 * LANES];
    int positions = side - template + 1, step = side * width;
    const float *axis1 = axis + template, *axis2 = axis1 + template;
    for (int y = 0; y < side; y++)
        for (int k = 0; k < width; k += LANES) {
            lanes zero = {0}, one = {0}, two = {0}, values;
            for (int x = 0; x < template; x++) {
                memcpy(&values, patch + y * side + k + x, sizeof values);
                zero += values * axis[x];
                one += values * axis1[x];
                two += values * axis2[x];
            }
            memcpy(rows + y * width + k, &zero, sizeof zero);
            memcpy(rows + step + y * width + k, &one, sizeof one);
            memcpy(rows + 2 * step + y * width + k, &two, sizeof two);
        }
    for (int row = 0; row < positions; row++)
        for (int k = 0; k < width; k += LANES) {
            lanes a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, zero, one, two, energy;
            for (int y = 0; y < template; y++) {
                memcpy(&zero, rows + (row + y) * width + k, sizeof zero);
                memcpy(&one, rows + step + (row + y) * width + k, sizeof one);
                memcpy(&two, rows + 2 * step + (row + y) * width + k, sizeof two);
                a += zero * axis[y];
                b += one * axis[y];
                c += zero * axis1[y];
                d += one * axis1[y];
                e += two * axis[y];
                f += zero * axis2[y];
            }
            memcpy(&energy, energies + row * width + k, sizeof energy);
            energy -= a * a + b * b + c * c + d * d + e * e + f * f;
            memcpy(energies + row * width + k, &energy, sizeof energy);
        }
}

/* The best product of each position with the templates of a quarter turn, and the index of this template. */
HELPER void best_templates(const float *restrict products, int templates, int area, float *restrict best,
                           int *restrict which)
{
    for (int k = 0; k < area; k++) {
        best[k] = products[k];
        which[k] = 0;
    }
    for (int t = 1; t < templates; t++)
        for (int k = 0; k < area; k++) {
            float product = products[t * area + k];
            which[k] = product > best[k] ? t : which[k];
            best[k] = product > best[k] ? product : best[k];
        }
}

/* Whether none of the eight neighbors of a position exceeds it. scores: positions x width. */
HELPER int is_local_maximum(const float *scores, int positions, int width, int row, int column)
{
    float score = scores[row * width + column];
    for (int y = row > 0 ? row - 1 : 0; y <= row + 1 && y < positions; y++)
        for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < positions; x++)
            if (scores[y * width + x] > score)
                return 0;
    return 1;
}

/* The scores of the best template of each quarter turn, at every position in a patch: quarters x positions x width.
 * choices: the index of this template, likewise. products: see correlate. norms: first the energies, positions x width. */
HELPER void score_positions(const float *restrict products, int quarters, int templates, int area, float noise,
                            float *restrict norms, float *restrict scores, int *restrict choices)
{
    for (int k = 0; k < area; k++)
        norms[k] = 1 / (sqrtf(norms[k] > 0 ? norms[k] : 0) + noise);
    for (int quarter = 0; quarter < quarters; quarter++, products += templates * area) {
        best_templates(products, templates, area, scores + quarter * area, choices + quarter * area);
        for (int k = 0; k < area; k++)
            scores[quarter * area + k] *= norms[k];
    }
}

/* Finds the best poses of each candidate. patches: count x side x side; there are at most twice LANES positions of a
 * template in a row. templates: bins x (quarters * per_quarter + SHADING_TERMS) x template², of which the shading terms
 * are not used. axis: see subtract_shading. bins: count. scratch: (quarters * (per_quarter + 1) + 1) x positions x 16
 * numbers. choices: quarters x positions x 16. peaks: room for count * max_peaks rows of five numbers: candidate, quarter
 * turn, row, column and template. Returns the number of rows. */
VECTORIZED
int tk_find_coarse_peaks(const float *patches, int count, int side, const float *templates, const float *axis,
                         const int64_t *bins, int template, int quarters, int per_quarter, float noise,
                         float min_correlation, float min_ratio, int max_peaks, float *scratch, int *choices,
                         int *peaks)
{
    int positions = side - template + 1, width = positions > LANES ? 2 * LANES : LANES, area = positions * width;
    int all = quarters * per_quarter, rows = 0;
    float *norms = scratch + all * area, *scores = norms + area, patch[MAX_PATCH_SIDE * MAX_PATCH_SIDE + 2 * LANES];
    memset(patch, 0, sizeof patch);
    for (int n = 0; n < count; n++) {
        memcpy(patch, patches + n * side * side, (size_t)(side * side) * sizeof(float));
        correlate(patch, side, template,
                  templates + (size_t)bins[n] * (size_t)((all + SHADING_TERMS) * template * template), all, scratch);
        window_energies(patch, side, template, width, norms);
        subtract_shading(patch, side, template, width, axis, norms);
        score_positions(scratch, quarters, per_quarter, area, noise, norms, scores, choices);
        float threshold = min_correlation;
        for (int k = 0; k < quarters * area; k++)
            if (k % width < positions && min_ratio * scores[k] > threshold)
                threshold = min_ratio * scores[k];
        int first = rows, found = 0;
        for (int k = 0; k < quarters * area; k++) {
            int quarter = k / area, row = k % area / width, column = k % width;
            if (column >= positions || scores[k] < threshold ||
                !is_local_maximum(scores + quarter * area, positions, width, row, column))
                continue;
            int place = found;
            while (place > 0) {
                const int *before = peaks + 5 * (first + place - 1);
                if (scores[before[1] * area + before[2] * width + before[3]] >= scores[k])
                    break;
                place--;
            }
            if (place == max_peaks)
                continue;
            found = found < max_peaks ? found + 1 : max_peaks;
            int *peak = peaks + 5 * (first + place);
            memmove(peak + 5, peak, (size_t)(found - place - 1) * 5 * sizeof(int));
            peak[0] = n, peak[1] = quarter, peak[2] = row, peak[3] = column, peak[4] = choices[k];
        }
        rows += found;
    }
    return rows;
}
