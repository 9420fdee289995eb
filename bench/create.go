package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// measureCreates compares durable creates through the API with a bare bbolt
// database that is given the same bytes in the same buckets, without any server:
// that is the goal. A plain HTTP handler that makes the same commits is measured
// as well, which tells how much of the distance is HTTP and how much is ours.
func measureCreates(ctx context.Context, b *bench) ([]result, error) {
	var out []result
	for _, c := range []struct {
		connections, posts int
		goal               float64
		bare               func(recording) (float64, error)
	}{
		{1, 1000, 0.60, b.bareSingle},
		{64, 20000, 0.70, func(r recording) (float64, error) { return b.bareGrouped(r, 64) }},
	} {
		posts := c.posts / b.scale
		subject := func() (float64, error) {
			rate, _, err := b.create(ctx, c.connections, posts)
			return rate, err
		}
		_, recorded, err := b.create(ctx, c.connections, posts) // warms up as well
		if err != nil {
			return nil, err
		}
		rec, err := record(recorded, posts)
		if err != nil {
			return nil, err
		}
		var bare []float64
		plain := func() (float64, error) {
			if err := appendValue(&bare, func() (float64, error) { return c.bare(rec) }); err != nil {
				return 0, err
			}
			return b.plain(ctx, recorded, c.connections, posts)
		}
		controls, subjects, err := compare(b.rounds, plain, subject)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("durable create, %d connections", c.connections)
		r := ratio{name: name + " / bare bbolt commit, no server", controls: bare, subjects: subjects, atLeast: c.goal, unit: "posts/s"}.result()
		r.Detail += fmt.Sprintf("; %d B each in %d puts", rec.bytes(), len(rec[0]))
		out = append(out, r,
			ratio{name: name + " / plain handler and the same commit", controls: controls, subjects: subjects, unit: "posts/s"}.result(),
			ratio{name: name + ": plain handler / bare, for comparison", controls: bare, subjects: controls, unit: "posts/s"}.result())
	}
	return out, nil
}

// createBody is the request that is measured.
func createBody(account string, now time.Time) string {
	return fmt.Sprintf(`{"content":"A post of usual length, with a link: https://example.org/articles/42","social_account_ids":[%q],"publish_at":%q}`,
		account, now.Add(24*time.Hour).UTC().Format(time.RFC3339))
}

// create measures a fresh daemon and returns posts per second and its database.
func (b *bench) create(ctx context.Context, connections, posts int) (rate float64, database string, err error) {
	dir, err := b.fresh()
	if err != nil {
		return 0, "", err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	account, err := d.connect(ctx, `{"platform":"feed","name":"bench"}`)
	if err != nil {
		return 0, "", err
	}
	requests := make([][]byte, posts)
	for i := range requests {
		requests[i] = d.post(fmt.Sprintf("bench-%d", i), createBody(account, time.Now()))
	}
	began := time.Now()
	_, err = load(ctx, d.address, connections, posts, func(i int) []byte { return requests[i] })
	return float64(posts) / time.Since(began).Seconds(), filepath.Join(dir, "schedctl.db"), err
}
