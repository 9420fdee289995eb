package main

import (
	"context"
	"math"
	"slices"
	"time"
)

// sample holds the figures of one run, in the order defined by its case.
type sample []float64

// measure runs a subject or a control once.
type measure func(context.Context) (sample, error)

// round holds a subject's sample and the two samples of one control.
type round struct {
	subject sample
	control [2]sample
}

// comparison holds the rounds in which a subject was compared with one control.
type comparison []round

// compare measures a subject with its controls and returns a comparison with each
// control. In a round every control runs, then the subject, then every control again.
// Each round starts one run later in that order, so that no run is always first.
func compare(ctx context.Context, rounds int, subject measure, controls ...measure) ([]comparison, error) {
	sequence := slices.Concat(controls, []measure{subject}, controls)
	out := make([]comparison, len(controls))
	for r := range rounds {
		samples := make([]sample, len(sequence))
		for _, i := range runOrder(len(sequence), r) {
			s, err := sequence[i](ctx)
			if err != nil {
				return nil, err
			}
			samples[i] = s
		}
		n := len(controls)
		for c := range controls {
			out[c] = append(out[c], round{samples[n], [2]sample{samples[c], samples[n+1+c]}})
		}
	}
	return out, nil
}

// runOrder returns the order of n runs in a round.
func runOrder(n, round int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round) % n
	}
	return order
}

// ratio returns the median, over the rounds, of a figure of the subject divided by the
// mean of the control's two.
func (c comparison) ratio(figure int) float64 {
	ratios := make([]float64, len(c))
	for i, r := range c {
		ratios[i] = r.subject[figure] / ((r.control[0][figure] + r.control[1][figure]) / 2)
	}
	return median(ratios)
}

// subjects returns a figure of the subject in each round, controls that of the control
// in each of its runs.
func (c comparison) subjects(figure int) (v []float64) {
	for _, r := range c {
		v = append(v, r.subject[figure])
	}
	return v
}

func (c comparison) controls(figure int) (v []float64) {
	for _, r := range c {
		v = append(v, r.control[0][figure], r.control[1][figure])
	}
	return v
}

// spread returns how much a figure of the control varied over all its runs, relative to
// its median. With more than four runs, the highest and the lowest one are ignored: a
// single run does not change the ratio, which is a median.
func (c comparison) spread(figure int) float64 {
	v := slices.Sorted(slices.Values(c.controls(figure)))
	if len(v) > 4 {
		v = v[1 : len(v)-1]
	}
	return (v[len(v)-1] - v[0]) / median(v)
}

// median returns the middle of values, or the mean of the two in the middle.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n == 0 {
		return math.NaN()
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// percentile returns the smallest value that is not exceeded by the fraction q of all
// values.
func percentile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if len(s) == 0 {
		return math.NaN()
	}
	return s[max(0, int(math.Ceil(q*float64(len(s))))-1)]
}

// quantile is percentile of durations, and zero without any.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	v := make([]float64, len(d))
	for i := range d {
		v[i] = float64(d[i])
	}
	return time.Duration(percentile(v, q))
}
