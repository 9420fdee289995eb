//go:build failpoint

package failpoint

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// Variable is the environment variable with the failures to inject.
const Variable = "SCHEDCTL_FAILPOINT"

// ErrInjected is wrapped by the errors that [Hit] injects.
var ErrInjected = errors.New("injected failure")

// orders has the failures to inject into this process.
var orders = mustRead(os.Getenv(Variable))

func mustRead(text string) []*order {
	list, err := parse(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Variable, err)
		os.Exit(2)
	}
	return list
}

// Hit must be called at a point. It runs the action for this point and pass, if any. For
// the action "error" it returns an error that wraps [ErrInjected]. It may be called from
// any goroutine.
func Hit(p Point) error {
	for _, o := range orders {
		if o.point == p && o.passes.Add(1) == o.at {
			return o.carryOut()
		}
	}
	return nil
}

// order is one failure to inject.
type order struct {
	point  Point
	action string
	pause  time.Duration // duration of a stall
	at     int64         // the pass at which the action runs, 1 or more
	passes atomic.Int64
}

func (o *order) carryOut() error {
	fmt.Fprintf(os.Stderr, "failpoint %s: %s\n", o.point, o.action)
	switch o.action {
	case "panic":
		panic(fmt.Sprintf("failpoint %s", o.point))
	case "kill":
		kill()
	case "stall":
		time.Sleep(o.pause)
	case "error":
		return fmt.Errorf("failpoint %s: %w", o.point, ErrInjected)
	}
	return nil
}

// kill ends the process without cleanup and does not return.
func kill() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Sprintf("kill this process: %v", err))
	}
	select {} // the signal is on its way
}
