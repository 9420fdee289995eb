package action_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scratch is a directory shared by the tests; TestMain removes it.
var scratch string

// TestMain removes what the tests have built.
func TestMain(m *testing.M) {
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

var buildProgram = sync.OnceValues(func() (program []byte, err error) {
	if scratch, err = os.MkdirTemp("", "schedctl-action"); err != nil {
		return nil, err
	}
	path := filepath.Join(scratch, "schedctl")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w -X main.version=1.2.3", "-o", path, "./cmd/schedctl")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.ReadFile(path)
})

// program returns the path of schedctl as it is in the release.
func program(t *testing.T) string {
	t.Helper()
	if _, err := buildProgram(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(scratch, "schedctl")
}

// published is a release server with version 1.2.3, the latest one.
type published struct {
	*httptest.Server
	mu    sync.Mutex // mu guards what follows
	files map[string][]byte
	asked []string
}

func publish(t *testing.T) *published {
	t.Helper()
	files, err := packRelease()
	if err != nil {
		t.Fatal(err)
	}
	p := &published{files: maps.Clone(files)}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// packRelease packs the program for Linux and for Windows, and the checksums of these
// archives and of a missing one.
var packRelease = sync.OnceValues(func() (map[string][]byte, error) {
	program, err := buildProgram()
	if err != nil {
		return nil, err
	}
	linux, err := tarball(program)
	if err != nil {
		return nil, err
	}
	windows, err := zipped(program)
	sums := fmt.Sprintf("%x  schedctl_linux_amd64.tar.gz\n%x  schedctl_linux_arm64.tar.gz\n%x  schedctl_windows_amd64.zip\n",
		sha256.Sum256(linux), sha256.Sum256([]byte("another")), sha256.Sum256(windows))
	return map[string][]byte{
		"checksums.txt": []byte(sums), "schedctl_linux_amd64.tar.gz": linux, "schedctl_windows_amd64.zip": windows,
	}, err
})

// ServeHTTP responds like the release pages.
func (p *published) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.URL.Path)
	name, ok := strings.CutPrefix(r.URL.Path, "/latest/download/")
	if !ok {
		name, ok = strings.CutPrefix(r.URL.Path, "/download/v1.2.3/")
	}
	if data, found := p.files[name]; ok && found {
		w.Write(data)
		return
	}
	http.NotFound(w, r)
}

// replace replaces a file.
func (p *published) replace(name string, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[name] = data
}

func (p *published) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func tarball(program []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for name, data := range map[string][]byte{"README.md": []byte("Read me\n"), "schedctl": program} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

func zipped(program []byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("schedctl.exe")
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
