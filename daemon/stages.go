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
)

// stopGrace is how long requests under way may take when the daemon stops.
const stopGrace = 5 * time.Second

// answerPatience is how long a request may take from its headers to the end of
// its answer. It is for clients that take no answer, which would hold their
// connections for ever: beside a slow upload, no answer takes that long but
// streams and backups, which have deadlines of their own.
const answerPatience = 3 * time.Minute

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
			{"housekeeping", d.keepHouse},
			{"probe", d.probe.run},
			{"api background", d.api.Run}, // which writes down when keys were last used
		},
	}
}

// runStages starts every part, waits for ctx or for the first part that gives up,
// and stops them stage by stage.
func runStages(ctx context.Context, stages [][]part) (err error) {
	failed := make(chan error, 1)
	var ends []func()
	for _, stage := range stages {
		ends = append(ends, launch(context.WithoutCancel(ctx), stage, failed))
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	for _, end := range ends {
		end()
	}
	return err
}

// launch starts the parts of a stage and returns the function that ends them and
// waits until they have. The first error of all stages goes to failed.
func launch(ctx context.Context, stage []part, failed chan<- error) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
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
	return func() {
		cancel()
		wg.Wait()
	}
}

// server returns the server of the API, whose event streams end when it stops:
// they would not by themselves.
func (d *daemon) server() *http.Server {
	server := &http.Server{
		Handler: d.api, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: answerPatience, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:                     slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is answered like every other unknown path
	}
	server.RegisterOnShutdown(d.api.EndStreams)
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
