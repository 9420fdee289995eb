package openapi_test

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/api"
)

var (
	update       = flag.Bool("update", false, "rewrite openapi.json, unless that breaks clients, and the pictures of docs/review.md")
	allowBreaks  = flag.Bool("breaking", false, "with -update: rewrite openapi.json even if that breaks clients")
	documentFile = "openapi.json"
)

// served returns the document that the daemon serves.
func served(t *testing.T) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	api.New(api.Config{}).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("/openapi.json gets %d: %s", w.Code, w.Body)
	}
	return append(w.Body.Bytes(), '\n')
}

// TestDocument compares the file with the served document. Breaking changes are
// reported as such, and -update alone does not write them.
func TestDocument(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	got := served(t)
	if breaks := breakingChanges(t, want, got); len(breaks) > 0 && !*allowBreaks {
		t.Fatalf("clients written for %s break; revert the changes, or write it with -update -breaking if no such client can exist:\n%s",
			documentFile, strings.Join(breaks, "\n"))
	}
	if bytes.Equal(want, got) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale; write it with go test ./daemon/api/openapi -run TestDocument -update (-file +served):\n%s",
			documentFile, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
	}
	if err := os.WriteFile(documentFile, got, 0o644); err != nil {
		t.Fatal(err)
	}
}

// maxDocument is the number of bytes that the document may have. Clients read it whole, and
// so do people and agents.
const maxDocument = 600_000

func TestDocumentIsSmall(t *testing.T) {
	t.Parallel()
	if size := len(served(t)); size > maxDocument {
		t.Errorf("the document has %d bytes, more than %d: describe what operations share once, in components", size, maxDocument)
	}
}
