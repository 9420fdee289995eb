package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// receiver counts calls, and says when as many came as are wanted.
type receiver struct {
	*httptest.Server
	came chan struct{}
}

func newReceiver(b *testing.B) *receiver {
	r := &receiver{came: make(chan struct{}, 1<<16)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { r.came <- struct{}{} }))
	b.Cleanup(r.Close)
	return r
}

// BenchmarkBacklog delivers the events of a backlog to one webhook that responds at
// once, over HTTP.
func BenchmarkBacklog(b *testing.B) {
	b.Run("bolt", func(b *testing.B) {
		store, err := bolt.Open(filepath.Join(b.TempDir(), "schedctl.db"), bolt.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		r := newRig(b, store)
		receiver := newReceiver(b)
		r.client = receiver.Client()
		r.edit(r.hook("a"), receiver.takes)
		r.publish(b.N)
		b.ResetTimer()
		r.start()
		defer r.stop()
		receiver.await(b)
	})
	b.Run("postgres", func(b *testing.B) {
		url := postgrestest.Schema(b)
		open := func() storage.Shared {
			store, err := postgres.Open(b.Context(), url, postgres.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { store.Close() })
			return store
		}
		f := &fleet{rig: newRig(b, open()), open: open, holds: make(map[string]*node)}
		receiver := newReceiver(b)
		f.client = receiver.Client()
		f.edit(f.follow("a"), receiver.takes)
		f.publish(b.N)
		b.ResetTimer()
		f.join()
		defer f.stopAll()
		receiver.await(b)
	})
}

// await waits until all events of a benchmark came.
func (r *receiver) await(b *testing.B) {
	for range b.N {
		<-r.came
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// takes lets a webhook call the receiver.
func (r *receiver) takes(w *schedctl.Webhook) { w.URL = r.URL }
