/* What the files of the C extension share (vision/decoding/native.py calls them). They have the innermost loops of
 * reading codes and of detecting changes. Each function does the same as the numpy code beside its call, whose docstring says what it computes.
 * No function allocates memory or fails; the caller guarantees the sizes of all arrays. */
#ifndef TK_NATIVE_H
#define TK_NATIVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define CELL 8
#define GRID 31
#define SAMPLES (GRID * GRID)
#define MODULES 21
#define SHADING_TERMS 6
#define PARAMETERS 15
#define MAX_PATCH_SIDE 64
/* How many numbers are computed with at once. */
#define LANES 8
/* The rows of samples and of modules, padded to whole vectors. */
#define ROW 32
#define MODULE_ROW 24

/* GCC can compile a function twice, and chooses at run time: for every x86-64 machine, and for those with AVX2. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(NO_CLONES)
#if __GNUC__ >= 12
#define VECTORIZED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define VECTORIZED __attribute__((target_clones("avx2", "default")))
#endif
#else
#define VECTORIZED
#endif

/* These functions become a part of each version of those that call them. */
#ifdef __GNUC__
#define HELPER static inline __attribute__((always_inline))
#else
#define HELPER static inline
#endif

/* A gray image. stride: the distance between its rows, in bytes. */
typedef struct {
    const uint8_t *pixels;
    ptrdiff_t stride;
    int height, width;
} image;

#define BLOCK 64
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE_ENDIAN 1
#else
#define IS_LITTLE_ENDIAN 0
#endif

/* The gray levels of the image at `count` points, at most BLOCK: see sample_points. */
HELPER void sample_block(image gray, int count, const float *restrict x, const float *restrict y,
                         float *restrict samples)
{
    int columns[BLOCK], rows[BLOCK];
    float across[BLOCK], down[BLOCK];
    uint32_t squares[BLOCK];
    int last_column = gray.width > 1 ? gray.width - 2 : 0, last_row = gray.height > 1 ? gray.height - 2 : 0;
    ptrdiff_t next_column = gray.width > 1, next_row = gray.height > 1 ? gray.stride : 0;
    float right = (float)(gray.width - 1), bottom = (float)(gray.height - 1);
    for (int k = 0; k < count; k++) {
        float u = x[k] > 0 ? x[k] : 0, v = y[k] > 0 ? y[k] : 0;
        u = u < right ? u : right;
        v = v < bottom ? v : bottom;
        columns[k] = (int)u < last_column ? (int)u : last_column;
        rows[k] = (int)v < last_row ? (int)v : last_row;
        across[k] = u - (float)columns[k];
        down[k] = v - (float)rows[k];
    }
    for (int k = 0; k < count; k++) {
        const uint8_t *upper = gray.pixels + rows[k] * gray.stride + columns[k], *lower = upper + next_row;
        if (next_column && IS_LITTLE_ENDIAN) { /* reads two pixels at once */
            uint16_t above, below;
            memcpy(&above, upper, sizeof above);
            memcpy(&below, lower, sizeof below);
            squares[k] = above | (uint32_t)below << 16;
        } else {
            squares[k] = upper[0] | (uint32_t)upper[next_column] << 8 | (uint32_t)lower[0] << 16 |
                         (uint32_t)lower[next_column] << 24;
        }
    }
    for (int k = 0; k < count; k++) {
        float a = (float)(int)(squares[k] & 255), b = (float)(int)(squares[k] >> 8 & 255);
        float c = (float)(int)(squares[k] >> 16 & 255), d = (float)(int)(squares[k] >> 24);
        float above = a + across[k] * (b - a), below = c + across[k] * (d - c);
        samples[k] = above + down[k] * (below - above);
    }
}

/* The gray levels of the image at `count` points, interpolated between pixels. Outside of the image, and where a
 * coordinate is not a number, they are those of the nearest pixel. */
HELPER void sample_points(image gray, int count, const float *restrict x, const float *restrict y,
                          float *restrict samples)
{
    int start = 0;
    for (; start + BLOCK <= count; start += BLOCK)
        sample_block(gray, BLOCK, x + start, y + start, samples + start);
    sample_block(gray, count - start, x + start, y + start, samples + start);
}

#endif
