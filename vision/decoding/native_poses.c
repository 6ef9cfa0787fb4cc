/* Refining the poses of codes, and comparing their samples with templates. */
#include "native.h"

/* The gray levels of the image at the sample points of a code. */
HELPER void sample_code(image gray, const double *restrict pose, const float *restrict grid, float *restrict samples)
{
    float h[9], x[SAMPLES], y[SAMPLES];
    for (int k = 0; k < 9; k++)
        h[k] = (float)pose[k];
    for (int k = 0; k < SAMPLES; k++) {
        float u = grid[k], v = grid[SAMPLES + k], w = 1 / (h[6] * u + h[7] * v + h[8]);
        x[k] = (h[0] * u + h[1] * v + h[2]) * w;
        y[k] = (h[3] * u + h[4] * v + h[5]) * w;
    }
    sample_points(gray, SAMPLES, x, y, samples);
}

/* The parameters with which the model fits the samples best. model: the template and its slopes along x and y. inverse: of
 * the normal equations, parameters x parameters. */
HELPER void solve(const float *restrict samples, const float *restrict weights, const float *restrict grid,
                  const float *restrict model, const float *restrict inverse, float *restrict parameters)
{
    const float *x = grid, *y = grid + SAMPLES, *dx = model + SAMPLES, *dy = dx + SAMPLES;
    float one = 0, x1 = 0, y1 = 0, xx = 0, xy = 0, yy = 0, contrast = 0;
#pragma omp simd reduction(+ : one, x1, y1, xx, xy, yy, contrast)
    for (int k = 0; k < SAMPLES; k++) {
        float sample = samples[k] * weights[k], along_x = sample * x[k], along_y = sample * y[k];
        one += sample, x1 += along_x, y1 += along_y;
        xx += along_x * x[k], xy += along_x * y[k], yy += along_y * y[k];
        contrast += sample * model[k];
    }
    float u = 0, ux = 0, uy = 0, v = 0, vx = 0, vy = 0, radial_x = 0, radial_y = 0;
#pragma omp simd reduction(+ : u, ux, uy, v, vx, vy, radial_x, radial_y)
    for (int k = 0; k < SAMPLES; k++) {
        float sample = samples[k] * weights[k], slope_x = sample * dx[k], slope_y = sample * dy[k];
        float radial = slope_x * x[k] + slope_y * y[k];
        u += slope_x, ux += slope_x * x[k], uy += slope_x * y[k];
        v += slope_y, vx += slope_y * x[k], vy += slope_y * y[k];
        radial_x -= radial * x[k], radial_y -= radial * y[k];
    }
    float sums[PARAMETERS] = {one, x1, y1, xx, xy, yy, contrast, ux, uy, u, vx, vy, v, radial_x, radial_y};
    for (int row = 0; row < PARAMETERS; row++) {
        float sum = 0;
        for (int k = 0; k < PARAMETERS; k++)
            sum += inverse[row * PARAMETERS + k] * sums[k];
        parameters[row] = sum;
    }
}

/* Clips the deviations of the samples from the fitted template. Returns whether any was clipped. */
HELPER int clip_samples(const float *restrict parameters, const float *restrict grid, const float *restrict template,
                        const float *restrict tolerance, float contrast, float *restrict samples)
{
    const float *p = parameters, *x = grid, *y = grid + SAMPLES;
    int is_clipped = 0;
#pragma omp simd reduction(| : is_clipped)
    for (int k = 0; k < SAMPLES; k++) {
        float shading = p[0] + x[k] * (p[1] + p[3] * x[k] + p[4] * y[k]) + y[k] * (p[2] + p[5] * y[k]);
        float expected = shading + p[SHADING_TERMS] * template[k];
        float limit = tolerance[k] * contrast, difference = samples[k] - expected;
        is_clipped |= fabsf(difference) > limit;
        difference = difference < limit ? difference : limit;
        samples[k] = expected + (difference > -limit ? difference : -limit);
    }
    return is_clipped;
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

/* Refines a pose with one alignment model. min_contrast: what smaller contrasts count as. */
HELPER void refine_pose(image gray, double *pose, int iterations, const float *inverse, const float *model,
                        const float *weights, const float *tolerance, const float *grid, const double *max_update,
                        float min_contrast, double min_divisor)
{
    for (int iteration = 0; iteration < iterations; iteration++) {
        float samples[SAMPLES], parameters[PARAMETERS];
        sample_code(gray, pose, grid, samples);
        solve(samples, weights, grid, model, inverse, parameters);
        float contrast = fabsf(parameters[SHADING_TERMS]);
        contrast = contrast > min_contrast ? contrast : min_contrast;
        if (clip_samples(parameters, grid, model, tolerance, contrast, samples))
            solve(samples, weights, grid, model, inverse, parameters);
        update_pose(parameters, max_update, min_divisor, pose);
    }
}

/* poses: count x 9. inverses: parameters x parameters for each model; models: 3 x samples for each, see solve. which: the
 * index of each pose's model; NULL if there is only one model. grid: x and y of the samples. */
VECTORIZED
void tk_refine_poses(const uint8_t *pixels, ptrdiff_t stride, int height, int width, double *poses, int count,
                     int iterations, const float *inverses, const float *models, const float *weights,
                     const float *tolerance, const int64_t *which, const float *grid, const double *max_update,
                     float min_contrast, double min_divisor)
{
    image gray = {pixels, stride, height, width};
    for (int n = 0; n < count; n++) {
        size_t model = which ? (size_t)which[n] : 0;
        refine_pose(gray, poses + 9 * n, iterations, inverses + model * PARAMETERS * PARAMETERS,
                    models + model * 3 * SAMPLES, weights, tolerance, grid, max_update, min_contrast, min_divisor);
    }
}

/* The pose of a code, from its corners in the image: 4 x 2. The closed form is that of pose_refinement.py. */
HELPER void pose_from_quad(const double *quad, double modules, double *pose)
{
    double first[2], second[2], rest[2], square[9];
    for (int k = 0; k < 2; k++) {
        first[k] = quad[2 + k] - quad[4 + k], second[k] = quad[6 + k] - quad[4 + k];
        rest[k] = quad[k] - quad[2 + k] + quad[4 + k] - quad[6 + k];
    }
    double area = first[0] * second[1] - first[1] * second[0];
    double g = (rest[0] * second[1] - rest[1] * second[0]) / area;
    double h = (first[0] * rest[1] - first[1] * rest[0]) / area;
    for (int k = 0; k < 2; k++) {
        square[3 * k] = quad[2 + k] - quad[k] + g * quad[2 + k];
        square[3 * k + 1] = quad[6 + k] - quad[k] + h * quad[6 + k];
        square[3 * k + 2] = quad[k];
    }
    square[6] = g, square[7] = h, square[8] = 1;
    double scale = (g + h) / 2 + 1;
    for (int row = 0; row < 3; row++) {
        const double *from = square + 3 * row;
        pose[3 * row] = from[0] / modules / scale;
        pose[3 * row + 1] = from[1] / modules / scale;
        pose[3 * row + 2] = ((from[0] + from[1]) / 2 + from[2]) / scale;
    }
}

/* Refines the corners of codes: quads, count x 4 x 2, become refined. modules: along the side of a code. The other
 * parameters are those of tk_refine_poses. */
VECTORIZED
void tk_refine_quads(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *quads, int count,
                     double modules, int iterations, const float *inverses, const float *models,
                     const float *weights, const float *tolerance, const int64_t *which, const float *grid,
                     const double *max_update, float min_contrast, double min_divisor, double *refined)
{
    image gray = {pixels, stride, height, width};
    for (int n = 0; n < count; n++, quads += 8, refined += 8) {
        double pose[9];
        size_t model = (size_t)which[n];
        pose_from_quad(quads, modules, pose);
        refine_pose(gray, pose, iterations, inverses + model * PARAMETERS * PARAMETERS,
                    models + model * 3 * SAMPLES, weights, tolerance, grid, max_update, min_contrast, min_divisor);
        for (int corner = 0; corner < 4; corner++) {
            double x = corner == 1 || corner == 2 ? modules / 2 : -modules / 2, y = corner > 1 ? modules / 2 : -modules / 2;
            double w = pose[6] * x + pose[7] * y + pose[8];
            refined[2 * corner] = (pose[0] * x + pose[1] * y + pose[2]) / w;
            refined[2 * corner + 1] = (pose[3] * x + pose[4] * y + pose[5]) / w;
        }
    }
}

/* Removes from `values` the part that the shading terms describe. */
HELPER void remove_shading(const float *restrict shading, float *restrict values)
{
    float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
#pragma omp simd reduction(+ : a, b, c, d, e, f)
    for (int k = 0; k < SAMPLES; k++) {
        a += shading[k] * values[k];
        b += shading[SAMPLES + k] * values[k];
        c += shading[2 * SAMPLES + k] * values[k];
        d += shading[3 * SAMPLES + k] * values[k];
        e += shading[4 * SAMPLES + k] * values[k];
        f += shading[5 * SAMPLES + k] * values[k];
    }
    for (int k = 0; k < SAMPLES; k++)
        values[k] -= a * shading[k] + b * shading[SAMPLES + k] + c * shading[2 * SAMPLES + k] +
                     d * shading[3 * SAMPLES + k] + e * shading[4 * SAMPLES + k] + f * shading[5 * SAMPLES + k];
}

HELPER float dot(const float *restrict a, const float *restrict b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < SAMPLES; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Every step-th sample of each code. If is_unit is 1, without the shading and scaled to a norm of 1. */
VECTORIZED
void tk_sample_codes(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *poses, int count,
                     const float *grid, const float *shading, int is_unit, int step, float *samples)
{
    image gray = {pixels, stride, height, width};
    int size = (SAMPLES + step - 1) / step;
    for (int n = 0; n < count; n++, poses += 9, samples += size) {
        float values[SAMPLES], energy = 0, scale = 1;
        sample_code(gray, poses, grid, values);
        if (is_unit) {
            remove_shading(shading, values);
#pragma omp simd reduction(+ : energy)
            for (int k = 0; k < size; k++)
                energy += values[k * step] * values[k * step];
            scale = 1 / (sqrtf(energy) > 1e-6f ? sqrtf(energy) : 1e-6f);
        }
        for (int k = 0; k < size; k++)
            samples[k] = values[k * step] * scale;
    }
}

/* For each row of samples, the code whose template correlates best, and this correlation. samples: count x size, with a
 * norm of 1. templates: known codes x size, with a norm of `scale`. rows: room for as many rows, rounded up to a multiple of
 * four, since four at once take half as long. Sums of products of such 16-bit integers fit into 32 bits. */
VECTORIZED
void tk_identify(const float *samples, int count, int size, const int16_t *restrict templates, int known_codes,
                 int scale, int16_t *restrict rows, int64_t *restrict codes, float *restrict scores)
{
    memset(rows, 0, (size_t)((count + 3) / 4 * 4) * (size_t)size * sizeof *rows);
    for (int k = 0; k < count * size; k++) {
        float scaled = samples[k] * (float)scale;
        rows[k] = (int16_t)(scaled + (scaled > 0 ? 0.5f : -0.5f));
    }
    for (int n = 0; n < count; n++)
        scores[n] = -2;
    for (int code = 0; code < known_codes; code++, templates += size)
        for (int n = 0; n < count; n += 4) {
            const int16_t *a = rows + n * size, *b = a + size, *c = b + size, *d = c + size;
            int in_a = 0, in_b = 0, in_c = 0, in_d = 0;
            for (int k = 0; k < size; k++) {
                in_a += a[k] * templates[k], in_b += b[k] * templates[k];
                in_c += c[k] * templates[k], in_d += d[k] * templates[k];
            }
            int products[4] = {in_a, in_b, in_c, in_d};
            for (int k = 0; k < 4 && n + k < count; k++) {
                float score = (float)products[k] / ((float)scale * (float)scale);
                if (score > scores[n + k]) {
                    scores[n + k] = score;
                    codes[n + k] = code;
                }
            }
        }
}

/* Adds to the votes of the modules, with this sign, how much each contributes to the residuals along both axes. The rows
 * of `residuals` and `votes` are padded to ROW numbers, so that they are whole vectors. kernel: GRID x ROW. */
HELPER void project(const float *restrict residuals, const float *restrict kernel, float sign, float *restrict votes)
{
    float half_way[MODULES * ROW] = {0};
    for (int module = 0; module < MODULES; module++)
        for (int row = 0; row < GRID; row++) {
            float factor = sign * kernel[row * ROW + module];
            for (int k = 0; k < ROW; k++)
                half_way[module * ROW + k] += factor * residuals[row * ROW + k];
        }
    for (int module = 0; module < MODULES; module++)
        for (int column = 0; column < GRID; column++) {
            float factor = half_way[module * ROW + column];
            for (int k = 0; k < MODULE_ROW; k++)
                votes[module * MODULE_ROW + k] += factor * kernel[column * ROW + k];
        }
}

/* samples: count x samples. codes: the index of the expected code of each row. templates and unit_templates: blurs x
 * known codes x samples. modules: known codes x MODULES x MODULES. kernels: blurs x 2 x GRID x ROW, how much each module
 * contributes to each sample along one axis, before and after the low-pass filter. norms: blurs x MODULES. votes: count x
 * MODULES x MODULES. */
VECTORIZED
void tk_module_votes(const float *samples, const int64_t *codes, int count, const float *templates,
                     const float *unit_templates, const float *modules, int blurs, int known_codes,
                     const float *shading, const float *kernels, const float *norms, int robust_iterations,
                     float max_residual, float min_contrast, float min_correlation, float *votes)
{
    for (int n = 0; n < count; n++, samples += SAMPLES, votes += MODULES * MODULES) {
        float deviation[SAMPLES], expected[SAMPLES] = {0}, clipped[SAMPLES];
        float residuals[GRID * ROW] = {0}, sums[MODULES * MODULE_ROW] = {0};
        memcpy(deviation, samples, sizeof deviation);
        remove_shading(shading, deviation);
        float norm = sqrtf(dot(deviation, deviation)), correlation = -2;
        norm = norm > 1e-6f ? norm : 1e-6f;
        int blur = 0;
        for (int k = 0; k < blurs; k++) {
            size_t template_index = (size_t)k * (size_t)known_codes + (size_t)codes[n];
            float score = dot(deviation, unit_templates + template_index * SAMPLES) / norm;
            if (score > correlation) {
                correlation = score;
                blur = k;
            }
        }
        size_t template_index = (size_t)blur * (size_t)known_codes + (size_t)codes[n];
        const float *template = templates + template_index * SAMPLES, *unit = unit_templates + template_index * SAMPLES;
        float template_norm = dot(template, unit), contrast = 0;
        memcpy(clipped, samples, sizeof clipped);
        for (int iteration = 0; iteration < robust_iterations; iteration++) {
            contrast = dot(clipped, unit) / template_norm;
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
        for (int row = 0; row < GRID; row++)
            for (int k = 0; k < GRID; k++)
                residuals[row * ROW + k] = clipped[row * GRID + k] - expected[row * GRID + k];
        project(residuals, kernels + blur * 2 * GRID * ROW, 1, sums);
        project(residuals, kernels + (blur * 2 + 1) * GRID * ROW, -1, sums);
        const float *module = modules + (size_t)codes[n] * MODULES * MODULES, *weight = norms + blur * MODULES;
        float scale = 1 / (fabsf(contrast) > 1 ? fabsf(contrast) : 1);
        int is_code = contrast >= min_contrast && correlation >= min_correlation;
        for (int row = 0; row < MODULES; row++)
            for (int column = 0; column < MODULES; column++) {
                float sum = sums[row * MODULE_ROW + column] / (weight[row] * weight[column]);
                votes[row * MODULES + column] = is_code ? 1 + module[row * MODULES + column] * scale * sum : -1;
            }
    }
}
