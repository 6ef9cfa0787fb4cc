/* Reduced images, the features of their cells, and which of these cells move or change. */
#include "native.h"

/* An image is reduced by this factor, and then has this many pixels on each side of a cell. */
#define REDUCTION 4
/* The shares of blue, green and red in gray, in 1/65536. */
#define BLUE 7471
#define GREEN 38470
#define RED 19595

/* A row of a reduced BGR image, in gray. weights: that of each of the 12 x columns channels in a row of pixels. sums: as
 * many. In `sums`, 256 is a gray level of the mean of 4 x 4 pixels. Rounding down 12 times takes 6 from it on average.
 * The numpy code halves the image twice, which adds a quarter of a gray level on average. */
HELPER void reduce_row(const uint8_t *restrict pixels, ptrdiff_t stride, int columns, const uint16_t *restrict weights,
                       uint16_t *restrict sums, uint8_t *restrict reduced)
{
    const uint8_t *second = pixels + stride, *third = second + stride, *fourth = third + stride;
    for (int k = 0; k < 12 * columns; k++) {
        uint16_t sum = (uint16_t)((pixels[k] + second[k] + third[k] + fourth[k]) << 4);
        sums[k] = (uint16_t)((uint32_t)sum * weights[k] >> 16);
    }
    for (int k = 0; k < columns; k++) { /* adds four numbers at once, as parts of a wider one */
        uint64_t a, b, c;
        memcpy(&a, sums + 12 * k, sizeof a);
        memcpy(&b, sums + 12 * k + 4, sizeof b);
        memcpy(&c, sums + 12 * k + 8, sizeof c);
        a += b + c;
        a += a >> 32;
        a += a >> 16;
        reduced[k] = (uint8_t)((uint16_t)(a + 128 + 6 + 64) >> 8);
    }
}

/* The BGR image has at least 4 x rows and 4 x columns pixels. scratch: 24 x columns. reduced: rows x columns. */
VECTORIZED
void tk_reduce(const uint8_t *pixels, ptrdiff_t stride, int rows, int columns, uint16_t *restrict scratch,
               uint8_t *restrict reduced)
{
    uint16_t *weights = scratch + 12 * columns;
    for (int k = 0; k < 12 * columns; k++)
        weights[k] = k % 3 == 0 ? BLUE : k % 3 == 1 ? GREEN : RED;
    for (int row = 0; row < rows; row++, pixels += REDUCTION * stride, reduced += columns)
        reduce_row(pixels, stride, columns, weights, scratch, reduced);
}

/* reduced: 4 x rows and 4 x columns pixels. scratch: 8 x columns. features: 2 x rows x columns. */
VECTORIZED
void tk_cell_features(const uint8_t *restrict reduced, int rows, int columns, uint16_t *restrict scratch,
                      float *restrict features)
{
    int width = REDUCTION * columns;
    uint16_t *sums = scratch, *differences = scratch + width;
    float *brightness = features, *texture = features + rows * columns;
    for (int row = 0; row < rows; row++) {
        memset(scratch, 0, 2 * (size_t)width * sizeof *scratch);
        for (int line = 0; line < REDUCTION; line++, reduced += width) {
            sums[0] = (uint16_t)(sums[0] + reduced[0]);
            for (int k = 1; k < width; k++) {
                sums[k] = (uint16_t)(sums[k] + reduced[k]);
                differences[k] = (uint16_t)(differences[k] + abs(reduced[k] - reduced[k - 1]));
            }
        }
        for (int k = 0; k < columns; k++, sums += REDUCTION, differences += REDUCTION) {
            *brightness++ = (float)(sums[0] + sums[1] + sums[2] + sums[3]) / 16;
            *texture++ = (float)(differences[0] + differences[1] + differences[2] + differences[3]) / 16;
        }
        sums = scratch, differences = scratch + width;
    }
}

/* The number of cells in the square of 3 x 3 cells around each cell of a row that are in a mask. The mask's rows have a
 * cell more on either side, from which `cells` starts. */
HELPER void count_neighbors(const uint8_t *restrict cells, int columns, uint8_t *restrict counts)
{
    const uint8_t *above = cells - (columns + 2), *below = cells + (columns + 2);
    for (int k = 0; k < columns; k++)
        counts[k] = (uint8_t)(above[k] + above[k + 1] + above[k + 2] + cells[k] + cells[k + 1] + cells[k + 2] + below[k] +
                              below[k + 1] + below[k + 2]);
}

/* Removes from a mask, with a cell more on each side, the cells that have no neighbor in it. kept: rows x columns. */
HELPER void remove_isolated(const uint8_t *restrict mask, int rows, int columns, uint8_t *restrict kept)
{
    for (int row = 0; row < rows; row++, kept += columns) {
        const uint8_t *cells = mask + (row + 1) * (columns + 2);
        count_neighbors(cells, columns, kept);
        for (int k = 0; k < columns; k++)
            kept[k] = cells[k + 1] & (kept[k] > 1);
    }
}

/* The motion threshold of each cell, and how much it differs from the last frame. Returns the number of cells that seem to
 * move, or, if there are more, of those that differ from the background by more than max_threshold. features, background
 * and last: 2 x size; all others: size. */
VECTORIZED
int tk_compare_cells(const float *restrict features, const float *restrict background, const float *restrict last,
                     const float *restrict noise, const uint8_t *restrict overexposed, int size, float usual_noise,
                     float noise_ratio, float min_threshold, float max_threshold, float *restrict threshold,
                     float *restrict motion)
{
    int changing = 0, moving = 0;
    for (int k = 0; k < size; k++) {
        float texture = features[size + k], usual = usual_noise * texture;
        float limit = noise_ratio * (noise[k] > usual ? noise[k] : usual);
        float counts = overexposed[k] ? 0.0f : 1.0f;
        float change = fabsf(features[k] - background[k]), other = counts * fabsf(texture - background[size + k]);
        float difference = fabsf(features[k] - last[k]), third = counts * fabsf(texture - last[size + k]);
        limit = limit > min_threshold ? limit : min_threshold;
        limit = limit < max_threshold ? limit : max_threshold;
        difference = difference > third ? difference : third;
        change = change > other ? change : other;
        threshold[k] = limit, motion[k] = difference;
        changing += change > max_threshold;
        moving += difference > limit;
    }
    return changing > moving ? changing : moving;
}

/* The new noise and background of a row of cells, and when they last moved. */
HELPER void update_row(int columns, const uint8_t *restrict moving, const uint8_t *restrict disturbed,
                       const uint8_t *restrict changed, const uint8_t *restrict overexposed,
                       const float *restrict features, const float *restrict textures, const float *restrict motion,
                       const float *restrict threshold, float t, float noise_rate, float background_rate,
                       float *restrict background, float *restrict background_texture, float *restrict noise,
                       float *restrict last_motion, float *restrict calm_seconds)
{
    for (int k = 0; k < columns; k++) {
        float least = motion[k] < threshold[k] ? motion[k] : threshold[k];
        float rate = moving[k] ? 0.0f : noise_rate;
        noise[k] += rate * (least - noise[k]);
    }
    for (int k = 0; k < columns; k++) {
        float when = disturbed[k] ? t : last_motion[k];
        last_motion[k] = when;
        calm_seconds[k] = t - when;
    }
    for (int k = 0; k < columns; k++) {
        float rate = disturbed[k] | changed[k] ? 0.0f : background_rate, second = overexposed[k] ? 0.0f : rate;
        background[k] += rate * (features[k] - background[k]);
        background_texture[k] += second * (textures[k] - background_texture[k]);
    }
}

/* background and features: 2 x rows x columns; all others but scratch: rows x columns. scratch: 2 x (rows + 2) x
 * (columns + 2). masks: three, of the moving, calm and changed cells. */
VECTORIZED
void tk_update_cells(float *restrict background, float *restrict noise, float *restrict last_motion,
                     const float *restrict features, const float *restrict motion, const float *restrict threshold,
                     const uint8_t *restrict overexposed, int rows, int columns, float t, float change_ratio,
                     float noise_rate, float background_rate, uint8_t *restrict scratch, uint8_t *restrict masks,
                     float *restrict calm_seconds)
{
    int size = rows * columns, padded = (rows + 2) * (columns + 2);
    uint8_t *moving = scratch, *changed = scratch + padded, *calm = masks + size;
    memset(scratch, 0, 2 * (size_t)padded);
    for (int row = 0; row < rows; row++) {
        uint8_t *restrict moves = moving + (row + 1) * (columns + 2) + 1, *restrict changes = moves + padded;
        for (int k = 0, cell = row * columns; k < columns; k++, cell++) {
            float change = fabsf(features[cell] - background[cell]);
            float texture = fabsf(features[size + cell] - background[size + cell]);
            texture = overexposed[cell] ? 0.0f : texture;
            change = change > texture ? change : texture;
            moves[k] = motion[cell] > threshold[cell];
            changes[k] = change > change_ratio * threshold[cell];
        }
    }
    remove_isolated(moving, rows, columns, masks);
    remove_isolated(changed, rows, columns, masks + 2 * size);
    for (int row = 0; row < rows; row++)
        memcpy(moving + (row + 1) * (columns + 2) + 1, masks + row * columns, (size_t)columns);
    for (int row = 0; row < rows; row++) {
        int k = row * columns;
        count_neighbors(moving + (row + 1) * (columns + 2), columns, calm + k);
        update_row(columns, masks + k, calm + k, masks + 2 * size + k, overexposed + k, features + k, features + size + k,
                   motion + k, threshold + k, t, noise_rate, background_rate, background + k, background + size + k,
                   noise + k, last_motion + k, calm_seconds + k);
    }
    for (int k = 0; k < size; k++)
        calm[k] = calm[k] == 0;
}
