package openapi_test

import (
	"encoding/json"
	"image"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sight holds the results of docs.js.
type sight struct {
	Title      string
	Operations []string // method, path and summary
	Examples   string   // the text of an operation that was opened
	Response   string   // of a call that was made on the page

	Outside    []string // requests that went elsewhere
	Failed     []string // requests without a useful response
	Complaints []string // of the page, or of its policy
}

// TestDocsInABrowser opens the page at /docs of a real daemon in Chromium, which
// can reach only the daemon. Its pictures are artifacts of the test.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	dir, chromium := tools(t), browser(t)
	d := startDaemon(t)
	target, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.StripPrefix("/team/sched", httputil.NewSingleHostReverseProxy(target)))
	t.Cleanup(proxy.Close)
	for name, base := range map[string]string{"of the daemon": d.url, "below the path of a proxy": proxy.URL + "/team/sched"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkDocs(t, d, run(t, dir, t.TempDir(), "node", absolute(t, "docs.js"), chromium, base, d.key, t.ArtifactDir()), t.ArtifactDir())
		})
	}
}

// checkDocs checks what docs.js printed about the page, and its pictures.
func checkDocs(t *testing.T, d daemon, printed, pictures string) {
	t.Helper()
	var seen sight
	if err := json.Unmarshal([]byte(printed), &seen); err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	if seen.Title != "schedctl" {
		t.Errorf("the title is %q", seen.Title)
	}
	if diff := cmp.Diff(operations(t, d.get(t, "/openapi.json")), slices.Sorted(slices.Values(seen.Operations))); diff != "" {
		t.Errorf("the page shows other operations (-document +page):\n%s", diff)
	}
	if !strings.Contains(seen.Examples, "Version 1.4 is out.") {
		t.Errorf("createPost shows no example:\n%s", seen.Examples)
	}
	if !strings.Contains(seen.Response, "200") || !strings.Contains(seen.Response, `"workspace"`) {
		t.Errorf("a request from the page gets:\n%s", seen.Response)
	}
	for what, found := range map[string][]string{"went elsewhere": seen.Outside, "failed": seen.Failed, "was complained of": seen.Complaints} {
		if len(found) > 0 {
			t.Errorf("this %s:\n%s", what, strings.Join(found, "\n"))
		}
	}
	for _, name := range []string{"docs.png", "operation.png"} {
		checkPicture(t, filepath.Join(pictures, name))
	}
}

// operations returns method, path and summary of all operations of a document, and
// method, name and summary of the requests to webhooks.
func operations(t *testing.T, text []byte) []string {
	t.Helper()
	var doc struct {
		Paths, Webhooks map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, part := range []map[string]map[string]struct{ Summary string }{doc.Paths, doc.Webhooks} {
		for path, methods := range part {
			for method, op := range methods {
				out = append(out, strings.ToUpper(method)+" "+path+" "+op.Summary)
			}
		}
	}
	slices.Sort(out)
	return out
}

// checkPicture fails the test when a picture is blank, or nearly.
func checkPicture(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	bounds := picture.Bounds()
	counts, most := map[any]int{}, 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := picture.At(x, y)
			counts[c]++
			most = max(most, counts[c])
		}
	}
	all := bounds.Dx() * bounds.Dy()
	if all < 500*1000 || len(counts) < 100 || most > all*19/20 {
		t.Errorf("%s is blank: %v, %d colors, %d%% of it in one", filepath.Base(file), bounds, len(counts), 100*most/all)
	}
}
