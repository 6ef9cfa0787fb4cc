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

/* patches: count x side x side. windows: count x template² x positions², where positions = side - template + 1. */
VECTORIZED
void tk_copy_windows(const float *restrict patches, int count, int side, int template, float *restrict windows)
{
    int positions = side - template + 1;
    for (int n = 0; n < count; n++, patches += side * side)
        for (int y = 0; y < template; y++)
            for (int x = 0; x < template; x++) {
                const float *row = patches + y * side + x;
                for (int k = 0; k < positions; k++, row += side, windows += positions)
                    memcpy(windows, row, (size_t)positions * sizeof(float));
            }
}

/* The sums of the squares of the samples under a template, at every position of the template in a patch. */
HELPER void window_energies(const float *restrict patch, int side, int template, float *restrict energies)
{
    int positions = side - template + 1;
    for (int row = 0; row < positions; row++, energies += positions) {
        float sums[MAX_PATCH_SIDE] = {0};
        for (int y = row; y < row + template; y++)
            for (int k = 0; k < side; k++)
                sums[k] += patch[y * side + k] * patch[y * side + k];
        for (int k = 0; k < positions; k++)
            energies[k] = 0;
        for (int x = 0; x < template; x++)
            for (int k = 0; k < positions; k++)
                energies[k] += sums[k + x];
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

/* Whether none of the eight neighbors of a position exceeds it. */
HELPER int is_local_maximum(const float *scores, int positions, int row, int column)
{
    float score = scores[row * positions + column];
    for (int y = row > 0 ? row - 1 : 0; y <= row + 1 && y < positions; y++)
        for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < positions; x++)
            if (scores[y * positions + x] > score)
                return 0;
    return 1;
}

/* Finds the best poses of each candidate. products: count x (quarters * templates + SHADING_TERMS) x positions². scratch:
 * (quarters + 1) x positions² numbers, and choices: quarters x positions². peaks: room for count * max_peaks rows of five
 * numbers: candidate, quarter turn, row, column and template. Returns the number of rows. */
VECTORIZED
int tk_find_coarse_peaks(const float *products, const float *patches, int count, int side, int template, int quarters,
                         int templates, float noise, float min_correlation, float min_ratio, int max_peaks,
                         float *scratch, int *choices, int *peaks)
{
    int positions = side - template + 1, area = positions * positions, rows = 0;
    float *norms = scratch + quarters * area;
    for (int n = 0; n < count; n++, patches += side * side) {
        float highest = 0;
        window_energies(patches, side, template, norms);
        const float *shading = products + quarters * templates * area;
        for (int term = 0; term < SHADING_TERMS; term++)
            for (int k = 0; k < area; k++)
                norms[k] -= shading[term * area + k] * shading[term * area + k];
        for (int k = 0; k < area; k++)
            norms[k] = 1 / (sqrtf(norms[k] > 0 ? norms[k] : 0) + noise);
        for (int quarter = 0; quarter < quarters; quarter++, products += templates * area) {
            float *scores = scratch + quarter * area;
            best_templates(products, templates, area, scores, choices + quarter * area);
            for (int k = 0; k < area; k++) {
                scores[k] *= norms[k];
                highest = scores[k] > highest ? scores[k] : highest;
            }
        }
        products += SHADING_TERMS * area;
        float threshold = min_ratio * highest > min_correlation ? min_ratio * highest : min_correlation;
        int first = rows, found = 0;
        for (int k = 0; k < quarters * area; k++) {
            int quarter = k / area, row = k % area / positions, column = k % positions;
            if (scratch[k] < threshold || !is_local_maximum(scratch + quarter * area, positions, row, column))
                continue;
            int place = found;
            while (place > 0) {
                const int *before = peaks + 5 * (first + place - 1);
                if (scratch[before[1] * area + before[2] * positions + before[3]] >= scratch[k])
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
