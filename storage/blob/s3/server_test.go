package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/scripts/testsize"
)

const (
	accessKey = "tester"
	secretKey = "hunter2secret"
	bucket    = "pictures"
)

// server is a Versity Gateway that keeps its objects in files.
type server struct {
	addr string
	dir  string
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// shared is the server of the test binary. mu guards the other fields.
var shared struct {
	mu     sync.Mutex
	server *server
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s := shared.server; s != nil {
		s.stop()
	}
	os.Exit(code)
}

// sharedServer returns the server, started if necessary. Without one installed the test
// is skipped, or fails when SCHEDCTL_REQUIRE_ALL=1 is set.
func sharedServer(t *testing.T) *server {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = startServer()
	}
	switch {
	case shared.err == nil:
	case errors.Is(shared.err, os.ErrNotExist) && os.Getenv("SCHEDCTL_REQUIRE_ALL") == "":
		t.Skipf("no S3 server: %v; run install.sh", shared.err)
	default:
		t.Fatal(shared.err)
	}
	return shared.server
}

func startServer() (*server, error) {
	bin, err := findServer()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "schedctl-s3-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	if s.addr, err = freeAddress(); err != nil {
		return nil, err
	}
	err = errors.Join(os.Mkdir(s.objects(), 0o700), os.Mkdir(s.sidecar(), 0o700))
	if err != nil {
		return nil, err
	}
	s.cmd = exec.Command(bin, "--port", s.addr, "--access", accessKey, "--secret", secretKey, "posix", "--sidecar", s.sidecar(), s.objects())
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.SysProcAttr = &s.log, &s.log, endsWithTests()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := s.await(); err != nil {
		s.stop()
		return nil, fmt.Errorf("start the S3 server: %w\n%s", err, s.log.Bytes())
	}
	return s, nil
}

func findServer() (string, error) {
	servers, err := installed.Root()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(servers, "versitygw", "versitygw")
	_, err = os.Stat(bin)
	return bin, err
}

// freeAddress returns an address that no process listens on. Its port is outside the range
// that operating systems use for client connections, so no connection takes it before the
// server listens.
func freeAddress() (addr string, err error) {
	const first, last = 15000, 30000
	for range 100 {
		addr = fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(last-first))
		var l net.Listener
		if l, err = net.Listen("tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", err
}

// await waits until the server has created the bucket.
func (s *server) await() error {
	client, err := minio.New(s.addr, &minio.Options{
		Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath, MaxRetries: 1,
	})
	if err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := client.MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{Region: "us-east-1"})
		if err == nil || time.Since(began) > testsize.Patience {
			return err
		}
	}
}

func (s *server) objects() string { return filepath.Join(s.dir, "objects") }
func (s *server) sidecar() string { return filepath.Join(s.dir, "sidecar") }

func (s *server) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
	os.RemoveAll(s.dir)
}
