package cli

import (
	"context"
	"os"
	"os/signal"
)

// CancelOnSignal returns a context that ends with the first of the signals. The next
// signal has its default effect, also when it follows immediately.
func CancelOnSignal(ctx context.Context, signals ...os.Signal) context.Context {
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
			raiseSignal(again)
		default:
		}
	}()
	return ctx
}

// raiseSignal sends the process a signal.
func raiseSignal(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(s) != nil {
		os.Exit(ExitInterrupted) // on systems without signals
	}
}
