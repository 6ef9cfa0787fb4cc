"""How the C files of vision/decoding/ become the module `vision.decoding._native`: setup.py gives this to setuptools.
The extension is optional: where it can't be compiled, the installation goes on without it."""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

FOLDER = Path("vision/decoding")
SOURCES = [str(FOLDER / f"native_{part}.c") for part in ("texture", "codes", "coarse_match", "poses", "cells")]
HEADER = FOLDER / "native.h"
DECLARATIONS = """
#define GRID ...
#define SAMPLES ...
#define MODULES ...
#define SHADING_TERMS ...
#define PARAMETERS ...
#define MAX_PATCH_SIDE ...
#define ROW ...
#define LANES ...
void tk_measure_texture(const uint8_t *gray, ptrdiff_t stride, int height, int rows, int columns,
                        int min_hidden_ratio, uint16_t *scratch, uint8_t *between, uint8_t *texture);
void tk_normalize_texture(const uint8_t *gray, ptrdiff_t stride, const uint8_t *texture, int rows, int columns,
                          int one_in, int min_brightness, uint16_t *scratch, uint8_t *bright, float *factors,
                          float *normalized);
int tk_find_peaks(const float *response, int rows, int columns, int width, float threshold, int *peaks, float *places);
int tk_run_size(void);
int tk_find_regions(const float *response, int rows, int columns, float low, float high, float ratio, int min_cells,
                    uint8_t *masks, void *memory, int *boxes);
void tk_measure_quads(const double *quads, int count, double modules, double *measures);
void tk_find_duplicates(const double *quads, const uint8_t *is_known, const double *measures, int count,
                        double min_edge, double max_edge_ratio, double max_distance, double max_size_ratio,
                        uint8_t *keep);
void tk_are_on_codes(const double *points, int count, const double *quads, int codes, double sticker_sides,
                     uint8_t *are_on);
void tk_mean_response(const float *texture, int rows, int columns, int side, float min_isotropy, float *scratch,
                      float *response);
void tk_sum_edge_directions(const float *patches, int count, int side, float *sums);
void tk_rectify_patches(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const float *to_px, int count,
                        int side, float *patches);
int tk_find_coarse_poses(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *centers,
                         const double *module_scales, int count, int radius, double step, const float *pairs,
                         const float *axis, int angle_bins, int template, int per_quarter,
                         const double *sizes, int size_count, float noise, float min_correlation, float min_ratio,
                         int max_peaks, float *scratch, int *choices, int *peaks, double *poses, int64_t *candidates);
void tk_sample_codes(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *poses, int count,
                     const float *grid, const float *shading, int is_unit, int step, float *samples);
void tk_refine_poses(const uint8_t *pixels, ptrdiff_t stride, int height, int width, double *poses, int count,
                     int iterations, const float *inverses, const float *models, const float *weights,
                     const float *tolerance, const int64_t *which, const float *grid, const double *max_update,
                     float min_contrast, double min_divisor);
void tk_refine_quads(const uint8_t *pixels, ptrdiff_t stride, int height, int width, const double *quads, int count,
                     double modules, int iterations, const float *inverses, const float *models,
                     const float *weights, const float *tolerance, const int64_t *which, const float *grid,
                     const double *max_update, float min_contrast, double min_divisor, double *refined);
void tk_identify(const float *samples, int count, int size, const int16_t *templates, int known_codes, int scale,
                 int16_t *rows, int64_t *codes, float *scores);
void tk_module_votes(const float *samples, const int64_t *codes, int count, const float *templates,
                     const float *unit_templates, const float *modules, int blurs, int known_codes,
                     const float *shading, const float *kernels, const float *norms, int robust_iterations,
                     float max_residual, float min_contrast, float min_correlation, float *votes);
void tk_reduce(const uint8_t *pixels, ptrdiff_t stride, int rows, int columns, uint16_t *scratch, uint8_t *reduced);
void tk_cell_features(const uint8_t *reduced, int rows, int columns, uint16_t *scratch, float *features);
int tk_compare_cells(const float *features, const float *background, const float *last, const float *noise,
                     const uint8_t *overexposed, int size, float usual_noise, float noise_ratio, float min_threshold,
                     float max_threshold, float *threshold, float *motion);
void tk_update_cells(float *background, float *noise, float *last_motion, const float *features, const float *motion,
                     const float *threshold, const uint8_t *overexposed, int rows, int columns, float t,
                     float change_ratio, float noise_rate, float background_rate, uint8_t *scratch, uint8_t *masks,
                     float *calm_seconds);
"""
FLAGS = ["-O3", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra"]

ffi = FFI()
ffi.cdef(DECLARATIONS)
ffi.set_source(
    "vision.decoding._native",
    f'#include "native.h"\n{DECLARATIONS[DECLARATIONS.index("void tk_measure_texture") :]}',
    sources=SOURCES,
    include_dirs=[str(FOLDER)],
    depends=[str(HEADER), *SOURCES],
    extra_compile_args=[] if sys.platform == "win32" else FLAGS,
    optional=True,
)
