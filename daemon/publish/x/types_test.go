package x_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// typesOf are the types of request bodies in X's own library, which X generates from its
// OpenAPI document.
var typesOf = map[string]string{
	"/2/tweets":                  "CreatePostsRequest",
	"/2/media/metadata":          "CreateMediaMetadataRequest",
	"/2/media/upload/initialize": "InitializeMediaUploadRequest",
}

// recordedBodies are the distinct bodies of requests, by path.
type recordedBodies struct {
	mu   sync.Mutex
	seen map[string]map[string]bool
}

func (b *recordedBodies) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && typesOf[r.URL.Path] != "" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client has closed the connection
			}
			b.mu.Lock()
			if b.seen[r.URL.Path] == nil {
				b.seen[r.URL.Path] = map[string]bool{}
			}
			b.seen[r.URL.Path][string(body)] = true
			b.mu.Unlock()
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// TestRequestsHaveTheTypesOfX checks the bodies of all requests that the conformance suite
// causes against the types in X's own library.
func TestRequestsHaveTheTypesOfX(t *testing.T) {
	t.Parallel()
	dir := publishtest.RequireModules(t, "x-types")
	bodies := recordedBodies{seen: map[string]map[string]bool{}}
	t.Run("requests", func(t *testing.T) {
		suite := conformanceSuite()
		suite.Network = bodies.record(suite.Network)
		network := suite.Threads.Network
		suite.Threads.Network = func() http.Handler { return bodies.record(network()) }
		publishtest.Run(t, suite)
		p, r := start(t, bodies.record(constant()))
		r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Error(err)
		}
	})
	var program strings.Builder
	program.WriteString("import type { Schemas } from \"@xdevplatform/xdk\";\n")
	for path, name := range typesOf {
		if len(bodies.seen[path]) == 0 {
			t.Errorf("no request for %s", path)
		}
		for body := range bodies.seen[path] {
			fmt.Fprintf(&program, "export const r%d: Schemas.%s = %s;\n", program.Len(), name, camelCase(t, body))
		}
	}
	// The compiler finds the library beside the file.
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "requests.ts")
	if err := os.WriteFile(file, []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	compile := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", "tsc"),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", file)
	compile.Dir = work
	if out, err := compile.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, program.String())
	}
}

var snakeCase = regexp.MustCompile(`_[a-z]`)

// camelCase returns a JSON object with the names of X's library, which are in camel case:
// the library changes them before it sends them.
func camelCase(t *testing.T, body string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Errorf("%s: %v", body, err)
	}
	var rename func(any) any
	rename = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := make(map[string]any, len(v))
			for name, member := range v {
				out[snakeCase.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })] = rename(member)
			}
			return out
		case []any:
			for i := range v {
				v[i] = rename(v[i])
			}
		}
		return v
	}
	out, err := json.Marshal(rename(value))
	if err != nil {
		t.Error(err)
	}
	return string(out)
}
