/* Texture, and the places where it looks like that of a code. */
#include "native.h"

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

/* texture: 4 x rows / 8 x columns / 8; rows and columns are multiples of 8. stride: of the image, in bytes. height: of the
 * image. scratch: 2 x columns. between: columns / 8. */
VECTORIZED
void tk_measure_texture(const uint8_t *gray, ptrdiff_t stride, int height, int rows, int columns, int min_hidden_ratio,
                        uint16_t *restrict scratch, float *restrict between, float *restrict texture)
{
    int width = columns / CELL;
    size_t plane = (size_t)(rows / CELL) * (size_t)width;
    uint8_t *first = (uint8_t *)(scratch + columns), *second = first + columns;
    for (int row = 0; row < rows / CELL; row++, texture += width) {
        const uint8_t *upper0 = gray + row * CELL * stride, *lower0 = upper0 + 2 * stride;
        const uint8_t *upper1 = upper0 + 4 * stride, *lower1 = upper0 + 6 * stride;
        const uint8_t *below = (row + 1) * CELL < height ? upper0 + 8 * stride : upper0 + 7 * stride;
        absolute_differences(upper0, upper0 + 2, columns - 2, columns, first);
        absolute_differences(upper1, upper1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture);
        absolute_differences(lower0, upper1, columns, columns, first);
        absolute_differences(lower1, below, columns, columns, second);
        cell_means(first, second, columns, scratch, between);
        absolute_differences(upper0, lower0, columns, columns, first);
        absolute_differences(upper1, lower1, columns, columns, second);
        cell_means(first, second, columns, scratch, texture + plane);
        for (int k = 0; k < width; k++)
            if (between[k] > (float)min_hidden_ratio * texture[plane + (size_t)k])
                texture[plane + (size_t)k] = between[k];
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

/* The offset from a peak to the vertex of the parabola through the peak and its two neighbors, which are `step` cells
 * away. At the edge of the grid, both neighbors are the inner one. */
HELPER float vertex_offset(const float *peak, int place, int size, int step)
{
    float before = place > 0 ? peak[-step] : size > 1 ? peak[step] : peak[0];
    float after = place + 1 < size ? peak[step] : size > 1 ? peak[-step] : peak[0];
    float curvature = 2 * (2 * peak[0] - before - after);
    return (after - before) / (curvature > 1e-3f ? curvature : 1e-3f);
}

/* Whether no cell in the square of width x width cells around this one exceeds it. */
HELPER int is_highest(const float *response, int rows, int columns, int width, int row, int column)
{
    int half = width / 2, first_column = column > half ? column - half : 0;
    int last_row = row + half < rows ? row + half : rows - 1;
    int last_column = column + half < columns ? column + half : columns - 1;
    for (int y = row > half ? row - half : 0; y <= last_row; y++)
        for (int x = first_column; x <= last_column; x++)
            if (response[y * columns + x] > response[row * columns + column])
                return 0;
    return 1;
}

/* Finds the cells whose response is above the threshold, and which no cell in the square around them exceeds. peaks: the
 * indexes of these cells; places: x and y of the peaks, interpolated between cells. Both have room for each cell. Returns
 * the number of peaks. */
VECTORIZED
int tk_find_peaks(const float *response, int rows, int columns, int width, float threshold, int *peaks, float *places)
{
    int count = 0;
    for (int row = 0; row < rows; row++)
        for (int start = 0; start < columns; start += 2 * LANES) {
            int end = start + 2 * LANES < columns ? start + 2 * LANES : columns, high = 0;
            for (int column = start; column < end; column++)
                high |= response[row * columns + column] > threshold;
            for (int column = start; high && column < end; column++) {
                const float *cell = response + row * columns + column;
                if (!(*cell > threshold && is_highest(response, rows, columns, width, row, column)))
                    continue;
                places[2 * count] = (float)column + vertex_offset(cell, column, columns, 1);
                places[2 * count + 1] = (float)row + vertex_offset(cell, row, rows, columns);
                peaks[count++] = row * columns + column;
            }
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
