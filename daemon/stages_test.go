package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// The parts of a stage stop together, and before those of the next.
func TestStagesStopInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // mu guards ended
		var ended []string
		slow := func(name string, takes time.Duration) part {
			return part{name, func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(takes)
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, name)
				return ctx.Err()
			}}
		}
		ctx, stop := context.WithCancel(t.Context())
		var result error
		var running sync.WaitGroup
		began := time.Now()
		running.Go(func() {
			result = runStages(ctx, [][]part{
				{slow("requests", 3*time.Second)},
				{slow("slow worker", 2*time.Second), slow("worker", time.Second)},
				{slow("last", 0)},
			})
		})
		time.Sleep(time.Hour)
		stop()
		running.Wait()
		if want := []string{"requests", "worker", "slow worker", "last"}; !slices.Equal(ended, want) || result != nil {
			t.Errorf("ended %v, want %v; %v", ended, want, result)
		}
		if took := time.Since(began) - time.Hour; took != 5*time.Second {
			t.Errorf("the stop took %s, want 5s", took)
		}
	})
}

// A failed part stops the others, and its error is returned.
func TestAPartThatGivesUpStopsTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		stopped, why := false, error(nil)
		err := runStages(t.Context(), [][]part{
			{{"waits", func(ctx context.Context) error {
				<-ctx.Done()
				stopped, why = true, context.Cause(ctx)
				return errors.New("fails as well, later")
			}}},
			{{"fails", func(context.Context) error { time.Sleep(time.Second); return broken }}},
		})
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "fails: ") || !stopped || !errors.Is(why, broken) {
			t.Errorf("%v; the other part stopped: %v, because of %v", err, stopped, why)
		}
	})
}

// Requests that do not end are cut off after the grace.
func TestServeCutsOffWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	arrived, over := make(chan struct{}), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(over)
	})}
	ctx, stop := context.WithCancel(t.Context())
	go http.Get("http://" + listener.Addr().String())
	var running sync.WaitGroup
	running.Go(func() {
		if err := serve(ctx, server, listener); err != nil {
			t.Error(err)
		}
	})
	<-arrived
	began := time.Now()
	stop()
	running.Wait()
	<-over
	if took := time.Since(began); took < stopGrace || took > stopGrace+time.Minute {
		t.Errorf("the stop took %s, want %s", took, stopGrace)
	}
}

// The promise is that a daemon stops within 10 seconds, whatever it is doing.
func TestStopLeavesTimeToCloseTheStore(t *testing.T) {
	t.Parallel()
	if all := stopGrace + deliver.StopGrace + webhook.StopGrace; all > 9500*time.Millisecond {
		t.Errorf("requests, calls to networks and calls to webhooks may take %s after SIGTERM, want 9.5 s at most", all)
	}
}

// piped is a listener that accepts one connection in memory.
type piped chan net.Conn

func (l piped) Accept() (net.Conn, error) {
	if c, open := <-l; open {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l piped) Close() error {
	close(l)
	return nil
}

func (l piped) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// The connection of a client that does not read the response is closed.
func TestWhoTakesNoAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		server := (&daemon{api: api.New(api.Config{Logger: log}), log: log}).server()
		began := time.Now()
		var took time.Duration
		server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for err := error(nil); err == nil; {
				_, err = w.Write(make([]byte, 4<<10))
			}
			took = time.Since(began)
		})
		near, far := net.Pipe()
		listener := make(piped, 1)
		listener <- far
		go server.Serve(listener)
		io.WriteString(near, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(time.Hour)
		synctest.Wait()
		if took != writeTimeout {
			t.Errorf("the client was cut off after %s, want %s", took, writeTimeout)
		}
		near.Close()
		server.Close()
	})
}

// A connection without a request does not delay the stop.
func TestStopDoesNotWaitForSilentConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		server := (&daemon{api: api.New(api.Config{Logger: log}), log: log}).server()
		near, far := net.Pipe()
		listener := make(piped, 1)
		listener <- far
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, stop) // before it is closed because no header arrives
		if err := serve(ctx, server, listener); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the stop took %s", took-time.Second)
		}
		if n, err := near.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("a connection without a request received %d bytes, %v", n, err)
		}
	})
}

// breaking is a store that can break.
type breaking struct {
	storage.Store
	broken chan struct{}
}

func (s breaking) Broken() <-chan struct{} { return s.broken }

// A broken store ends the daemon, so that its service manager restarts it. Otherwise it
// would respond to requests but not publish.
func TestABrokenStoreEndsTheDaemon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := breaking{storagetest.NewMemory(), make(chan struct{})}
		d := &daemon{store: store}
		ended := make(chan error, 1)
		go func() { ended <- d.watchStore(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("ended with %v while the store works", err)
		default:
		}
		close(store.broken)
		if err := <-ended; !errors.Is(err, storage.ErrBroken) || !strings.Contains(err.Error(), "restart") {
			t.Errorf("error %v, want a request to restart", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (&daemon{store: breaking{broken: make(chan struct{})}}).watchStore(ctx); err != nil {
			t.Errorf("a stop ended with %v", err)
		}
	})
}
