// Package daemon runs schedctl's parts together: the API, the timer loop and
// the workers that publish. It knows how they start and stop, and nothing else;
// the storage engine is handed in.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// Config is what a daemon runs with. Store, Sealer and Logger are required.
type Config struct {
	Store       storage.Store
	DataDir     string // where admin.key and daemon.json are written
	Sealer      *seal.Sealer
	Listen      string // host:port, or unix:///path
	Outbound    outbound.Policy
	MaxLateness time.Duration // how late a target may still be published
	PublicURL   string        // how the world reaches /feeds/; the listen address when empty
	Logger      *slog.Logger
	Version     string
}

// DefaultMaxLateness is how late a target may still be published by default.
const DefaultMaxLateness = 24 * time.Hour

// stopGrace is how long requests under way may take when the daemon stops.
const stopGrace = 5 * time.Second

// Run serves and publishes until ctx ends, and then begins nothing more and lets
// requests and calls in flight finish, within limits. It returns nil after
// such a stop, and an error when the daemon could not start or one of its parts
// gave up. The store stays open: whoever opened it closes it.
func Run(ctx context.Context, cfg Config) error {
	listener, err := listen(cfg.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	d := assemble(cfg, listener)
	if err := bootstrap(ctx, cfg.Store, cfg.DataDir, cfg.Logger); err != nil {
		return err
	}
	remove, err := announce(cfg.DataDir, clientURL(listener))
	if err != nil {
		return err
	}
	defer remove()
	cfg.Logger.Info("daemon started", "url", clientURL(listener), "version", cfg.Version, "data_dir", cfg.DataDir)
	err = d.run(ctx, listener)
	cfg.Logger.Info("daemon stopped")
	return err
}

// daemon is the parts of a running daemon.
type daemon struct {
	store     storage.Store
	loop      *schedule.Loop
	connector *connect.Connector
	deliverer *deliver.Deliverer
	handler   http.Handler
	log       *slog.Logger
}

func assemble(cfg Config, listener net.Listener) *daemon {
	publicURL := cfg.PublicURL
	if publicURL == "" {
		publicURL = clientURL(listener)
	}
	publishers := all.Publishers(all.Config{
		Client: outbound.Client(cfg.Outbound), Outbound: cfg.Outbound, PublicURL: publicURL, Version: cfg.Version,
	})
	d := &daemon{store: cfg.Store, log: cfg.Logger}
	d.connector = connect.New(connect.Config{
		Store: cfg.Store, Publishers: publishers, Sealer: cfg.Sealer, Logger: cfg.Logger,
	})
	d.deliverer = deliver.New(deliver.Config{
		Store: cfg.Store, Publishers: publishers, Sealer: cfg.Sealer, Sessions: d.connector,
		MaxLateness: cfg.MaxLateness, Owner: schedctl.NewULID(time.Now()).String(), Logger: cfg.Logger,
	})
	d.loop = schedule.New(dueSource{cfg.Store}, d.deliverer.Enqueue, cfg.Logger)
	d.handler = api.New(api.Config{
		Store: cfg.Store, Publishers: publishers, Connector: d.connector, Logger: cfg.Logger,
		Feeds: feed.Handler(feedSource{cfg.Store}, publicURL, cfg.Logger),
		Ready: d.ready, Version: cfg.Version,
	})
	cfg.Store.Notify(d.committed)
	return d
}

// committed wakes the loop for what has become due and the workers for accounts
// that may publish again.
func (d *daemon) committed(c storage.Commit) {
	if len(c.Due) > 0 {
		d.loop.Add(c.Due)
	}
	if len(c.Accounts) > 0 {
		d.deliverer.AccountsChanged(c.Accounts)
	}
}

// run starts every part, waits for ctx or for the first part that gives up, and
// stops the others. All are told at once: what a last request commits after the
// loop has ended is in the store, and the next start finds it.
func (d *daemon) run(ctx context.Context, listener net.Listener) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	server := &http.Server{
		Handler: d.handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:                     slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is answered like every other unknown path
	}
	parts := map[string]func(context.Context) error{
		"api":          func(ctx context.Context) error { return serve(ctx, server, listener) },
		"schedule":     d.loop.Run,
		"deliver":      d.deliverer.Run,
		"connect":      d.connector.Run,
		"housekeeping": d.keepHouse,
	}
	var wg sync.WaitGroup
	for name, part := range parts {
		wg.Go(func() {
			if err := part(ctx); err != nil && !errors.Is(err, context.Canceled) {
				stop(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// serve answers requests until ctx ends and then lets those under way finish.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		server.Close()
	}
	<-failed
	return nil
}

// staleTick is how old the last tick of a part may be before the daemon is not
// ready; each ticks at least every 30 s.
const staleTick = 90 * time.Second

// ready returns why the daemon is not able to publish, or nil.
func (d *daemon) ready(ctx context.Context) error {
	now := time.Now()
	if err := errors.Join(ticking("timer loop", d.loop.LastTick(), now), ticking("publishing loop", d.deliverer.LastTick(), now)); err != nil {
		return err
	}
	return d.store.View(ctx, func(storage.Reader) error { return nil })
}

// ticking returns an error when a part has not ticked lately.
func ticking(part string, last, now time.Time) error {
	if last.IsZero() {
		return fmt.Errorf("the %s has not started yet", part)
	}
	if age := now.Sub(last); age > staleTick {
		return fmt.Errorf("the %s has not ticked for %s", part, age.Round(time.Second))
	}
	return nil
}

// dueSource lets the loop read the due index.
type dueSource struct{ store storage.Store }

// Due calls fn for every waiting entry from the given one on.
func (s dueSource) Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	return s.store.View(ctx, func(r storage.Reader) error { return r.Due(from, fn) })
}
