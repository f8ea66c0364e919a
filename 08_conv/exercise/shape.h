/* The shape of a convolution in step 08's exercises. Each exercise has a copy of it. */
#ifndef RUNGS_CHECK_SHAPE_H
#define RUNGS_CHECK_SHAPE_H

/* A convolution of one image: `channels` planes of height x width, a window of window_height x
 * window_width. Output pixel (oy, ox) sees input pixel (oy * stride - padding + r * dilation, and
 * likewise for x) through place (r, s) of the window; outside of the image the input is 0. */
struct shape {
    int channels, height, width, window_height, window_width, stride, padding, dilation;
    int out_height, out_width;
};

#endif
