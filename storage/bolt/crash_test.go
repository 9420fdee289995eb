package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// children has the functions that the test binary runs in a child process. The key is the
// environment variable with the path of the database.
var children = map[string]func(path string) error{crashEnv: writeForEver}

const crashEnv = "SCHEDCTL_TEST_CRASH"

func TestMain(m *testing.M) {
	for env, run := range children {
		if path := os.Getenv(env); path != "" {
			if err := run(path); err != nil {
				fmt.Println("failed:", err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// writeForEver changes posts from several goroutines and prints a line for each
// acknowledged change.
func writeForEver(path string) error {
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for n := range uint64(4) {
		go func() {
			for w := (worker{creator: newCreator(s), random: rand.New(rand.NewPCG(1, n))}); ; {
				if err := w.step(); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

type worker struct {
	*creator
	random *rand.Rand
	posts  []schedctl.Post
}

// step creates a post, starts an attempt for a post, or publishes a post.
func (w *worker) step() error {
	if len(w.posts) == 0 || w.random.IntN(2) == 0 {
		var p schedctl.Post
		n := w.random.IntN(1000)
		err := w.store.Update(context.Background(), func(tx storage.Tx) (err error) {
			p, err = w.create(tx, n)
			return err
		})
		fmt.Println(p.WorkspaceID, p.ID, "created")
		w.posts = append(w.posts, p)
		return err
	}
	p := w.posts[0].Clone()
	w.posts = w.posts[1:]
	var done string
	err := w.store.Update(context.Background(), func(tx storage.Tx) (err error) {
		done, err = advance(tx, &p)
		return err
	})
	fmt.Println(p.WorkspaceID, p.ID, done)
	if done == "begun" {
		w.posts = append(w.posts, p)
	}
	return err
}

func advance(tx storage.Tx, given *schedctl.Post) (done string, err error) {
	p, err := tx.Post(given.WorkspaceID, given.ID)
	if err != nil {
		return "", err
	}
	target, now := p.Targets[0].ID, time.Now()
	if p.Targets[0].Attempts == 0 {
		a, err := p.Begin(schedctl.Claim{TargetID: target, Owner: "crash", Lease: time.Minute, Key: target}, now)
		if err != nil {
			return "", err
		}
		*given = p
		return "begun", errors.Join(tx.PutPost(p), tx.PutAttempt(a))
	}
	attempts, err := tx.Attempts(target)
	if err != nil {
		return "", err
	}
	a := attempts[0]
	a.FinishedAt, a.Outcome = now, schedctl.OutcomePublished
	events, err := p.Finish(target, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1"}}, now)
	*given = p
	return "published", errors.Join(err, tx.PutPost(p), tx.PutAttempt(a), tx.AddEvents(events...))
}

// TestKilled guards that a process that is killed at any time loses no acknowledged
// change and leaves a consistent file. The random numbers are the same in every run. The
// exact time of a kill is not, because it depends on the scheduler of the machine.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "killed.db")
	reached := make(map[string]string) // workspace and post → the last acknowledged state
	random := rand.New(rand.NewPCG(1, 2))
	for round := range testsize.Of(10, 20) {
		killAfter(t, path, random.IntN(400)*(round%5), reached) // in some rounds while it opens the file
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		err = s.View(t.Context(), func(r storage.Reader) error { return acknowledged(r, reached) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if len(reached) == 0 {
		t.Error("no post was created")
	}
}

// killAfter runs writeForEver in a child process, kills it after a number of lines, and
// stores the printed states in reached.
func killAfter(t *testing.T, path string, lines int, reached map[string]string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashEnv+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == lines {
			child.Process.Kill()
		}
		line, err := in.ReadString('\n')
		if err == io.EOF {
			break // an incomplete last line does not count
		}
		fields := strings.Fields(line)
		if err != nil || len(fields) != 3 {
			t.Fatalf("the child printed %q, %v", line, err)
		}
		reached[fields[0]+" "+fields[1]] = fields[2]
	}
	child.Wait()
}

// acknowledged checks that every post has the acknowledged state or a later one.
func acknowledged(r storage.Reader, reached map[string]string) error {
	audited := make(auditLogs)
	for key, last := range reached {
		ws, id, _ := strings.Cut(key, " ")
		p, err := r.Post(ws, id)
		if err != nil {
			return fmt.Errorf("post in acknowledged state %s: %w", last, err)
		}
		if last == "begun" && p.Targets[0].Attempts == 0 || last == "published" && p.Status() != schedctl.Published {
			return fmt.Errorf("post %s was %s and is now %s", id, last, p.Status())
		}
		if err := audited.load(r, ws); err != nil {
			return err
		}
		if !audited[ws][id] {
			return fmt.Errorf("the audit log has no entry about post %s", id)
		}
		scope := storage.IdempotencyScope{WorkspaceID: ws, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: id}
		if _, err := r.IdempotencyRecord(scope); err != nil {
			return err
		}
	}
	return nil
}

// auditLogs has the posts that the audit log of each workspace names.
type auditLogs map[string]map[string]bool

// load reads the log of a workspace unless it was read before.
func (l auditLogs) load(r storage.Reader, ws string) error {
	if l[ws] != nil {
		return nil
	}
	l[ws] = make(map[string]bool)
	entries, err := r.Audit(ws, "", 1<<30)
	for _, a := range entries {
		l[ws][a.ResourceID] = true
	}
	return err
}
