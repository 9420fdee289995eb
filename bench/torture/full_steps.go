package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// callCounts are the numbers of calls to networks and to the webhook.
type callCounts struct{ calls, told int }

func (f *fullWorld) traffic() (t callCounts) {
	for _, d := range f.network.seen() {
		t.calls += d.calls
	}
	for _, n := range f.network.webhookDeliveries() {
		t.told += n
	}
	return t
}

// draft creates a long post without a time.
func (f *fullWorld) draft(ctx context.Context) (took time.Duration, answer child.Response, err error) {
	f.keys++
	body, err := json.Marshal(apiv1.CreatePost{Content: strings.Repeat("x", 5000)})
	if err != nil {
		return 0, answer, err
	}
	w := &write{Request: child.Request{Method: http.MethodPost, Path: "/posts", Body: string(body), IdempotencyKey: fmt.Sprintf("%s-draft-%d", f.world.name, f.keys)}}
	started := time.Now()
	if w.Response, err = f.daemon().Do(ctx, w.Request); err != nil {
		return 0, answer, err
	}
	took = time.Since(started)
	if w.acknowledged() {
		s := new(story)
		if _, err := s.add(w); err != nil {
			return took, w.Response, err
		}
		s.expectEvents(1, schedctl.EventPostCreated)
		f.seeded = append(f.seeded, s)
	}
	return took, w.Response, nil
}

// writeUntilRefused creates posts until the free pages of the database are used up, and
// checks the refusal.
func (f *fullWorld) writeUntilRefused(ctx context.Context) error {
	for range 20_000 {
		took, answer, err := f.draft(ctx)
		if err != nil {
			return err
		}
		f.total.most("refused_max_ms", took)
		if took > refuseLimit {
			f.judged.violation(brokenStore, "a write took %s on a full disk", took)
		}
		if answer.Status == http.StatusCreated {
			continue
		}
		var refusal apiv1.ErrorEnvelope
		json.Unmarshal(answer.Body, &refusal) // without a code the check below fails
		if answer.Status != http.StatusInsufficientStorage || refusal.Error.Code != schedctl.InsufficientStorage ||
			answer.Header.Get("Retry-After") == "" || !strings.Contains(refusal.Error.Message, f.config.Dir) {
			f.judged.violation(wrongStatus, "a write on a full disk returned %d %s", answer.Status, answer.Body)
		}
		return nil
	}
	return errors.New("no write was refused although the disk is full")
}

// endCalls lets the networks respond, and waits until the daemon has recorded each post
// that they have.
func (f *fullWorld) endCalls(ctx context.Context) error {
	held := f.gate.open()
	patience := time.Now().Add(recordLimit)
	for {
		unrecorded, err := f.countUnrecorded(ctx)
		if err != nil {
			return err
		}
		if unrecorded == 0 {
			f.total.count("recorded", held)
			return nil
		}
		if time.Now().After(patience) {
			f.judged.violation(lostRecord, "%d of %d calls ended without being recorded on the full disk within %s", unrecorded, held, recordLimit)
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// countUnrecorded counts the targets that a network has and that the daemon does not
// call published.
func (f *fullWorld) countUnrecorded(ctx context.Context) (n int, err error) {
	seen := f.network.seen()
	posts, err := f.posts(ctx)
	for _, p := range posts {
		for _, t := range p.Targets {
			if seen[t.ID].posts > 0 && t.Status != schedctl.Published {
				n++
			}
		}
	}
	return n, err
}

// killAndStart kills the daemon with its calls in flight, and restarts it on the full
// disk.
func (f *fullWorld) killAndStart(ctx context.Context) error {
	f.daemon().Kill()
	f.gate.open()
	d, err := f.launch()
	if err != nil {
		return err
	}
	d.Key = f.daemon().Key
	f.ready.Store(d)
	f.total.count("kills", 1)
	for patience := time.Now().Add(resumeLimit); ; time.Sleep(5 * time.Millisecond) {
		if err = d.Call(ctx, http.MethodGet, "/posts?limit=1", "", nil); err == nil {
			break
		}
		if time.Now().After(patience) {
			return fmt.Errorf("the daemon did not start on a full disk: %w", err)
		}
	}
	// The daemon notices that the disk is full on its first write.
	return f.writeUntilRefused(ctx)
}

// checkReads checks what a full daemon serves.
func (f *fullWorld) checkReads(ctx context.Context) error {
	started := time.Now()
	if err := f.daemon().Call(ctx, http.MethodGet, "/posts?limit=10", "", nil); err != nil {
		f.judged.violation(brokenStore, "reading on a full disk: %s", err)
	}
	if took := time.Since(started); took > refuseLimit {
		f.judged.violation(brokenStore, "a read took %s on a full disk", took)
	}
	for path, want := range map[string]string{"/readyz": "disk of the daemon is full", "/metrics": "\nschedctl_store_full 1\n"} {
		text, err := f.get(ctx, path)
		if err != nil {
			return err
		}
		if !strings.Contains(text, want) {
			f.judged.violation(wrongStatus, "%s does not contain %q on a full disk", path, want)
		}
	}
	return nil
}

// resume waits until the daemon writes, calls networks and reports that it is ready.
func (f *fullWorld) resume(ctx context.Context, before callCounts) error {
	started := time.Now()
	for written, sent, well := false, false, false; !written || !sent || !well; time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > resumeLimit {
			f.judged.violation(stuckRecord, "%s after space was freed: written %v, sent %v, ready %v", resumeLimit, written, sent, well)
			return nil
		}
		if !written {
			_, answer, err := f.draft(ctx)
			if err != nil {
				return err
			}
			written = answer.Status == http.StatusCreated
		}
		sent = sent || f.traffic().calls > before.calls
		text, err := f.get(ctx, "/readyz")
		if err != nil {
			return err
		}
		well = strings.Contains(text, `"ok"`)
	}
	f.total.count("filled", 1)
	f.total.most("resumed_max_ms", time.Since(started))
	return nil
}

// get returns the body of a path outside the API.
func (f *fullWorld) get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+f.daemon().Address+path, nil)
	if err != nil {
		return "", err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
