package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

const (
	// sweptSeries are due for a sweep, and each has one post to make.
	sweptSeries = 1000

	// sweepWriters is how many transactions of a sweep run at the same time.
	sweepWriters = 64

	sweepLimit = time.Second
)

// measureSweep measures how long a daemon takes from its start until it has swept many
// series. The control writes the same records to a bare database.
func measureSweep(ctx context.Context, b *bench, n *counts) ([]result, error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		_, err := d.Connect(ctx, `{"platform":"feed","name":"bench"}`)
		return err
	})
	if err != nil {
		return nil, err
	}
	var c cost
	s := sweeps{bench: b, dir: dir, cost: &c, n: n}
	recorded, _, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	rec, err := record(recorded, sweptSeries)
	if err != nil {
		return nil, err
	}
	all, err := compare(ctx, b.rounds, s.measure, b.bareGrouped(rec, sweepWriters))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("sweep of %d due series", sweptSeries)
	took := inverse(all[0].subjects(rateFigure))
	return []result{
		within(name, quantile(took, 0.5), sweepLimit, inverse(all[0].controls(rateFigure))...).
			detailed("slowest %s; from the start of the process until the last post is shown", formatDuration(quantile(took, 1))).with(&c),
		all[0].row(name+" / the same records in bare bbolt", rateFigure, goal{}, "series/s").
			detailed("%d writers; the daemon also starts, expands each rule and reads its account", sweepWriters),
	}, nil
}

// inverse returns how long all series take at rates of series a second.
func inverse(rates []float64) (took []time.Duration) {
	for _, r := range rates {
		took = append(took, time.Duration(sweptSeries/r*float64(time.Second)))
	}
	return took
}

// sweeps starts daemons on copies of a data directory with due series.
type sweeps struct {
	*bench
	dir  string
	cost *cost
	n    *counts
}

func (s *sweeps) measure(ctx context.Context) (sample, error) {
	_, took, err := s.run(ctx)
	return sample{rateFigure: perSecond(sweptSeries, took), medianFigure: micros(took / sweptSeries)}, err
}

// run measures one sweep. It returns the path of the database.
func (s *sweeps) run(ctx context.Context) (path string, took time.Duration, err error) {
	dir, err := s.copy(s.dir)
	if err != nil {
		return "", 0, err
	}
	path = filepath.Join(dir, "schedctl.db")
	posts, err := seedSeries(ctx, path)
	if err != nil {
		return "", 0, err
	}
	key, err := os.ReadFile(filepath.Join(dir, "admin.key"))
	if err != nil {
		return "", 0, err
	}
	d, err := child.Launch(child.Config{Binary: s.binary, Dir: dir, Key: strings.TrimSpace(string(key))})
	if err != nil {
		return "", 0, err
	}
	err = s.cost.measure(d.PID(), sweptSeries, func() error { return awaitPosts(ctx, d, posts[sweptSeries-2*sweepWriters:]) })
	took = time.Since(d.StartTime())
	if err = errors.Join(err, d.Stop()); err != nil {
		return "", 0, err
	}
	made, err := countPosts(path)
	s.n.countStored(sweptSeries, made)
	return path, took, err
}

// awaitPosts waits until a daemon that is starting shows all posts.
func awaitPosts(ctx context.Context, d *child.Daemon, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for len(ids) > 0 {
		a, err := d.Do(ctx, child.Request{Method: http.MethodGet, Path: "/posts/" + ids[0]})
		switch {
		case err == nil && a.Status == http.StatusOK:
			ids = ids[1:]
			continue
		case ctx.Err() != nil:
			return fmt.Errorf("post %s was not made within a minute\n%s", ids[0], d.Log())
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// seedSeries stores weekly series that are due for a sweep. It returns the ids of the
// posts that their sweeps make, in their order.
func seedSeries(ctx context.Context, path string) (posts []string, err error) {
	store, err := bolt.Open(path, bolt.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	accounts, err := accountsOf(ctx, store, "feed")
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: accounts[0].WorkspaceID, Content: schedctl.Content{Text: "The weekly post of a series"}, Accounts: accounts[:1]}, now)
	if err != nil {
		return nil, err
	}
	const zone = "Europe/Berlin"
	loc, err := schedctl.LoadZone("timezone", zone)
	if err != nil {
		return nil, err
	}
	return posts, store.Update(ctx, func(tx storage.Tx) error {
		posts = nil
		for i := range sweptSeries {
			at := now.Add(48*time.Hour + time.Duration(i)*time.Minute).In(loc)
			one := schedctl.Series{
				ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: template.WorkspaceID, Name: fmt.Sprint("series ", i), Template: template, Timezone: zone,
				Start: schedctl.LocalTimeOf(at.AddDate(0, 0, -52*7)), Rule: "FREQ=WEEKLY", AheadDays: 7, State: schedctl.SeriesActive,
				Cursor: schedctl.LocalTimeOf(now.In(loc).Add(2 * time.Hour)), SweepAt: schedctl.Millis(now), CreatedAt: schedctl.Millis(now), UpdatedAt: schedctl.Millis(now), Version: 1,
			}
			if err := tx.PutSeries(one); err != nil {
				return err
			}
			posts = append(posts, schedctl.OccurrencePostID(one.ID, schedctl.LocalTimeOf(at)))
		}
		return nil
	})
}
