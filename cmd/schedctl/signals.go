package main

import (
	"context"
	"os"
	"os/signal"
)

// untilSignal returns a context that ends with the first of the signals. The next
// one does to the process what it does to those that do not ask for it, also when
// it comes right after the first.
func untilSignal(ctx context.Context, signals ...os.Signal) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	got := make(chan os.Signal, 2) // the second one is not lost before Stop
	signal.Notify(got, signals...)
	go func() {
		select {
		case <-got:
			cancel()
		case <-ctx.Done():
		}
		signal.Stop(got)
		select {
		case again := <-got:
			raise(again)
		default:
		}
	}()
	return ctx
}

// raise sends the process a signal.
func raise(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(s) != nil {
		os.Exit(exitInterrupted) // where there are no signals to send
	}
}
