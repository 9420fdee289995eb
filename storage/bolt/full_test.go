//go:build unix

package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

const fullEnv = "SCHEDCTL_TEST_FULL"

func init() { children[fullEnv] = fillTheDisk }

// TestFullDisk guards that a write to a full disk returns an error and changes nothing,
// and that later writes succeed when the disk has space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fullEnv+"="+filepath.Join(t.TempDir(), "full.db"))
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// fillTheDisk runs in a child process, because the limit of the file size applies to a
// whole process.
func fillTheDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	c := newCreator(s)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	// A new file has its minimum size, so extending it fails first. Later the file
	// ends with a hole, and writing into the hole fails, also in the middle of a page.
	for _, limit := range []int64{info.Size(), 512 << 10, 700_001} {
		if err := c.fullOnce(limit, path); err != nil {
			return fmt.Errorf("files up to %d bytes: %w", limit, err)
		}
	}
	return nil
}

// fullOnce makes the disk full and then frees it. An open reader keeps freed pages from
// being reused.
func (c *creator) fullOnce(limit int64, path string) error {
	return c.store.View(context.Background(), func(storage.Reader) error {
		if err := c.withLimit(limit, path); err != nil {
			return err
		}
		if err := c.untilRoom(); err != nil {
			return err
		}
		return c.store.Check(context.Background())
	})
}

// withLimit creates posts until the file exceeds its maximum size.
func (c *creator) withLimit(size int64, path string) error {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	limit := was
	assign(&limit.Cur, size)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	lost, err := c.untilFull(path)
	if err == nil {
		err = c.checkLost(lost)
	}
	return errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
}

// assign sets a field whose type depends on the operating system.
func assign[T int64 | uint64](field *T, value int64) { *field = T(value) }

func (c *creator) one() (p schedctl.Post, err error) {
	err = c.store.Update(context.Background(), func(tx storage.Tx) error {
		p, err = c.create(tx, 1)
		return err
	})
	return p, err
}

// untilFull creates posts until three creates have failed, and returns the posts that
// were not created.
func (c *creator) untilFull(path string) (lost []schedctl.Post, err error) {
	for range 100_000 {
		p, err := c.one()
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), path) || !storage.IsFull(err) {
			return nil, fmt.Errorf("error %w, want one with the path and a full disk", err)
		}
		if !storage.IsFull(c.store.Full()) {
			return nil, errors.New("Full does not return the error")
		}
		if lost = append(lost, p); len(lost) == 3 {
			return lost, nil
		}
	}
	return nil, errors.New("the disk never became full")
}

// untilRoom tries to create a post until that succeeds.
func (c *creator) untilRoom() error {
	began := time.Now()
	for {
		_, err := c.one()
		switch {
		case err == nil:
			return c.store.Full()
		case !storage.IsFull(err), time.Since(began) > testsize.Patience:
			return fmt.Errorf("create when the disk has space again: %w", err)
		}
	}
}

func (c *creator) checkLost(lost []schedctl.Post) error {
	return c.store.View(context.Background(), func(r storage.Reader) error {
		for _, p := range lost {
			if _, err := r.Post(p.WorkspaceID, p.ID); schedctl.CodeOf(err) != schedctl.NotFound {
				return fmt.Errorf("read a post that was not created: error %v, want NOT_FOUND", err)
			}
		}
		return nil
	})
}
