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

// stopGrace is how long requests under way may take when the daemon stops.
const stopGrace = 5 * time.Second

// writeTimeout is how long a request may take from its headers to the end of
// its answer. It is for clients that take no answer, which would hold their
// connections for ever: beside a slow upload, no answer takes that long but
// streams and backups, which have deadlines of their own.
const writeTimeout = 3 * time.Minute

// part is something that runs until its ctx ends.
type part struct {
	name string
	run  func(context.Context) error
}

// stages returns all parts in the order in which they stop; those of a stage
// stop together. What a part makes is taken by those after it: requests make
// posts due, the loop hands them to the deliverer, whose events go to webhooks.
// The last stage is there for all others to the end.
func (d *daemon) stages(listener net.Listener) [][]part {
	return [][]part{
		{{"api", func(ctx context.Context) error { return serve(ctx, d.server(), listener) }}},
		{{"schedule", d.loop.Run}},
		{{"deliver", d.deliverer.Run}},
		{{"webhook", d.dispatcher.Run}},
		{
			{"connect", d.connector.Run},
			{"housekeeping", d.runHousekeeping},
			{"probe", d.probe.run},
			{"api background", d.api.Run}, // which writes down when keys were last used
			{"storage", d.watchStore},
		},
	}
}

// watchStore ends the daemon when its store can write nothing any more: only a
// new start can go on from what is on disk, and a daemon that answers and does not
// publish would look alive.
func (d *daemon) watchStore(ctx context.Context) error {
	store, ok := d.store.(interface{ Broken() <-chan struct{} })
	if !ok {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-store.Broken():
		return fmt.Errorf("%w, and the log says why; restart to go on from what the disk holds", storage.ErrBroken)
	}
}

// runStages starts every part, waits for ctx or for the first part that gives up,
// and stops them stage by stage. Why it gave up is the cause that the others end
// with.
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

// launch starts the parts of a stage and returns the function that ends them and
// waits until they have; its error is why. The first error of all stages goes to
// failed.
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

// server returns the server of the API, whose event streams and silent
// connections end when it stops: they would not by themselves.
func (d *daemon) server() *http.Server {
	quiet := new(idleConns)
	server := &http.Server{
		Handler: d.api, ConnState: quiet.track, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: writeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:                     slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is answered like every other unknown path
	}
	server.RegisterOnShutdown(d.api.EndStreams)
	server.RegisterOnShutdown(quiet.closeAll)
	return server
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
