package s3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/blobtest"
	"github.com/schedctl/schedctl/storage/blob/s3"
)

func TestStore(t *testing.T) {
	sharedServer(t)
	blobtest.Run(t, blobtest.Engine{Open: openEmpty, Damage: damage, Collect: collect})
}

// tested is an open store and the folder of its objects.
type tested struct {
	blob.Store
	spec   blob.S3Spec
	folder string
}

var prefixes atomic.Int64

// openEmpty opens a store with an unused prefix of the bucket that all tests share.
func openEmpty(t *testing.T) blob.Store {
	t.Helper()
	s := sharedServer(t)
	prefix := fmt.Sprintf("test%d/", prefixes.Add(1))
	spec := blob.S3Spec{Bucket: bucket, Prefix: prefix, Endpoint: "http://" + s.addr, PathStyle: true}
	store, err := open(t, spec, environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return tested{store, spec, filepath.Join(s.objects(), bucket, prefix)}
}

// environment has the credentials of the server.
var environment = map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey}

func open(t *testing.T, spec blob.S3Spec, env map[string]string) (blob.Store, error) {
	return s3.Open(t.Context(), spec, s3.Options{Spools: t.TempDir(), Getenv: func(name string) string { return env[name] }})
}

// damage flips the bits of one byte in the file of the server.
func damage(t *testing.T, s blob.Store, key blob.Key) {
	t.Helper()
	path := filepath.Join(s.(tested).folder, key.String())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[100] ^= 0xFF
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	server := sharedServer(t)
	here := blob.S3Spec{Bucket: bucket, Endpoint: "http://" + server.addr, PathStyle: true}
	missing := here
	missing.Bucket = "missing"
	file := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(file, []byte("aws_secret_access_key = "+secretKey), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spec blob.S3Spec
		env  map[string]string
		want string
	}{
		"no credentials":    {here, nil, "set AWS_ACCESS_KEY_ID"},
		"half credentials":  {here, map[string]string{"AWS_SECRET_ACCESS_KEY": secretKey}, "not one of them alone"},
		"wrong secret":      {here, map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey + "x"}, "refused the credentials"},
		"a file without":    {here, map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, "has no profile"},
		"a missing file":    {here, map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file + "x"}, "has no profile"},
		"no such bucket":    {missing, environment, "does not exist"},
		"an invalid bucket": {blob.S3Spec{Bucket: "A", Endpoint: here.Endpoint}, environment, "ucket name"},
	} {
		_, err := open(t, c.spec, c.env)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), secretKey) {
			t.Errorf("%s: the secret is in the error: %v", name, err)
		}
	}
}

func TestCredentialFiles(t *testing.T) {
	t.Parallel()
	server, dir, home := sharedServer(t), t.TempDir(), t.TempDir()
	text := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = wrong\n[media]\naws_access_key_id = %[1]s\naws_secret_access_key = %s\n", accessKey, secretKey)
	files := []string{filepath.Join(dir, "s3"), filepath.Join(home, ".aws", "credentials")}
	for _, path := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, env := range map[string]map[string]string{
		"a named file":                {"AWS_SHARED_CREDENTIALS_FILE": files[0]},
		"from the service manager":    {"CREDENTIALS_DIRECTORY": dir, "HOME": t.TempDir()},
		"in the home directory":       {"HOME": home},
		"service manager without one": {"CREDENTIALS_DIRECTORY": t.TempDir(), "HOME": home},
	} {
		env["AWS_PROFILE"] = "media"
		s, err := open(t, blob.S3Spec{Bucket: bucket, Endpoint: "http://" + server.addr, PathStyle: true}, env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s.Close()
	}
}

// TestNoProxy guards that the proxy variables of the environment are ignored, as by all
// clients of the daemon. It needs its own process, because Go reads them once.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	const child = "SCHEDCTL_TEST_PROXY"
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the proxy was asked for %s %s", r.Method, r.RequestURI)
	}))
	defer proxy.Close()
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), child+"=1", "NO_PROXY=", "no_proxy=")
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
			cmd.Env = append(cmd.Env, name+"="+proxy.URL, strings.ToLower(name)+"="+proxy.URL)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, scheme := range []string{"http", "https"} {
		to, err := http.NewRequest(http.MethodGet, scheme+"://store.invalid/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if used, err := http.ProxyFromEnvironment(to); used == nil {
			t.Fatalf("the environment has no proxy for %s, error %v", scheme, err)
		}
		s, err := open(t, blob.S3Spec{Bucket: bucket, Endpoint: scheme + "://store.invalid", PathStyle: true}, environment)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stat(t.Context(), blob.Key{}); err == nil {
			t.Errorf("%s: a store that does not exist was reached", scheme)
		}
		s.Close()
	}
}

// TestUnreachable guards that the daemon starts without the service, and that requests
// say why they fail.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	addr, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t, blob.S3Spec{Bucket: bucket, Endpoint: "http://" + addr, PathStyle: true}, environment)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Stat(context.Background(), blob.Key{}); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("Stat: error %v", err)
	}
}
