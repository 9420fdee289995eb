package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// endless is a daemon whose lists of posts have no end. It keeps their queries.
type endless struct{ queries []string }

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	e.queries = append(e.queries, r.URL.RawQuery)
	next := fmt.Sprint(len(e.queries))
	text, err := json.Marshal(apiv1.PostList{Results: make([]apiv1.Post, 100), NextCursor: &next})
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

// TestComparesSomePosts guards that recognizing moved files reads a bounded number of posts, asks
// for those of the times of the files, and says that it did not read all.
func TestComparesSomePosts(t *testing.T) {
	t.Parallel()
	daemon, said := &endless{}, &bytes.Buffer{}
	c, err := client.New(client.Config{URL: "http://daemon.test", Key: "sctl_test", Transport: daemon})
	if err != nil {
		t.Fatal(err)
	}
	p := &planner{client: c, fileReader: &fileReader{App: &cli.App{System: cli.System{Err: said}}}}
	at := func(hour int) wantedPost {
		moment := time.Date(2098, 3, 1, hour, 0, 0, 0, time.UTC)
		return wantedPost{postState: postState{At: formatTime(moment)}, moment: when.Result{Time: moment}}
	}
	if err := p.comparePosts(t.Context(), []apiv1.Collection{{Name: "web"}}, []wantedPost{at(9), at(7), at(8)}, map[string]string{}); err != nil {
		t.Fatal(err)
	}
	if n := len(daemon.queries); n > maxCompared/100+1 {
		t.Errorf("it sent %d requests", n)
	}
	if i := slices.IndexFunc(daemon.queries, func(q string) bool {
		return !strings.Contains(q, "after=2098-03-01T07%3A00%3A00") || !strings.Contains(q, "before=2098-03-01T09%3A00%3A01")
	}); i >= 0 {
		t.Errorf("a query is %s", daemon.queries[i])
	}
	if !strings.Contains(said.String(), "compared with 1000 posts") {
		t.Errorf("it says %q", said)
	}
}
