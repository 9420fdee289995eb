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

	"github.com/schedctl/schedctl/storage"
)

// stopGrace is how long requests in progress may take when the daemon stops. Calls to
// networks and webhooks get [deliver.StopGrace] and [webhook.StopGrace] after it, and all
// together must leave time to close the store within 10 seconds.
const stopGrace = 2 * time.Second

// writeTimeout is how long a request may take from its headers to the end of its
// response. It closes connections of clients that stop reading. Only slow uploads take
// that long: event streams and backups have deadlines of their own.
const writeTimeout = 3 * time.Minute

// part is a component of the daemon. run returns when its context ends.
type part struct {
	name string
	run  func(context.Context) error
}

// stages returns all parts in the order in which they stop. The parts of a stage stop
// together. Each part produces work for the next: requests and the planner create due posts, the timer
// loop passes them to the deliverer, whose events go to webhooks. The last stage serves
// all others.
func (d *daemon) stages(listener net.Listener) [][]part {
	readers := []part{{"planner", d.planner.Run}, {"forecast", d.announcer.Run}}
	readers = append(readers, part{"sources", d.sources.Run})
	if d.results != nil {
		readers = append(readers, part{"results", d.results.Run})
	}
	return [][]part{
		{{"api", func(ctx context.Context) error { return serve(ctx, d.server(), listener) }}},
		readers,
		{{"schedule", d.loop.Run}},
		{{"deliver", d.deliverer.Run}},
		{{"webhook", d.dispatcher.Run}},
		{
			{"connect", d.connector.Run},
			{"housekeeping", d.runHousekeeping},
			{"probe", d.probe.run},
			{"api background", d.api.Run}, // stores when API keys were last used
			{"storage", d.watchStore},
		},
	}
}

// watchStore returns an error when the store is broken for good. Only a restart can
// continue from the data on disk, and a daemon that responds but does not publish
// would look alive.
func (d *daemon) watchStore(ctx context.Context) error {
	store, ok := d.store.(interface{ Broken() <-chan struct{} })
	if !ok {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-store.Broken():
		return fmt.Errorf("%w; see the log for the cause, then restart the daemon to continue from the data on disk", storage.ErrBroken)
	}
}

// runStages starts every part, waits for ctx or for the first part that fails, and
// stops the parts stage by stage. The error of the failed part is the cancellation
// cause of the others.
func runStages(ctx context.Context, stages [][]part) (err error) {
	failed := make(chan error, 1)
	var ends []func(error)
	for _, stage := range stages {
		ends = append(ends, launch(context.WithoutCancel(ctx), stage, failed))
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	for _, end := range ends {
		end(err)
	}
	return err
}

// launch starts the parts of a stage. It returns a function that cancels them with a
// cause and waits for them. The first error of all stages goes to failed.
func launch(ctx context.Context, stage []part, failed chan<- error) (end func(error)) {
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	for _, p := range stage {
		wg.Go(func() {
			if err := p.run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				select {
				case failed <- fmt.Errorf("%s: %w", p.name, err):
				default: // another part was first
				}
			}
		})
	}
	return func(why error) {
		cancel(why)
		wg.Wait()
	}
}

// server returns the HTTP server of the API. It closes event streams and unused
// connections on shutdown, which [http.Server.Shutdown] would wait for.
func (d *daemon) server() *http.Server {
	unused := new(idleConns)
	server := &http.Server{
		Handler: d.api, ConnState: unused.track, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: writeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:                     slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // "OPTIONS *" gets the response of an unknown path
	}
	server.RegisterOnShutdown(d.api.EndStreams)
	server.RegisterOnShutdown(unused.closeAll)
	return server
}

// serve handles requests until ctx ends, and then lets those in progress finish.
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
