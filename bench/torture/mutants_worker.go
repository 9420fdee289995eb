package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// mutantWork is the environment variable that makes the program a worker, with its order.
const mutantWork = "SCHEDCTL_TORTURE_MUTANTS"

// mutantOrder is the order of a worker: every Step-th mutant from First on.
type mutantOrder struct {
	Dir               string // of the worker
	Sample, Secret    string // path of a sound database, and an API key for it
	Seed              uint64
	First, Step, Last int
}

// mutantReport is the report on one mutant. A line before it announces the start of the
// mutant.
type mutantReport struct {
	N           int
	Begins      bool
	Description string
	Intact      int
	Saved       int
	Restored    int // deleted records that were restored
	Found       bool
	Served      bool
	Faults      []string
}

// mutantWorker runs many mutants through everything that reads a database, in this
// process, which they may crash. Each mutant depends on the seed and its number alone.
func mutantWorker(work string) int {
	var o mutantOrder
	if err := json.Unmarshal([]byte(work), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	file, err := mutant.Read(o.Sample)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	out := json.NewEncoder(os.Stdout)
	for n := o.First; n < o.Last; n += o.Step {
		out.Encode(mutantReport{N: n, Begins: true})
		t := mutantTrial{
			mutantOrder: o, sample: file, dir: filepath.Join(o.Dir, fmt.Sprint(n)),
			mutant: file.Mutant(rand.New(rand.NewPCG(o.Seed, uint64(n))), n),
		}
		t.report.N, t.report.Description, t.report.Intact = n, t.mutant.How, len(t.mutant.Intact)
		if err := t.run(context.Background()); err != nil {
			t.addFault("%v", err)
		}
		if len(t.report.Faults) > 0 {
			if _, err := keepMutant(o.Seed, fmt.Sprint(n, ".db"), t.mutant.Data); err != nil {
				t.addFault("the mutant could not be saved: %v", err)
			}
		}
		os.RemoveAll(t.dir)
		out.Encode(t.report)
	}
	return 0
}

// mutantTrial is the test of one mutant.
type mutantTrial struct {
	mutantOrder
	sample *mutant.File
	mutant mutant.Mutant
	dir    string
	report mutantReport
}

func (t *mutantTrial) addFault(format string, args ...any) {
	t.report.Faults = append(t.report.Faults, fmt.Sprintf(format, args...))
}

func (t *mutantTrial) path() string { return filepath.Join(t.dir, "schedctl.db") }

func (t *mutantTrial) run(ctx context.Context) error {
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(t.path(), t.mutant.Data, 0o600); err != nil {
		return err
	}
	_, err := bolt.CheckFile(ctx, t.path())
	t.report.Found = err != nil
	t.judgeRefusal("check", err)
	if err := t.salvage(ctx); err != nil {
		return err
	}
	return t.serve(ctx)
}

// judgeRefusal checks that an error names the file, says what is wrong and what to do,
// and that the file is unchanged.
func (t *mutantTrial) judgeRefusal(what string, err error) {
	if now, read := os.ReadFile(t.path()); read != nil || !bytes.Equal(now, t.mutant.Data) {
		t.addFault("%s changed the file", what)
	}
	if err == nil {
		return
	}
	if !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrForeign) && !errors.Is(err, storage.ErrNewer) {
		t.addFault("%s: an unexpected kind of error: %v", what, err)
	}
	text := err.Error()
	advised := strings.Contains(text, "daemon salvage") || strings.Contains(text, "use another path") || strings.Contains(text, "install the newer one")
	if !strings.Contains(text, t.path()) || !advised && what != "salvage" {
		t.addFault("%s: the error does not name the file and what to do: %v", what, err)
	}
}

// salvage salvages the mutant and compares the result with the intact records.
func (t *mutantTrial) salvage(ctx context.Context) error {
	to := filepath.Join(t.dir, "salvaged.db")
	_, err := bolt.Salvage(ctx, t.path(), to, bolt.SalvageOptions{})
	t.judgeRefusal("salvage", err)
	if err != nil {
		if len(t.mutant.Intact) > 0 {
			t.addFault("nothing was saved: %v", err)
		}
		if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
			t.addFault("an incomplete file was left")
		}
		return nil
	}
	got, err := mutant.Read(to)
	if err != nil {
		return err
	}
	t.compare(got)
	if err := t.checkHold(ctx, to); err != nil {
		return err
	}
	if _, err := bolt.CheckFile(ctx, to); err != nil {
		t.addFault("the salvaged file: %v", err)
	}
	return nil
}

func (t *mutantTrial) compare(got *mutant.File) {
	saved, known := map[string]bool{}, map[string]bool{}
	for _, row := range got.Rows {
		saved[row.Bucket+row.Key] = true
	}
	for _, row := range t.sample.Rows {
		known[row.Bucket+row.Key] = true
	}
	for _, row := range t.mutant.Intact {
		if saved[row.Bucket+row.Key] {
			t.report.Saved++
		}
	}
	if t.report.Saved*100 < t.report.Intact*99 {
		t.addFault("%d of %d intact records were saved", t.report.Saved, t.report.Intact)
	}
	if !t.mutant.Mapped || strings.Contains(t.mutant.How, "flipped") {
		return // deleted records may come back, or keys may be flipped
	}
	for _, row := range got.Rows {
		if !known[row.Bucket+row.Key] && row.Bucket != "workspaces" {
			t.report.Restored++
		}
	}
	if t.report.Restored > 0 {
		t.addFault("%d deleted records were restored", t.report.Restored)
	}
}

// checkHold holds the open posts as the command does, and checks that none is left
// that a daemon would publish.
func (t *mutantTrial) checkHold(ctx context.Context, path string) error {
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := deliver.WithholdSalvaged(ctx, store, time.Now()); err != nil {
		return err
	}
	return store.View(ctx, func(r storage.Reader) error {
		running, err := r.RunningAttempts()
		if len(running) > 0 {
			t.addFault("%d attempts are still running", len(running))
		}
		return errors.Join(err, r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			t.addFault("target %s would be published", d.TargetID())
			return true
		}))
	})
}

// serve starts a daemon on the file. Once it has started, every request must get a
// response.
func (t *mutantTrial) serve(ctx context.Context) error {
	log := slog.New(slog.DiscardHandler)
	store, err := bolt.Open(t.path(), bolt.Options{Logger: log})
	if err != nil {
		t.judgeRefusal("start", err)
		return nil
	}
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Config{
			Store: store, DataDir: t.dir, Sealer: sealer, Listener: listener, Outbound: outbound.PublicOnly,
			MaxLateness: daemon.DefaultMaxLateness, Logger: log, Version: "torture",
		})
	}()
	t.report.Served = true
	t.requestAll(ctx, "http://"+listener.Addr().String(), ended)
	stop()
	select {
	case err := <-ended:
		if err != nil && !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrBroken) {
			t.addFault("the daemon ended with %v", err)
		}
		return store.Close()
	case <-time.After(patience):
		// The daemon retries what it cannot record until its stop limit. This process
		// ends with it.
		return nil
	}
}

// patience is how long to wait for a daemon to stop.
const patience = time.Second

// requestAll sends requests of every kind. Each must get a response, which may report a
// damaged record.
func (t *mutantTrial) requestAll(ctx context.Context, url string, ended chan error) {
	paths := []string{
		"/readyz", "/metrics", "/api/v1/posts?limit=100", "/api/v1/posts?limit=100&status=scheduled&sort=publish_at", "/api/v1/posts?search=more",
		"/api/v1/social-accounts", "/api/v1/webhooks", "/api/v1/keys", "/api/v1/audit?limit=100", "/api/v1/workspaces",
	}
	for i, row := range t.sample.Rows {
		if row.Bucket == "posts" && i%10 == 0 {
			id := schedctl.ULID([]byte(row.Key)).ID(schedctl.PostPrefix)
			paths = append(paths, "/api/v1/posts/"+id, "/api/v1/posts/"+id+"/timeline")
		}
	}
	for _, path := range paths {
		if err := t.get(ctx, url+path); err != nil {
			select {
			case err := <-ended: // the daemon has reported that it cannot continue
				ended <- err
			case <-time.After(10 * patience):
				t.addFault("%s got no response: %v", path, err)
			}
			return
		}
	}
}

func (t *mutantTrial) get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.Secret)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if answer.StatusCode >= 500 && !json.Valid(body) {
		t.addFault("%s: %d %.200s", url, answer.StatusCode, body)
	}
	return err
}
