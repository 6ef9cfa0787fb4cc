/* Where codes may be, and the shapes of those that were read. */
#include "native.h"

/* The highest (or, if is_highest is 0, the lowest) value of each cell and its eight neighbors. scratch: rows x columns. */
HELPER void spread(const uint8_t *restrict mask, int rows, int columns, int is_highest, uint8_t *restrict scratch,
                   uint8_t *restrict result)
{
    for (int row = 0; row < rows; row++) {
        const uint8_t *here = mask + row * columns, *above = row > 0 ? here - columns : here;
        const uint8_t *below = row + 1 < rows ? here + columns : here;
        uint8_t *target = scratch + row * columns;
        for (int k = 0; k < columns; k++) {
            uint8_t any = above[k] | here[k] | below[k], all = above[k] & here[k] & below[k];
            target[k] = is_highest ? any : all;
        }
    }
    for (int row = 0; row < rows; row++) {
        const uint8_t *here = scratch + row * columns, *second = here + 1, *third = here + 2;
        uint8_t *target = result + row * columns, *middle = target + 1;
        for (int k = 0; k < columns - 2; k++) {
            uint8_t any = here[k] | second[k] | third[k], all = here[k] & second[k] & third[k];
            middle[k] = is_highest ? any : all;
        }
        for (int k = 0; k < columns; k += columns > 1 ? columns - 1 : 1) {
            uint8_t before = here[k > 0 ? k - 1 : k], after = here[k + 1 < columns ? k + 1 : k];
            target[k] = is_highest ? before | here[k] | after : before & here[k] & after;
        }
    }
}

/* A run of cells in a row, which is part of a region. The root of a region has its box and its highest response. */
typedef struct {
    int row, start, end, parent, x0, y0, x1, y1;
    float peak;
} run;

static int root_of(run *runs, int index)
{
    while (runs[index].parent != index)
        index = runs[index].parent = runs[runs[index].parent].parent;
    return index;
}

/* Makes one region of two. The earlier root stays a root. */
static void join(run *runs, int one, int other)
{
    one = root_of(runs, one), other = root_of(runs, other);
    if (one == other)
        return;
    run *to = runs + (one < other ? one : other), *from = runs + (one < other ? other : one);
    from->parent = to->parent;
    to->x0 = to->x0 < from->x0 ? to->x0 : from->x0;
    to->y0 = to->y0 < from->y0 ? to->y0 : from->y0;
    to->x1 = to->x1 > from->x1 ? to->x1 : from->x1;
    to->y1 = to->y1 > from->y1 ? to->y1 : from->y1;
    to->peak = to->peak > from->peak ? to->peak : from->peak;
}

/* The size of a run, so that the caller can make room. */
int tk_run_size(void)
{
    return (int)sizeof(run);
}

/* Closes gaps of up to two cells in the mask, and finds the regions of its neighboring cells. scratch: 2 x rows x columns.
 * Returns the number of runs. */
HELPER int find_runs(const float *response, int rows, int columns, uint8_t *mask, uint8_t *scratch, run *runs)
{
    int size = rows * columns, count = 0, previous = 0;
    uint8_t *closed = scratch + size;
    spread(mask, rows, columns, 1, scratch, closed);
    memcpy(mask, closed, (size_t)size);
    spread(mask, rows, columns, 0, scratch, closed);
    for (int row = 0; row < rows; row++) {
        int first = count, candidate = previous;
        const uint8_t *cells = closed + row * columns;
        for (int k = 0; k < columns; k++) {
            uint64_t eight = 1;
            if (k + 8 <= columns)
                memcpy(&eight, cells + k, sizeof eight);
            if (!eight)
                k += 7;
            if (!cells[k])
                continue;
            run *here = runs + count;
            here->row = row, here->start = k, here->peak = 0;
            for (; k < columns && cells[k]; k++)
                here->peak = here->peak > response[row * columns + k] ? here->peak : response[row * columns + k];
            here->end = k, here->parent = count;
            here->x0 = here->start, here->x1 = k, here->y0 = row, here->y1 = row + 1;
            while (candidate < first && runs[candidate].end < here->start)
                candidate++;
            for (int above = candidate; above < first && runs[above].start <= here->end; above++)
                join(runs, count, above);
            count++;
        }
        previous = first;
    }
    return count;
}

/* Finds the regions of neighboring cells whose response is above `low`, after closing gaps of up to two cells. Then does
 * so again without the cells whose response is not above `ratio` x that of the strongest cell of their region. Returns the
 * number of regions with a cell above `high` that are at least min_cells wide and high. masks: 3 x rows x columns. memory:
 * room for a run for every second cell of each row and one more. boxes: likewise, of four numbers: x, y, width and height
 * in cells. */
VECTORIZED
int tk_find_regions(const float *response, int rows, int columns, float low, float high, float ratio, int min_cells,
                    uint8_t *masks, void *memory, int *boxes)
{
    int size = rows * columns, found = 0;
    run *runs = memory;
    for (int k = 0; k < size; k++)
        masks[k] = response[k] > low;
    int count = find_runs(response, rows, columns, masks, masks + size, runs);
    memset(masks, 0, (size_t)size);
    for (int n = 0; n < count; n++) {
        float limit = ratio * runs[root_of(runs, n)].peak;
        limit = limit > low ? limit : low;
        for (int k = runs[n].row * columns + runs[n].start; k < runs[n].row * columns + runs[n].end; k++)
            masks[k] = response[k] > limit;
    }
    count = find_runs(response, rows, columns, masks, masks + size, runs);
    for (int k = 0; k < count; k++) {
        const run *region = runs + k;
        int width = region->x1 - region->x0, height = region->y1 - region->y0;
        if (region->parent != k || !(region->peak > high) || width < min_cells || height < min_cells)
            continue;
        int *box = boxes + 4 * found++;
        box[0] = region->x0, box[1] = region->y0, box[2] = width, box[3] = height;
    }
    return found;
}

/* The centroid, the mean edge length and the elements xx, xy and yy of the module scale of each quadrilateral: count x 6.
 * quads: count x 4 x 2. modules: along the side of a code. */
void tk_measure_quads(const double *quads, int count, double modules, double *measures)
{
    for (int n = 0; n < count; n++, quads += 8, measures += 6) {
        double side = 0, xx = 0, xy = 0, yy = 0;
        for (int k = 0; k < 8; k += 2)
            side += hypot(quads[(k + 2) % 8] - quads[k], quads[(k + 3) % 8] - quads[k + 1]);
        for (int k = 0; k < 2; k++) {
            const double *a = quads, *b = quads + (k ? 6 : 2), *c = quads + 4, *d = quads + (k ? 2 : 6);
            double x = (b[0] - a[0] + c[0] - d[0]) / (2 * modules), y = (b[1] - a[1] + c[1] - d[1]) / (2 * modules);
            xx += x * x, xy += x * y, yy += y * y;
        }
        double squared = xx * yy - xy * xy, area = sqrt(squared > 0 ? squared : 0), root = sqrt(xx + yy + 2 * area);
        measures[0] = (quads[0] + quads[2] + quads[4] + quads[6]) / 4;
        measures[1] = (quads[1] + quads[3] + quads[5] + quads[7]) / 4;
        measures[2] = side / 4;
        measures[3] = (xx + area) / root, measures[4] = xy / root, measures[5] = (yy + area) / root;
    }
}

/* Whether a quadrilateral could be a code: convex, not mirrored, large enough and roughly square. */
static int has_code_shape(const double *quad, double min_edge, double max_ratio)
{
    double shortest = HUGE_VAL, longest = 0;
    for (int k = 0; k < 8; k += 2) {
        double x = quad[(k + 2) % 8] - quad[k], y = quad[(k + 3) % 8] - quad[k + 1], length = hypot(x, y);
        double after_x = quad[(k + 4) % 8] - quad[(k + 2) % 8], after_y = quad[(k + 5) % 8] - quad[(k + 3) % 8];
        if (!(x * after_y > y * after_x))
            return 0;
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
    }
    return shortest >= min_edge && longest <= max_ratio * shortest;
}

/* Which of the codes to keep, best first: those with the shape of a code that overlap none that is kept. is_known: whether
 * each is a known code. measures: see tk_measure_quads. keep: 1 or 0 for each. */
void tk_find_duplicates(const double *quads, const uint8_t *is_known, const double *measures, int count,
                        double min_edge, double max_edge_ratio, double max_distance, double max_size_ratio,
                        uint8_t *keep)
{
    for (int n = 0; n < count; n++) {
        const double *here = measures + 6 * n;
        keep[n] = (uint8_t)has_code_shape(quads + 8 * n, min_edge, max_edge_ratio);
        for (int k = 0; k < n && keep[n]; k++) {
            const double *other = measures + 6 * k;
            double larger = here[2] > other[2] ? here[2] : other[2], smaller = here[2] > other[2] ? other[2] : here[2];
            int is_near = hypot(here[0] - other[0], here[1] - other[1]) < max_distance * larger;
            int is_comparable = is_known[n] || is_known[k] || larger < max_size_ratio * smaller;
            keep[n] = !(keep[k] && is_near && is_comparable);
        }
    }
}

/* Whether each of the points lies on one of the quadrilaterals, scaled by sticker_sides about their centroids. points:
 * count x 2; quads: codes x 4 x 2. are_on: 1 or 0 for each point. */
void tk_are_on_codes(const double *points, int count, const double *quads, int codes, double sticker_sides,
                     uint8_t *are_on)
{
    memset(are_on, 0, (size_t)count);
    for (int n = 0; n < codes; n++, quads += 8) {
        double center_x = (quads[0] + quads[2] + quads[4] + quads[6]) / 4;
        double center_y = (quads[1] + quads[3] + quads[5] + quads[7]) / 4;
        for (int k = 0; k < count; k++) {
            double x = (points[2 * k] - center_x) / sticker_sides, y = (points[2 * k + 1] - center_y) / sticker_sides;
            int left = 0, right = 0;
            for (int edge = 0; edge < 8; edge += 2) {
                double dx = quads[(edge + 2) % 8] - quads[edge], dy = quads[(edge + 3) % 8] - quads[edge + 1];
                double area = dx * (y + center_y - quads[edge + 1]) - dy * (x + center_x - quads[edge]);
                left += area >= 0, right += area <= 0;
            }
            are_on[k] |= left == 4 || right == 4;
        }
    }
}
