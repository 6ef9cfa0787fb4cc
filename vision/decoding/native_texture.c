/* Texture, and the places where it looks like that of a code. */
#include "native.h"

/* What a processor reads from memory at once, in bytes. */
#define CACHE_LINE 64

/* The mean of each cell in a row of cells, from two rows of pixels. Rounds as OpenCV does: to gray levels once for 2 x 2
 * pixels, and once for each cell. Adds pairs of neighbors as the halves of a wider integer. columns: a multiple of 8.
 * scratch: 3/4 x columns. */
HELPER void cell_means(const uint8_t *restrict first, const uint8_t *restrict second, int columns,
                       uint16_t *restrict scratch, uint8_t *restrict cells)
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
        cells[k] = (uint8_t)((sum + 1 + ((sum >> 2) & 1)) >> 2); /* rounds half to even */
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

/* Asks for every second row of pixels of a row of cells, which will be read soon. */
HELPER void prefetch_rows(const uint8_t *pixels, ptrdiff_t stride, int columns)
{
#ifdef __GNUC__
    for (int row = 0; row < CELL; row += 2)
        for (int k = 0; k < columns; k += CACHE_LINE)
            __builtin_prefetch(pixels + row * stride + k);
#endif
}

/* texture: 4 x rows / 8 x columns / 8; rows and columns are multiples of 8. stride: of the image, in bytes. height: of the
 * image. scratch: 2 x columns. between: columns / 8. */
VECTORIZED
void tk_measure_texture(const uint8_t *gray, ptrdiff_t stride, int height, int rows, int columns, int min_hidden_ratio,
                        uint16_t *restrict scratch, uint8_t *restrict between, uint8_t *restrict texture)
{
    int width = columns / CELL;
    size_t plane = (size_t)(rows / CELL) * (size_t)width;
    uint8_t *first = (uint8_t *)(scratch + columns), *second = first + columns;
    for (int row = 0; row < rows / CELL; row++, texture += width) {
        const uint8_t *upper0 = gray + row * CELL * stride, *lower0 = upper0 + 2 * stride;
        const uint8_t *upper1 = upper0 + 4 * stride, *lower1 = upper0 + 6 * stride;
        const uint8_t *below = (row + 1) * CELL < height ? upper0 + 8 * stride : upper0 + 7 * stride;
        if (row + 1 < rows / CELL)
            prefetch_rows(upper0 + CELL * stride, stride, columns);
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
            if (between[k] > min_hidden_ratio * texture[plane + (size_t)k])
                texture[plane + (size_t)k] = between[k];
        absolute_differences(upper0, lower0 + 2, columns - 2, columns, first);
        absolute_differences(upper1, lower1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture + 2 * plane);
        absolute_differences(lower0, upper0 + 2, columns - 2, columns, first);
        absolute_differences(lower1, upper1 + 2, columns - 2, columns, second);
        cell_means(first, second, columns, scratch, texture + 3 * plane);
    }
}

/* A quarter of the total texture of the background: one in `one_in` of every third cell in every third row has less. */
HELPER float background_texture(const uint8_t *texture, int rows, int columns, int one_in)
{
    size_t plane = (size_t)rows * (size_t)columns;
    int cells_with[4 * 255 + 1] = {0}, level = 0, fewer = (rows + 2) / 3 * ((columns + 2) / 3) / one_in;
    for (int row = 0; row < rows; row += 3)
        for (int column = 0; column < columns; column += 3) {
            const uint8_t *cell = texture + row * columns + column;
            cells_with[cell[0] + cell[plane] + cell[2 * plane] + cell[3 * plane]]++;
        }
    for (int cells = cells_with[0]; cells <= fewer; cells += cells_with[level])
        level++;
    return (float)level / 4;
}

/* texture and normalized: 4 x rows x columns, in cells. scratch: columns in pixels. bright: 4 x (columns + 2), for the
 * brightness of three rows of cells with a cell on either side, and for their highest values. factors: columns. */
VECTORIZED
void tk_normalize_texture(const uint8_t *gray, ptrdiff_t stride, const uint8_t *restrict texture, int rows, int columns,
                          int one_in, int min_brightness, uint16_t *restrict scratch, uint8_t *restrict bright,
                          float *restrict factors, float *restrict normalized)
{
    float background = background_texture(texture, rows, columns, one_in);
    size_t plane = (size_t)rows * (size_t)columns;
    int width = columns + 2;
    uint8_t *highest = bright + 3 * width;
    memset(bright, 0, 4 * (size_t)width);
    for (int row = -1; row < rows; row++) {
        uint8_t *below = bright + (row + 1) % 3 * width;
        const uint8_t *pixels = gray + (row + 1) * CELL * stride;
        if (row + 1 < rows)
            cell_means(pixels, pixels + 4 * stride, columns * CELL, scratch, below + 1);
        else
            memset(below, 0, (size_t)width);
        if (row < 0)
            continue;
        for (int k = 0; k < width; k++) {
            uint8_t most = bright[k] > bright[width + k] ? bright[k] : bright[width + k];
            highest[k] = most > bright[2 * width + k] ? most : bright[2 * width + k];
        }
        for (int k = 0; k < columns; k++) {
            int most = highest[k] > highest[k + 1] ? highest[k] : highest[k + 1];
            most = most > highest[k + 2] ? most : highest[k + 2];
            factors[k] = 100 / (float)(most > min_brightness ? most : min_brightness);
        }
        for (int direction = 0; direction < 4; direction++) {
            size_t start = (size_t)direction * plane + (size_t)row * (size_t)columns;
            for (int k = 0; k < columns; k++) {
                float above = (float)texture[start + (size_t)k] - background;
                normalized[start + (size_t)k] = (above > 0 ? above : 0) * factors[k];
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
    int count = 0, size = rows * columns;
    for (int start = 0; start < size; start += BLOCK) {
        int end = start + BLOCK < size ? start + BLOCK : size, is_high = 0;
        const float *block = response + start;
        if (end - start == BLOCK)
            for (int k = 0; k < BLOCK; k++)
                is_high |= block[k] > threshold;
        for (int k = start; k < end && (is_high || end - start < BLOCK); k++) {
            int row = k / columns, column = k % columns;
            if (!(response[k] > threshold && is_highest(response, rows, columns, width, row, column)))
                continue;
            places[2 * count] = (float)column + vertex_offset(response + k, column, columns, 1);
            places[2 * count + 1] = (float)row + vertex_offset(response + k, row, rows, columns);
            peaks[count++] = k;
        }
    }
    return count;
}

/* The sums of `count` cells each that are `step` apart. */
HELPER void sum_cells(const float *restrict cells, int step, int count, int columns, float *restrict sums)
{
    const float *next = cells + step;
    memcpy(sums, cells, (size_t)columns * sizeof(float));
    for (; count > 4; count -= 4, next += 4 * step) {
        const float *second = next + step, *third = second + step, *fourth = third + step;
        for (int k = 0; k < columns; k++)
            sums[k] += next[k] + second[k] + third[k] + fourth[k];
    }
    for (; count > 1; count--, next += step)
        for (int k = 0; k < columns; k++)
            sums[k] += next[k];
}

/* texture: 4 x rows x columns. side: odd. Cells outside of the grid count as 0. scratch: 5 x (columns + side). response:
 * rows x columns. */
VECTORIZED
void tk_mean_response(const float *restrict texture, int rows, int columns, int side, float min_isotropy,
                      float *restrict scratch, float *restrict response)
{
    float weight = 1.0f / (float)(side * side);
    int half = side / 2;
    size_t length = (size_t)(columns + side), plane = (size_t)rows * (size_t)columns;
    const float *a = scratch + length, *b = a + length, *c = b + length, *d = c + length;
    memset(scratch, 0, length * sizeof(float));
    for (int row = 0; row < rows; row++, response += columns) {
        int first = row < half ? 0 : row - half, last = row + half < rows ? row + half : rows - 1;
        for (size_t k = 0; k < 4; k++) {
            sum_cells(texture + k * plane + first * columns, columns, last - first + 1, columns, scratch + half);
            sum_cells(scratch, 1, side, columns, scratch + (k + 1) * length);
        }
        for (int k = 0; k < columns; k++) {
            float straight = (a[k] + b[k]) * weight, diagonal = (c[k] + d[k]) * weight;
            float one = 2 * weight * (a[k] < b[k] ? a[k] : b[k]) / (straight > 1e-3f ? straight : 1e-3f);
            float other = 2 * weight * (c[k] < d[k] ? c[k] : d[k]) / (diagonal > 1e-3f ? diagonal : 1e-3f);
            float isotropy = (one < other ? one : other) - min_isotropy;
            response[k] = straight * (isotropy > 0 ? isotropy : 0) / (1 - min_isotropy);
        }
    }
}
