package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// million is how many posts a large database holds.
const million = 1_000_000

// measureLarge compares a daemon that has a million posts waiting with one that
// has a thousand, and with an empty one: what a page of the list costs, how soon
// it serves after its start, and its memory.
func measureLarge(ctx context.Context, b *bench) (out []result, err error) {
	empty, err := b.fresh()
	if err != nil {
		return nil, err
	}
	small, err := b.seed(ctx, 1000)
	if err != nil {
		return nil, err
	}
	posts := million / b.scale
	large, err := b.seed(ctx, posts)
	if err != nil {
		return nil, err
	}
	daemons := make([]*daemon, 3)
	for i, dir := range []string{empty, small, large} {
		if daemons[i], err = b.start(ctx, dir); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, daemons[i].stop()) }()
	}
	pages, err := b.comparePages(ctx, daemons[1], daemons[2])
	if err != nil {
		return nil, err
	}
	memory, err := compareMemory(daemons[0], daemons[2], posts)
	if err != nil {
		return nil, err
	}
	start := atMost(fmt.Sprintf("ready after a start with %d waiting", posts), daemons[2].ready, time.Second, formatDuration,
		"empty: "+formatDuration(daemons[0].ready))
	return append(pages, start, memory), nil
}

// pages are the lists that are read; the last two begin in the middle.
var pages = []string{
	"/posts", "/posts?status=scheduled", "/posts?sort=publish_at", "/posts?sort=-publish_at&status=scheduled&status=failed",
	"/posts?status=failed", "/posts?sort=created_at&limit=100", "/posts?social_account_id=%s", "/posts?sort=publish_at&publish_after=%s",
}

func (b *bench) comparePages(ctx context.Context, small, large *daemon) ([]result, error) {
	measure := func(d *daemon, all *[]float64) func() (float64, error) {
		return func() (float64, error) {
			took, err := d.readPages(ctx, 25)
			*all = append(*all, took...)
			if err != nil {
				return 0, err
			}
			return median(took), nil
		}
	}
	var smallTimes, largeTimes []float64
	controls, subjects, err := compare(b.rounds, measure(small, &smallTimes), measure(large, &largeTimes))
	if err != nil {
		return nil, err
	}
	r := ratio{name: "a page of the list, 1,000,000 posts / 1,000: median", controls: controls, subjects: subjects, atMost: 1.5, unit: "µs"}.result()
	tail := ratio{name: "the same: p99", controls: []float64{percentile(smallTimes, .99)}, subjects: []float64{percentile(largeTimes, .99)}, atMost: 3, unit: "µs"}.result()
	return []result{r, tail}, nil
}

// readPages reads every page a number of times and returns each time, in µs.
func (d *daemon) readPages(ctx context.Context, times int) ([]float64, error) {
	var accounts struct {
		Results []struct{ ID string } `json:"results"`
	}
	if err := d.call(ctx, "GET", "/social-accounts", "", &accounts); err != nil {
		return nil, err
	}
	soon := time.Now().Add(26 * time.Hour).UTC().Format(time.RFC3339)
	var requests [][]byte
	for _, p := range pages {
		switch {
		case p == pages[len(pages)-2]:
			p = fmt.Sprintf(p, accounts.Results[0].ID)
		case p == pages[len(pages)-1]:
			p = fmt.Sprintf(p, soon)
		}
		requests = append(requests, d.get(p))
	}
	took, err := load(ctx, d.address, 1, times*len(requests), func(i int) []byte { return requests[i%len(requests)] })
	out := make([]float64, len(took))
	for i, t := range took {
		out[i] = float64(t.Microseconds())
	}
	return out, err
}

func compareMemory(empty, large *daemon, posts int) (result, error) {
	before, err := empty.anonymous()
	if err != nil {
		return result{}, err
	}
	after, err := large.anonymous()
	if err != nil {
		return result{}, err
	}
	each := float64(after-before) / float64(posts)
	return atMost("anonymous memory for each waiting target", each, 64, func(v float64) string { return fmt.Sprintf("%.0f B", v) },
		fmt.Sprintf("%.1f MB, the empty daemon %.1f MB", float64(after)/1e6, float64(before)/1e6)), nil
}
