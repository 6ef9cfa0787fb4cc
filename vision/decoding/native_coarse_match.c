/* The coarse match of candidates with what all codes have in common. */
#include "native.h"

/* The image around a candidate: side x side samples, each of which is the mean of four points. to_px: 2 x 3, from half
 * samples to pixels. */
HELPER void rectify_patch(image gray, const float *restrict to_px, int side, float *restrict patch)
{
    float x[4 * MAX_PATCH_SIDE], y[4 * MAX_PATCH_SIDE], points[4 * MAX_PATCH_SIDE];
    for (int row = 0; row < side; row++) {
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
            patch[row * side + k] = (points[k] + points[side + k] + points[2 * side + k] + points[3 * side + k]) / 4;
    }
}

/* to_px: count x 2 x 3. patches: count x side x side, side at most MAX_PATCH_SIDE. */
VECTORIZED
void tk_rectify_patches(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const float *to_px, int count,
                        int side, float *patches)
{
    image gray = {pixels, stride, height, width};
    for (int n = 0; n < count; n++)
        rectify_patch(gray, to_px + 6 * n, side, patches + (size_t)n * (size_t)(side * side));
}

/* The sums of the cosines and of the sines of four times the angle of each gradient, weighted by its energy. side: at
 * least 7. */
HELPER void edge_directions(const float *restrict patch, int side, float *restrict sums)
{
    float cosine = 0, sine = 0;
    for (int y = 3; y < side - 3; y++) {
        const float *above = patch + (y - 1) * side, *here = above + side, *below = here + side;
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

/* patches: count x side x side. sums: count x 2. */
VECTORIZED
void tk_sum_edge_directions(const float *patches, int count, int side, float *sums)
{
    for (int n = 0; n < count; n++)
        edge_directions(patches + (size_t)n * (size_t)(side * side), side, sums + 2 * n);
}

typedef float lanes __attribute__((vector_size(4 * LANES)));

/* The products of LANES positions in a row with six pairs of templates, of which one is the other upside down. The patch
 * begins where the templates lie at the first position. Each pair needs only half of the products: those of what is equal in
 * both (even: the sum of a sample and of the one opposite to it), and those of what has another sign (odd: their
 * difference). pairs: half of the samples x 6 x 2. products: of the first templates of the pairs, `step` numbers apart;
 * opposite: of the second ones. */
HELPER void correlate_positions(const float *restrict patch, int side, int template, const float *restrict pairs,
                                float *restrict products, float *restrict opposite, int step)
{
    lanes a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, value, other;
    lanes a2 = {0}, b2 = {0}, c2 = {0}, d2 = {0}, e2 = {0}, f2 = {0};
    int size = (template * template + 1) / 2;
    for (int y = 0, k = 0; k < size; y++)
        for (int x = 0; x < template && k < size; x++, k++, pairs += 12) {
            memcpy(&value, patch + y * side + x, sizeof value);
            memcpy(&other, patch + (template - 1 - y) * side + template - 1 - x, sizeof other);
            lanes sum = value + other, difference = value - other;
            a += sum * pairs[0];
            a2 += difference * pairs[1];
            b += sum * pairs[2];
            b2 += difference * pairs[3];
            c += sum * pairs[4];
            c2 += difference * pairs[5];
            d += sum * pairs[6];
            d2 += difference * pairs[7];
            e += sum * pairs[8];
            e2 += difference * pairs[9];
            f += sum * pairs[10];
            f2 += difference * pairs[11];
        }
    lanes sums[] = {a, b, c, d, e, f}, differences[] = {a2, b2, c2, d2, e2, f2};
    for (int k = 0; k < 6; k++) {
        value = sums[k] + differences[k], other = sums[k] - differences[k];
        memcpy(products + k * step, &value, sizeof value);
        memcpy(opposite + k * step, &other, sizeof other);
    }
}

/* The products of every position in a patch with all templates: first those of the first two quarter turns, then those of
 * the opposite ones. count: of the pairs, a multiple of six. products: 2 x pairs x positions x width, where the width is a
 * multiple of LANES. */
HELPER void correlate(const float *restrict patch, int side, int template, const float *restrict pairs, int count,
                      int width, float *restrict products)
{
    int positions = side - template + 1, area = positions * width, size = template * template + 1;
    for (int pair = 0; pair < count; pair += 6)
        for (int row = 0; row < positions; row++)
            for (int k = 0; k < width; k += LANES) {
                float *target = products + pair * area + row * width + k;
                correlate_positions(patch + row * side + k, side, template, pairs + pair * size, target,
                                    target + count * area, area);
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

/* The positions, quarter turns and templates with the highest scores, which are local maxima: best first, at most
 * max_peaks. peaks: max_peaks x 4: quarter turn, row, column and template. Returns their number. */
HELPER int find_peaks(const float *scores, const int *choices, int quarters, int positions, int width,
                      float min_correlation, float min_ratio, int max_peaks, int *peaks)
{
    int area = positions * width, found = 0;
    float threshold = min_correlation;
    for (int k = 0; k < quarters * area; k++)
        if (k % width < positions && min_ratio * scores[k] > threshold)
            threshold = min_ratio * scores[k];
    for (int k = 0; k < quarters * area; k++) {
        int quarter = k / area, row = k % area / width, column = k % width, place = found;
        if (column >= positions || scores[k] < threshold ||
            !is_local_maximum(scores + quarter * area, positions, width, row, column))
            continue;
        for (; place > 0; place--) {
            const int *before = peaks + 4 * (place - 1);
            if (scores[before[0] * area + before[1] * width + before[2]] >= scores[k])
                break;
        }
        if (place == max_peaks)
            continue;
        found = found < max_peaks ? found + 1 : max_peaks;
        int *peak = peaks + 4 * place;
        memmove(peak + 4, peak, (size_t)(found - place - 1) * 4 * sizeof(int));
        peak[0] = quarter, peak[1] = row, peak[2] = column, peak[3] = choices[k];
    }
    return found;
}

/* Finds the best poses of each candidate. centers: count x 2. module_scales: count x 2 x 2. pairs: of templates,
 * angle_bins x per_quarter / 3 x half of the samples x 6 x 2, see correlate_positions. axis: see subtract_shading. sizes: of the
 * templates, size_count numbers that divide per_quarter. scratch: (4 * (per_quarter + 1) + 1) x positions x 16 numbers, with
 * at most 16 positions. choices: 4 x positions x 16. poses: room for count * max_peaks; candidates: the index of the
 * candidate of each. Returns the number of poses. */
VECTORIZED
int tk_find_coarse_poses(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *centers,
                         const double *module_scales, int count, int radius, double step, const float *pairs,
                         const float *axis, int angle_bins, int template, int per_quarter, const double *sizes,
                         int size_count, float noise, float min_correlation, float min_ratio, int max_peaks,
                         float *scratch, int *choices, int *peaks, double *poses, int64_t *candidates)
{
    image gray = {pixels, stride, height, width};
    int side = template + 2 * radius, positions = 2 * radius + 1, row_width = positions > LANES ? 2 * LANES : LANES;
    int quarters = 4, area = positions * row_width, rows = 0;
    size_t bin_size = (size_t)(2 * per_quarter * (template * template + 1));
    float *norms = scratch + quarters * per_quarter * area, *scores = norms + area;
    float patch[MAX_PATCH_SIDE * MAX_PATCH_SIDE + 2 * LANES];
    memset(patch, 0, sizeof patch);
    for (int n = 0; n < count; n++, centers += 2, module_scales += 4) {
        float to_px[6], edges[2];
        double half = step / 2, middle = half * (2 * side - 1) / 2;
        for (int k = 0; k < 2; k++) {
            to_px[3 * k] = (float)(module_scales[2 * k] * half);
            to_px[3 * k + 1] = (float)(module_scales[2 * k + 1] * half);
            to_px[3 * k + 2] = (float)(centers[k] - (module_scales[2 * k] + module_scales[2 * k + 1]) * middle);
        }
        rectify_patch(gray, to_px, side, patch);
        edge_directions(patch, side, edges);
        int bin = (int)rint(atan2(edges[1], edges[0]) / (2 * PI) * angle_bins);
        bin = (bin + angle_bins) % angle_bins;
        correlate(patch, side, template, pairs + (size_t)bin * bin_size, 2 * per_quarter, row_width, scratch);
        window_energies(patch, side, template, row_width, norms);
        subtract_shading(patch, side, template, row_width, axis, norms);
        score_positions(scratch, quarters, per_quarter, area, noise, norms, scores, choices);
        int found = find_peaks(scores, choices, quarters, positions, row_width, min_correlation, min_ratio, max_peaks,
                               peaks);
        for (int k = 0; k < found; k++, poses += 9) {
            const int *peak = peaks + 4 * k;
            int offset = peak[3] / size_count - per_quarter / size_count / 2;
            double angle = (peak[0] * angle_bins + bin + offset) * (PI / 2 / angle_bins);
            double c = cos(angle) * sizes[peak[3] % size_count], s = sin(angle) * sizes[peak[3] % size_count];
            double across = (peak[2] - radius) * step, down = (peak[1] - radius) * step;
            for (int axis_index = 0; axis_index < 2; axis_index++) {
                const double *scale = module_scales + 2 * axis_index;
                poses[3 * axis_index] = scale[0] * c + scale[1] * s;
                poses[3 * axis_index + 1] = scale[1] * c - scale[0] * s;
                poses[3 * axis_index + 2] = centers[axis_index] + scale[0] * across + scale[1] * down;
            }
            poses[6] = poses[7] = 0, poses[8] = 1;
            candidates[rows++] = n;
        }
    }
    return rows;
}
