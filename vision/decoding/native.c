/* The innermost loops of reading codes, for where they are compiled (vision/decoding/native.py calls them). Each does
 * the same as the numpy code beside its call, whose docstring says what it computes. No function allocates memory or
 * fails; the caller guarantees the sizes of all arrays. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CELL 8
#define GRID 31
#define SAMPLES (GRID * GRID)
#define MODULES 21
#define SHADING_TERMS 6
#define PARAMETERS 15

/* GCC can compile a function twice, and chooses at run time: for every x86-64 machine, and for those with AVX2. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(NO_CLONES)
#define VECTORIZED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORIZED
#endif

/* These functions become a part of each version of those that call them. */
#ifdef __GNUC__
#define HELPER static inline __attribute__((always_inline))
#else
#define HELPER static inline
#endif

/* The mean of each cell in a row of cells, from two rows of pixels. Rounds as OpenCV does: to gray levels once for 2 x 2
 * pixels, and once for each cell. Adds pairs of neighbors as the halves of a wider integer. columns: a multiple of 8.
 * scratch: 3/4 x columns. */
HELPER void cell_means(const uint8_t *restrict first, const uint8_t *restrict second, int columns,
                       uint16_t *restrict scratch, float *restrict cells)
{
    uint16_t *sums = scratch + columns / 2;
    for (int k = 0; k < columns / 2; k++) {
        uint16_t a, b;
        memcpy(&a, first + 2 * k, sizeof a);
        memcpy(&b, second + 2 * k, sizeof b);
        scratch[k] = (uint16_t)(((a & 255) + (a >> 8) + (b & 255) + (b >> 8) + 2) >> 2);
    }
    for (int k = 0; k < columns / 4; k++) {
        uint32_t pair;
        memcpy(&pair, scratch + 2 * k, sizeof pair);
        sums[k] = (uint16_t)((pair & 65535) + (pair >> 16));
    }
    for (int k = 0; k < columns / CELL; k++) {
        uint32_t pair;
        memcpy(&pair, sums + 2 * k, sizeof pair);
        int sum = (int)((pair & 65535) + (pair >> 16));
        cells[k] = (float)((sum + 1 + ((sum >> 2) & 1)) >> 2); /* rounds half to even */
    }
}

/* The absolute differences of two rows of pixels. Columns from `pairs` on have no partner, and differ by 0. */
HELPER void absolute_differences(const uint8_t *restrict a, const uint8_t *restrict b, int pairs, int columns,
                                 uint8_t *restrict differences)
{
    for (int k = 0; k < pairs; k++)
        differences[k] = a[k] > b[k] ? (uint8_t)(a[k] - b[k]) : (uint8_t)(b[k] - a[k]);
    memset(differences + pairs, 0, (size_t)(columns - pairs));
}

/* texture: 4 x rows / 8 x columns / 8; rows and columns are multiples of 8. stride: of the image, in bytes. scratch: 2 x
 * columns. */
VECTORIZED
void tk_measure_texture(const uint8_t *gray, ptrdiff_t stride, int rows, int columns, uint16_t *scratch, float *texture)
{
    int width = columns / CELL;
    size_t plane = (size_t)(rows / CELL) * (size_t)width;
    uint8_t *first = (uint8_t *)(scratch + columns), *second = first + columns;
    for (int row = 0; row < rows / CELL; row++, texture += width) {
        const uint8_t *upper0 = gray + row * CELL * stride, *lower0 = upper0 + 2 * stride;
        const uint8_t *upper1 = upper0 + 4 * stride, *lower1 = upper0 + 6 * stride;
        absolute_differences(upper0, upper0 + 2, columns - 2, columns, first);
        absolute_differences(upper1, upper1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture);
        absolute_differences(upper0, lower0, columns, columns, first);
        absolute_differences(upper1, lower1, columns, columns, second);
        cell_means(first, second, columns, scratch, texture + plane);
        absolute_differences(upper0, lower0 + 2, columns - 2, columns, first);
        absolute_differences(upper1, lower1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture + 2 * plane);
        absolute_differences(lower0, upper0 + 2, columns - 2, columns, first);
        absolute_differences(lower1, upper1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture + 3 * plane);
    }
}

/* texture and normalized: 4 x rows x columns, in cells. scratch: columns in pixels. bright: 3 x (columns + 2), for the
 * brightness of three rows of cells with a cell on either side. */
VECTORIZED
void tk_normalize_texture(const uint8_t *gray, ptrdiff_t stride, const float *restrict texture, int rows, int columns,
                          float background, float min_brightness, uint16_t *restrict scratch, float *restrict bright,
                          float *restrict normalized)
{
    size_t plane = (size_t)rows * (size_t)columns;
    memset(bright, 0, 3 * (size_t)(columns + 2) * sizeof(float));
    for (int row = -1; row < rows; row++) {
        float *below = bright + (row + 1) % 3 * (columns + 2);
        const uint8_t *pixels = gray + (row + 1) * CELL * stride;
        if (row + 1 < rows)
            cell_means(pixels, pixels + 4 * stride, columns * CELL, scratch, below + 1);
        else
            memset(below, 0, (size_t)(columns + 2) * sizeof(float));
        for (int k = 0; k < columns && row >= 0; k++) {
            float most = min_brightness;
            for (int line = 0; line < 3; line++)
                for (int side = 0; side < 3; side++) {
                    float cell = bright[line * (columns + 2) + k + side];
                    most = most > cell ? most : cell;
                }
            float factor = 100 / most;
            for (int direction = 0; direction < 4; direction++) {
                size_t at = (size_t)direction * plane + (size_t)row * (size_t)columns + (size_t)k;
                float above = texture[at] - background;
                normalized[at] = (above > 0 ? above : 0) * factor;
            }
        }
    }
}

/* Finds the cells whose response is above the threshold, and which no cell in the square of width x width cells around
 * them exceeds. peaks: the indexes of these cells, with room for each cell. Returns their number. */
int tk_find_peaks(const float *response, int rows, int columns, int width, float threshold, int *peaks)
{
    int half = width / 2, count = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            float value = response[row * columns + column];
            int is_peak = value > threshold;
            int last_row = row + half < rows ? row + half : rows - 1;
            int first_column = column > half ? column - half : 0;
            int last_column = column + half < columns ? column + half : columns - 1;
            for (int y = row > half ? row - half : 0; is_peak && y <= last_row; y++)
                for (int x = first_column; is_peak && x <= last_column; x++)
                    is_peak = value >= response[y * columns + x];
            if (is_peak)
                peaks[count++] = row * columns + column;
        }
    return count;
}

/* The sum of each square of side x side cells around the cells of a row. Cells outside of the grid count as 0.
 * scratch: columns. */
HELPER void sum_squares(const float *restrict grid, int rows, int columns, int row, int side, float *restrict scratch,
                        float *restrict sums)
{
    int half = side / 2;
    int first = row < half ? 0 : row - half, last = row + half < rows ? row + half : rows - 1;
    for (int k = 0; k < columns; k++)
        scratch[k] = sums[k] = 0;
    for (int line = first; line <= last; line++) {
        const float *cells = grid + (size_t)line * (size_t)columns;
        for (int k = 0; k < columns; k++)
            scratch[k] += cells[k];
    }
    for (int shift = -half; shift <= half; shift++) {
        int count = columns - abs(shift);
        const float *from = shift > 0 && count > 0 ? scratch + shift : scratch;
        float *to = shift < 0 && count > 0 ? sums - shift : sums;
        for (int k = 0; k < count; k++)
            to[k] += from[k];
    }
}

/* texture: 4 x rows x columns. side: odd. scratch: 5 x columns. response: rows x columns. */
VECTORIZED
void tk_mean_response(const float *restrict texture, int rows, int columns, int side, float min_isotropy,
                      float *restrict scratch, float *restrict response)
{
    float weight = 1.0f / (float)(side * side);
    const float *a = scratch + columns, *b = a + columns, *c = b + columns, *d = c + columns;
    for (int row = 0; row < rows; row++, response += columns) {
        for (int k = 0; k < 4; k++)
            sum_squares(texture + (size_t)k * (size_t)rows * (size_t)columns, rows, columns, row, side, scratch,
                        scratch + (k + 1) * columns);
        for (int k = 0; k < columns; k++) {
            float straight = (a[k] + b[k]) * weight, diagonal = (c[k] + d[k]) * weight;
            float one = 2 * weight * (a[k] < b[k] ? a[k] : b[k]) / (straight > 1e-3f ? straight : 1e-3f);
            float other = 2 * weight * (c[k] < d[k] ? c[k] : d[k]) / (diagonal > 1e-3f ? diagonal : 1e-3f);
            float isotropy = (one < other ? one : other) - min_isotropy;
            response[k] = straight * (isotropy > 0 ? isotropy : 0) / (1 - min_isotropy);
        }
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

/* The gray levels of the image at the sample points, interpolated between pixels. */
HELPER void sample_code(const uint8_t *restrict gray, ptrdiff_t stride, int height, int width,
                        const double *restrict pose, const float *restrict grid, float *restrict samples)
{
    float h[9], xs[SAMPLES], ys[SAMPLES];
    float right = (float)(width - 1), bottom = (float)(height - 1);
    for (int k = 0; k < 9; k++)
        h[k] = (float)pose[k];
    for (int k = 0; k < SAMPLES; k++) {
        float u = grid[k], v = grid[SAMPLES + k], w = 1 / (h[6] * u + h[7] * v + h[8]);
        float x = (h[0] * u + h[1] * v + h[2]) * w, y = (h[3] * u + h[4] * v + h[5]) * w;
        x = x > 0 ? x : 0; /* also if it is not a number */
        y = y > 0 ? y : 0;
        xs[k] = x < right ? x : right;
        ys[k] = y < bottom ? y : bottom;
    }
    for (int k = 0; k < SAMPLES; k++) {
        int x = (int)xs[k], y = (int)ys[k];
        float across = xs[k] - (float)x, down = ys[k] - (float)y;
        const uint8_t *upper = gray + y * stride + x, *lower = y + 1 < height ? upper + stride : upper;
        int next = x + 1 < width;
        float above = (float)upper[0] + across * (float)(upper[next] - upper[0]);
        float below = (float)lower[0] + across * (float)(lower[next] - lower[0]);
        samples[k] = above + down * (below - above);
    }
}

/* Multiplies the solver (parameters x samples) by the samples. */
HELPER void solve(const float *restrict solver, const float *restrict samples, float *restrict parameters)
{
    for (int row = 0; row < PARAMETERS; row += 5, solver += 5 * SAMPLES) {
        float a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp simd reduction(+ : a, b, c, d, e)
        for (int k = 0; k < SAMPLES; k++) {
            a += solver[k] * samples[k];
            b += solver[SAMPLES + k] * samples[k];
            c += solver[2 * SAMPLES + k] * samples[k];
            d += solver[3 * SAMPLES + k] * samples[k];
            e += solver[4 * SAMPLES + k] * samples[k];
        }
        parameters[row] = a, parameters[row + 1] = b, parameters[row + 2] = c;
        parameters[row + 3] = d, parameters[row + 4] = e;
    }
}

/* Clips the deviations of the samples from the fitted template. shading: terms x samples. */
HELPER void clip_samples(const float *restrict parameters, const float *restrict shading,
                         const float *restrict template, const float *restrict tolerance, float contrast,
                         float *restrict samples)
{
    const float *p = parameters;
    for (int k = 0; k < SAMPLES; k++) {
        float expected = p[0] * shading[k] + p[1] * shading[SAMPLES + k] + p[2] * shading[2 * SAMPLES + k] +
                         p[3] * shading[3 * SAMPLES + k] + p[4] * shading[4 * SAMPLES + k] +
                         p[5] * shading[5 * SAMPLES + k] + p[SHADING_TERMS] * template[k];
        float limit = tolerance[k] * contrast, difference = samples[k] - expected;
        difference = difference < limit ? difference : limit;
        samples[k] = expected + (difference > -limit ? difference : -limit);
    }
}

/* Composes the pose with the inverse of the pose error. max_update: for each of the 8 terms. */
HELPER void update_pose(const float *restrict parameters, const double *restrict max_update, double min_divisor,
                        double *restrict pose)
{
    double change[9], moved[9], contrast = parameters[SHADING_TERMS];
    contrast = fabs(contrast) < min_divisor ? min_divisor : contrast;
    for (int k = 0; k < 8; k++) {
        double step = -parameters[SHADING_TERMS + 1 + k] / contrast;
        step = step < max_update[k] ? step : max_update[k];
        change[k] = (k % 4 == 0) + (step > -max_update[k] ? step : -max_update[k]);
    }
    change[8] = 1;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            moved[3 * row + column] = pose[3 * row] * change[column] + pose[3 * row + 1] * change[3 + column] +
                                      pose[3 * row + 2] * change[6 + column];
    for (int k = 0; k < 9; k++)
        pose[k] = moved[k] / moved[8];
}

/* poses: count x 9. solvers: parameters x samples for each model; templates likewise. which: the index of each pose's
 * model; NULL if there is only one model. grid: x and y of the samples. min_contrast: what smaller contrasts count as. */
VECTORIZED
void tk_refine_poses(const uint8_t *gray, ptrdiff_t stride, int height, int width, double *poses, int count,
                     int iterations, const float *solvers, const float *templates, const int64_t *which,
                     const float *tolerance, const float *grid, const float *shading, const double *max_update,
                     float min_contrast, double min_divisor)
{
    for (int n = 0; n < count; n++, poses += 9) {
        const float *solver = which ? solvers + (size_t)which[n] * PARAMETERS * SAMPLES : solvers;
        const float *template = which ? templates + (size_t)which[n] * SAMPLES : templates;
        for (int iteration = 0; iteration < iterations; iteration++) {
            float samples[SAMPLES], parameters[PARAMETERS];
            sample_code(gray, stride, height, width, poses, grid, samples);
            solve(solver, samples, parameters);
            float contrast = fabsf(parameters[SHADING_TERMS]);
            contrast = contrast > min_contrast ? contrast : min_contrast;
            clip_samples(parameters, shading, template, tolerance, contrast, samples);
            solve(solver, samples, parameters);
            update_pose(parameters, max_update, min_divisor, poses);
        }
    }
}

/* Removes from `values` the part that the shading terms describe. */
HELPER void remove_shading(const float *restrict shading, float *restrict values)
{
    for (int term = 0; term < SHADING_TERMS; term++, shading += SAMPLES) {
        float amount = 0;
#pragma omp simd reduction(+ : amount)
        for (int k = 0; k < SAMPLES; k++)
            amount += shading[k] * values[k];
        for (int k = 0; k < SAMPLES; k++)
            values[k] -= amount * shading[k];
    }
}

HELPER float dot(const float *restrict a, const float *restrict b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < SAMPLES; k++)
        sum += a[k] * b[k];
    return sum;
}

/* product = left right, where left is rows x GRID and right is GRID x columns. left_step: the distance between the
 * elements of a row of `left`, and row_step that between its rows, so that it can be a transposed matrix. */
HELPER void multiply(const float *restrict left, int row_step, int left_step, int rows, const float *restrict right,
                     int columns, float *restrict product)
{
    for (int row = 0; row < rows; row++, product += columns) {
        for (int k = 0; k < columns; k++)
            product[k] = 0;
        for (int inner = 0; inner < GRID; inner++) {
            float factor = left[row * row_step + inner * left_step];
            for (int k = 0; k < columns; k++)
                product[k] += factor * right[inner * columns + k];
        }
    }
}

/* samples: count x samples. codes: the index of the expected code of each row. templates and unit_templates: blurs x
 * known codes x samples. modules: known codes x MODULES x MODULES. low_pass: GRID x GRID. kernels: blurs x GRID x
 * MODULES; norms: blurs x MODULES. votes: count x MODULES x MODULES. */
VECTORIZED
void tk_module_votes(const float *samples, const int64_t *codes, int count, const float *templates,
                     const float *unit_templates, const float *modules, int blurs, int known_codes,
                     const float *shading, const float *low_pass, const float *low_pass_transposed,
                     const float *kernels, const float *norms, int robust_iterations, float max_residual,
                     float min_contrast, float min_correlation, float *votes)
{
    for (int n = 0; n < count; n++, samples += SAMPLES, votes += MODULES * MODULES) {
        float unit[SAMPLES], shape[SAMPLES], deviation[SAMPLES], expected[SAMPLES] = {0}, clipped[SAMPLES];
        float half_way[SAMPLES], filtered[SAMPLES];
        memcpy(unit, samples, sizeof unit);
        remove_shading(shading, unit);
        float norm = sqrtf(dot(unit, unit)), correlation = -2;
        norm = norm > 1e-6f ? norm : 1e-6f;
        int blur = 0;
        for (int k = 0; k < blurs; k++) {
            size_t template_index = (size_t)k * (size_t)known_codes + (size_t)codes[n];
            float score = dot(unit, unit_templates + template_index * SAMPLES) / norm;
            if (score > correlation) {
                correlation = score;
                blur = k;
            }
        }
        const float *template = templates + ((size_t)blur * (size_t)known_codes + (size_t)codes[n]) * SAMPLES;
        memcpy(shape, template, sizeof shape);
        remove_shading(shading, shape);
        float energy = dot(shape, shape), contrast = 0;
        memcpy(clipped, samples, sizeof clipped);
        for (int iteration = 0; iteration < robust_iterations; iteration++) {
            contrast = dot(clipped, shape) / energy;
            float limit = max_residual * (fabsf(contrast) > 1 ? fabsf(contrast) : 1);
            for (int k = 0; k < SAMPLES; k++)
                deviation[k] = clipped[k] - contrast * template[k];
            remove_shading(shading, deviation);
            for (int k = 0; k < SAMPLES; k++) {
                expected[k] = clipped[k] - deviation[k];
                float difference = samples[k] - expected[k];
                difference = difference < limit ? difference : limit;
                clipped[k] = expected[k] + (difference > -limit ? difference : -limit);
            }
        }
        for (int k = 0; k < SAMPLES; k++)
            clipped[k] -= expected[k];
        multiply(low_pass, GRID, 1, GRID, clipped, GRID, half_way);
        multiply(half_way, GRID, 1, GRID, low_pass_transposed, GRID, filtered);
        for (int k = 0; k < SAMPLES; k++)
            clipped[k] -= filtered[k];
        const float *kernel = kernels + blur * GRID * MODULES, *weight = norms + blur * MODULES;
        multiply(kernel, 1, MODULES, MODULES, clipped, GRID, half_way);
        multiply(half_way, GRID, 1, MODULES, kernel, MODULES, votes);
        const float *module = modules + (size_t)codes[n] * MODULES * MODULES;
        float scale = 1 / (fabsf(contrast) > 1 ? fabsf(contrast) : 1);
        int is_code = contrast >= min_contrast && correlation >= min_correlation;
        for (int row = 0; row < MODULES; row++)
            for (int column = 0; column < MODULES; column++) {
                float *vote = votes + row * MODULES + column;
                float expected_module = module[row * MODULES + column];
                *vote = is_code ? 1 + expected_module * scale * *vote / (weight[row] * weight[column]) : -1;
            }
    }
}
