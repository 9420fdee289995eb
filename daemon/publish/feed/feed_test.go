package feed_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Publisher      = (*feed.Feed)(nil)
	_ publish.MediaPublisher = (*feed.Feed)(nil)
	_ publish.Threader       = (*feed.Feed)(nil)
	_ publish.Idempotent     = (*feed.Feed)(nil)
	_ publish.Pacer          = (*feed.Feed)(nil)
)

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New:        func(*http.Client) publish.Publisher { return feed.New(publicURL) },
		Connection: func(string) publish.Connection { return publish.Connection{Name: "news"} },
		Receipt:    schedctl.Receipt{ID: publishtest.TargetID, URL: publicURL + "/feeds/news/" + publishtest.TargetID},
		Media:      &publishtest.MediaSuite{},
		Threads:    &publishtest.ThreadSuite{},
	})
}

func TestConnectNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"news": true, "a-1": true, strings.Repeat("a", 40): true,
		"": false, "News": false, "a.b": false, "a b": false, "a/b": false, "é": false, "a\n": false, strings.Repeat("a", 41): false,
	} {
		profile, err := feed.New(publicURL+"/").Connect(t.Context(), publish.Connection{Name: name})
		if ok {
			if err != nil || profile.URL != publicURL+"/feeds/"+name+".atom" || profile.Username != name {
				t.Errorf("%q: got %+v, %v", name, profile, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "name" {
			t.Errorf("%q: got %+v, want an error about the name", name, e)
		}
	}
}

func TestAReceiptNamesTheEntrysPage(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	f := feed.New(publicURL)
	receipt, err := f.Publish(t.Context(), publish.Request{TargetID: m.entries[0].ID, Account: schedctl.Account{Name: "news"}})
	if err != nil {
		t.Fatal(err)
	}
	if w := ask(m, http.MethodGet, path(t, receipt.URL)); w.Code != 200 || !strings.Contains(w.Body.String(), "Hello, world") {
		t.Errorf("%s: %d %s", receipt.URL, w.Code, w.Body)
	}
	if !f.Idempotent(schedctl.Account{}) || f.Pacing() != 0 {
		t.Error("a feed is idempotent and needs no pacing")
	}
}
