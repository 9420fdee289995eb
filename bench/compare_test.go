package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoundsRotateTheFirstRun(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	run := func(name string) measure {
		return func(context.Context) (sample, error) {
			order.WriteString(name)
			return sample{1}, nil
		}
	}
	if _, err := compare(t.Context(), 4, run("s"), run("a"), run("b")); err != nil {
		t.Fatal(err)
	}
	if want := "absab" + "bsaba" + "sabab" + "ababs"; order.String() != want {
		t.Errorf("order %s, want %s", &order, want)
	}
}

// values returns a measure that returns the given values in turn.
func values(v ...float64) measure {
	next := 0
	return func(context.Context) (sample, error) {
		next++
		return sample{0, v[next-1]}, nil
	}
}

// Each of five rounds has a different drift, which must not affect the ratio: the
// control runs twice a round, before and after the subject, or both on one side of it.
func TestRatioIsTheMedianOverRounds(t *testing.T) {
	t.Parallel()
	all, err := compare(t.Context(), 5,
		values(50, 100, 150, 999, 25),
		values(90, 110, 200, 200, 310, 290, 100, 100, 40, 60))
	if err != nil {
		t.Fatal(err)
	}
	c := all[0]
	if got := c.ratio(1); got != 0.5 {
		t.Errorf("ratio %v, want 0.5", got)
	}
	if diff := cmp.Diff([]float64{50, 100, 150, 999, 25}, c.subjects(1)); diff != "" {
		t.Error(diff)
	}
	controls := c.controls(1)
	slices.Sort(controls)
	if diff := cmp.Diff([]float64{40, 60, 90, 100, 100, 110, 200, 200, 290, 310}, controls); diff != "" {
		t.Error(diff)
	}
}

func TestSpreadIgnoresOutliers(t *testing.T) {
	t.Parallel()
	c := comparison{
		{control: [2]sample{{100}, {1000}}}, {control: [2]sample{{90}, {110}}}, {control: [2]sample{{1}, {100}}},
	}
	if got := c.spread(0); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("spread %v, want (110-90)/100", got)
	}
	if got := c[1:2].spread(0); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("spread of two runs %v, want (110-90)/100", got)
	}
}

func TestCompareEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	runs := 0
	_, err := compare(t.Context(), 5, values(1, 2, 3, 4, 5), func(context.Context) (sample, error) {
		runs++
		return nil, broken
	})
	if !errors.Is(err, broken) || runs != 1 {
		t.Errorf("%d runs, error %v", runs, err)
	}
}

func TestMedianAndPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"median of three", median([]float64{9, 1, 2}), 2},
		{"median of four", median([]float64{9, 1, 2, 4}), 3},
		{"median of one", median([]float64{7}), 7},
		{"p99 of a hundred", percentile(hundred, 0.99), 99},
		{"p99 of ten", percentile(hundred[:10], 0.99), 100},
		{"the last", percentile(hundred, 1), 100},
		{"the first", percentile(hundred, 0), 1},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if !math.IsNaN(median(nil)) || !math.IsNaN(percentile(nil, 0.5)) {
		t.Error("a figure without values")
	}
}
