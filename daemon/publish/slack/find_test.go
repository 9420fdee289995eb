package slack_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/slack"
)

// since is when the attempt of the recorded exchanges started.
var since = time.Unix(1780412400, 0)

func TestFindByMetadata(t *testing.T) {
	t.Parallel()
	p := slack.New(recorded.Client(t, "testdata/find.json"), outbound.PublicOnly, "1.2.3")
	got, found, err := p.Find(t.Context(), request(bot("")), since)
	if err != nil || !found || !got.Equal(receipt) {
		t.Errorf("got %+v, %v, %v; want %+v", got, found, err, receipt)
	}
}

func TestFindCannotAskAWebhook(t *testing.T) {
	t.Parallel()
	_, found, err := slack.New(nil, outbound.PublicOnly, "test").Find(t.Context(), request(hook("https://hooks.slack.com"+webhook)), since)
	if e := publish.AsError(err); found || e.Code != "cannot_ask" {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestFindEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, page string // %d is the number of the page
		calls      int64
		code       string // empty if the history could be read
	}{
		{"without new messages", `{"ok":true,"messages":[]}`, 1, ""},
		{"at the last page", `{"ok":true,"messages":[{"ts":"1.000000"}],"response_metadata":{"next_cursor":""}}`, 1, ""},
		{"at a page that leads to itself", `{"ok":true,"messages":[],"response_metadata":{"next_cursor":"x"}}`, 2, ""},
		{"after many pages", `{"ok":true,"messages":[],"response_metadata":{"next_cursor":"x%d"}}`, 20, "cannot_ask"},
		{"without the scope", `{"ok":false,"error":"missing_scope","needed":"channels:history","provided":"chat:write"}`, 1, "cannot_ask"},
		{"outside of the channel", `{"ok":false,"error":"not_in_channel"}`, 1, "cannot_ask"},
		{"at nonsense", `<html>`, 1, "api_url"},
		{"at another's metadata", `{"ok":true,"messages":[{"ts":"1.000000","metadata":{"event_type":"schedctl_post","event_payload":{"id":"pt_2"}}},{"ts":"2.000000","metadata":[]}]}`, 1, ""},
	} {
		var calls atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.ReplaceAll(tt.page, "%d", fmt.Sprint(calls.Add(1))))
		}))
		p := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		got, found, err := p.Find(t.Context(), request(bot(server.URL)), since)
		server.Close()
		if found || !got.Equal(schedctl.Receipt{}) || calls.Load() != tt.calls {
			t.Errorf("%s: got %+v, %v after %d requests, want %d", tt.name, got, found, calls.Load(), tt.calls)
		}
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if publish.AsError(err).Code != tt.code {
			t.Errorf("%s: got %v, want code %s", tt.name, err, tt.code)
		}
	}
}
