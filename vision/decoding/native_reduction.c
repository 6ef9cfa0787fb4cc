/* Reduced images, and the features of their cells. Changes on the table are detected there. */
#include "native.h"

/* An image is reduced by this factor, and then has this many pixels on each side of a cell. */
#define REDUCTION 4
/* The shares of blue, green and red in gray, in 1/65536. */
#define BLUE 7471
#define GREEN 38470
#define RED 19595

/* The mean of each 2 x 2 pixels of two rows, rounded as by OpenCV. */
HELPER void halve(const uint8_t *restrict upper, const uint8_t *restrict lower, int columns, uint8_t *restrict halved)
{
    for (int k = 0; k < columns; k++) {
        uint16_t a, b;
        memcpy(&a, upper + 2 * k, sizeof a);
        memcpy(&b, lower + 2 * k, sizeof b);
        halved[k] = (uint8_t)(((a & 255) + (a >> 8) + (b & 255) + (b >> 8) + 2) >> 2);
    }
}

/* A row of a reduced gray image. scratch: 4 x columns. */
HELPER void reduce_gray(const uint8_t *pixels, ptrdiff_t stride, int columns, uint8_t *restrict scratch,
                        uint8_t *restrict reduced)
{
    uint8_t *second = scratch + 2 * columns;
    halve(pixels, pixels + stride, 2 * columns, scratch);
    halve(pixels + 2 * stride, pixels + 3 * stride, 2 * columns, second);
    halve(scratch, second, columns, reduced);
}

/* A row of a reduced BGR image, in gray. weights: that of each of the 12 x columns channels in a row of pixels. sums: as
 * many. In `sums`, 256 is a gray level of the mean of 4 x 4 pixels. Rounding down 12 times takes 6 from it on average. */
HELPER void reduce_bgr(const uint8_t *restrict pixels, ptrdiff_t stride, int columns, const uint16_t *restrict weights,
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
        reduced[k] = (uint8_t)((uint16_t)(a + 128 + 6) >> 8);
    }
}

/* The image has at least 4 x rows and 4 x columns pixels with `channels` (1 or 3) each. scratch: 24 x columns. reduced:
 * rows x columns. */
VECTORIZED
void tk_reduce(const uint8_t *pixels, ptrdiff_t stride, int channels, int rows, int columns, uint16_t *restrict scratch,
               uint8_t *restrict reduced)
{
    uint16_t *weights = scratch + 12 * columns;
    for (int k = 0; k < 12 * columns; k++)
        weights[k] = k % 3 == 0 ? BLUE : k % 3 == 1 ? GREEN : RED;
    for (int row = 0; row < rows; row++, pixels += REDUCTION * stride, reduced += columns) {
        if (channels == 1)
            reduce_gray(pixels, stride, columns, (uint8_t *)scratch, reduced);
        else
            reduce_bgr(pixels, stride, columns, weights, scratch, reduced);
    }
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
