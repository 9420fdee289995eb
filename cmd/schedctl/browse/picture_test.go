package browse

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/cli/picture"
	"github.com/schedctl/schedctl/tui/postlist"
)

// silent is a daemon that does not respond.
type silent struct{ asked, ended chan struct{} }

// RoundTrip waits until the request is canceled.
func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	close(s.asked)
	<-r.Context().Done()
	close(s.ended)
	return nil, r.Context().Err()
}

// A key closes a picture that is still loading, and nothing of it is left.
func TestKeyEndsLoading(t *testing.T) {
	t.Parallel()
	daemon := silent{make(chan struct{}), make(chan struct{})}
	c, err := client.New(client.Config{URL: "http://daemon.test", Key: "sctl_test", Transport: daemon})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out bytes.Buffer
	o := &browser{App: &cli.App{System: cli.System{Out: &out, Width: 80, Height: 24, ReadKey: func(context.Context) (string, error) {
		<-daemon.asked
		return "q", nil
	}}}}
	v := &viewer{browser: o, client: c, protocol: picture.Kitty, encoded: map[string]picture.Sequences{}}
	asset := apiv1.MediaAsset{ID: "med_1", MIMEType: "image/png", Status: schedctl.MediaReady, SizeBytes: 100}
	if err := v.run(t.Context(), []postlist.Picture{{Asset: asset, Lines: []string{"cat.png \x1b[2J"}}}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-daemon.ended:
	default:
		t.Error("the download continues")
	}
	if shown := out.String(); !strings.Contains(shown, "cat.png \ufffd[2J") || !strings.Contains(shown, "loading …") {
		t.Errorf("%q", shown)
	}
}
