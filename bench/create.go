package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// measureCreates compares durable creates through the API with a bare bbolt
// database that is given the same bytes in the same buckets.
func measureCreates(ctx context.Context, b *bench) ([]result, error) {
	var out []result
	for _, c := range []struct {
		connections, posts int
		goal               float64
		bare               func(recording) (float64, error)
		name               string
	}{
		{1, 1000, 0.60, b.bareSingle, "durable create, 1 connection / single bbolt Update"},
		{64, 8000, 0.70, func(r recording) (float64, error) { return b.bareGrouped(r, 64) }, "durable create, 64 connections / grouped bbolt commit"},
	} {
		posts := c.posts / b.scale
		var rec recording
		subject := func() (rate float64, err error) {
			rate, rec, err = b.create(ctx, c.connections, posts)
			return rate, err
		}
		if _, err := subject(); err != nil { // warms up, and records what the control writes
			return nil, err
		}
		fixed := rec
		controls, subjects, err := compare(b.rounds, func() (float64, error) { return c.bare(fixed) }, subject)
		if err != nil {
			return nil, err
		}
		r := ratio{name: c.name, controls: controls, subjects: subjects, atLeast: c.goal, unit: "posts/s"}.result()
		r.Detail += fmt.Sprintf("; %d B each in %d puts", fixed.bytes(), len(fixed[0]))
		out = append(out, r)
	}
	return out, nil
}

// create measures a fresh daemon and returns posts per second and what it wrote.
func (b *bench) create(ctx context.Context, connections, posts int) (rate float64, rec recording, err error) {
	dir, err := b.fresh()
	if err != nil {
		return 0, nil, err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return 0, nil, err
	}
	began, took := time.Now(), time.Duration(0)
	account, err := d.connect(ctx, `{"platform":"feed","name":"bench"}`)
	if err == nil {
		body := fmt.Sprintf(`{"content":"A post of usual length, with a link: https://example.org/articles/42","social_account_ids":[%q],"publish_at":%q}`,
			account, began.Add(24*time.Hour).UTC().Format(time.RFC3339))
		requests := make([][]byte, posts)
		for i := range requests {
			requests[i] = d.post(fmt.Sprintf("bench-%d", i), body)
		}
		began = time.Now()
		_, err = load(ctx, d.address, connections, posts, func(i int) []byte { return requests[i] })
		took = time.Since(began)
	}
	if stopped := d.stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return 0, nil, err
	}
	rec, err = record(filepath.Join(dir, "schedctl.db"), posts)
	return float64(posts) / took.Seconds(), rec, err
}
