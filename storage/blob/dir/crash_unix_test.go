//go:build unix

package dir_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

// childVariable makes the test binary a child process. Its value is the name of the
// function to run, and a directory.
const childVariable = "SCHEDCTL_BLOB_CHILD"

func TestMain(m *testing.M) {
	name, path, found := strings.Cut(os.Getenv(childVariable), " ")
	if !found {
		os.Exit(m.Run())
	}
	s, err := dir.Open(path)
	if err == nil {
		err = map[string]func(*dir.Store) error{"put": putForever, "spool": spoolAndStop, "full": fillDisk}[name](s)
	}
	if err != nil {
		fmt.Println("failed:", err)
	}
}

// child starts a child process, and returns it with its output.
func child(t *testing.T, name, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+name+" "+path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// childBytes are the bytes that a child puts as its n-th blob.
func childBytes(n int) []byte {
	data := make([]byte, 100<<10)
	binary.BigEndian.PutUint64(data, uint64(n))
	return data
}

// putForever reports each blob after its Put.
func putForever(s *dir.Store) error {
	for n := 0; ; n++ {
		sp, err := s.Spool()
		if err != nil {
			return err
		}
		if _, err := sp.Write(childBytes(n)); err != nil {
			return err
		}
		if _, err := s.Put(context.Background(), sp); err != nil {
			return err
		}
		if err := sp.Close(); err != nil {
			return err
		}
		fmt.Println("put", n)
	}
}

// spoolAndStop writes a spool and never puts it.
func spoolAndStop(s *dir.Store) error {
	sp, err := s.Spool()
	if err != nil {
		return err
	}
	if _, err := sp.Write(childBytes(0)); err != nil {
		return err
	}
	fmt.Println("written")
	_, err = io.Copy(io.Discard, os.Stdin) // until the test ends
	return err
}

// TestKill kills a process between and in its Puts. Every blob that it reported exists,
// and every listed blob is complete.
func TestKill(t *testing.T) {
	t.Parallel()
	for i := range 10 {
		path := t.TempDir()
		cmd, out := child(t, "put", path)
		reported := -1
		for reported < i*3 && out.Scan() {
			if _, err := fmt.Sscanf(out.Text(), "put %d", &reported); err != nil {
				t.Fatalf("the child reported %q", out.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for out.Scan() { // until the child has ended
			fmt.Sscanf(out.Text(), "put %d", &reported)
		}
		s, err := dir.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range reported + 1 {
			if _, err := s.Stat(t.Context(), sha256.Sum256(childBytes(n))); err != nil {
				t.Errorf("blob %d of %d: %v", n, reported, err)
			}
		}
		err = s.List(t.Context(), func(info blob.Info) error { return blob.Verify(t.Context(), s, info.Key) })
		if err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

// TestKillBeforePut guards that a spool is not visible as a blob after a crash, that the
// spool of a killed process is removed by the next one, and that the spool of a process
// that still runs is not.
func TestKillBeforePut(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	cmd, out := child(t, "spool", path)
	if !out.Scan() || out.Text() != "written" {
		t.Fatalf("the child reported %q", out.Text())
	}
	s, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if names := files(t, path); len(names) != 1 || filepath.Dir(names[0]) != "tmp" {
		t.Errorf("files %q while the process runs", names)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := s.CleanSpools(); err != nil {
		t.Error(err)
	}
	if err := s.List(t.Context(), func(i blob.Info) error { return fmt.Errorf("blob %v is listed", i) }); err != nil {
		t.Error(err)
	}
	if names := files(t, path); len(names) != 0 {
		t.Errorf("files %q after the process was killed", names)
	}
}

// fillDisk limits the size of files, which the system reports as a full disk.
func fillDisk(s *dir.Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
		return err
	}
	sp, err := s.Spool()
	if err != nil {
		return err
	}
	_, errWrite := sp.Write(childBytes(0))
	_, errAgain := sp.Write([]byte("more"))
	_, errPut := s.Put(context.Background(), sp)
	for what, err := range map[string]error{"Write": errWrite, "the next Write": errAgain, "Put": errPut} {
		var full *storage.FullError
		if !errors.As(err, &full) || !strings.HasSuffix(full.Where, "tmp") {
			return fmt.Errorf("%s on a full disk: error %v", what, err)
		}
	}
	if err := sp.Close(); err != nil {
		return err
	}
	fmt.Println("full")
	return nil
}

// TestFullDisk guards that a full disk has its own error, and that no file is left.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	_, out := child(t, "full", path)
	if !out.Scan() || out.Text() != "full" {
		t.Errorf("the child reported %q", out.Text())
	}
	for out.Scan() { // until the child has ended
	}
	if names := files(t, path); len(names) != 0 {
		t.Errorf("files %q", names)
	}
}
