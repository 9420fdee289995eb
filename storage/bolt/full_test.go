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

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

const fullEnv = "SCHEDCTL_TEST_FULL"

func init() { children[fullEnv] = fillTheDisk }

// TestFullDisk guards that a write for which there is no room is an error, that
// nothing of it is kept, and that writing goes on once there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fullEnv+"="+filepath.Join(t.TempDir(), "full.db"))
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// fillTheDisk runs in a process of its own, because the limit of the size of
// files holds for a whole process.
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
	// A new file is as small as can be and has to be made longer; after that
	// there is a hole at its end, and what fails is to write there.
	for _, limit := range []uint64{uint64(info.Size()), 512 << 10} {
		if err := c.withLimit(limit, path); err != nil {
			return fmt.Errorf("files up to %d bytes: %w", limit, err)
		}
		if _, err := c.one(); err != nil {
			return fmt.Errorf("when there is room again: %w", err)
		}
		if err := s.Check(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// withLimit creates posts until a file would be longer than allowed.
func (c *creator) withLimit(size uint64, path string) error {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}); err != nil {
		return err
	}
	lost, err := c.untilFull(path)
	if err == nil {
		err = c.checkLost(lost)
	}
	return errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
}

func (c *creator) one() (p schedctl.Post, err error) {
	err = c.store.Update(context.Background(), func(tx storage.Tx) error {
		p, err = c.create(tx, 1)
		return err
	})
	return p, err
}

// untilFull creates posts until that fails, a few times over, and returns those
// that failed.
func (c *creator) untilFull(path string) (lost []schedctl.Post, err error) {
	for range 100_000 {
		p, err := c.one()
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), path) {
			return nil, fmt.Errorf("error %w, want one that names the file", err)
		}
		if lost = append(lost, p); len(lost) == 3 {
			return lost, nil
		}
	}
	return nil, errors.New("the disk never became full")
}

func (c *creator) checkLost(lost []schedctl.Post) error {
	return c.store.View(context.Background(), func(r storage.Reader) error {
		for _, p := range lost {
			if _, err := r.Post(p.WorkspaceID, p.ID); schedctl.CodeOf(err) != schedctl.NotFound {
				return fmt.Errorf("a post that was not acknowledged: error %v, want NOT_FOUND", err)
			}
		}
		return nil
	})
}
