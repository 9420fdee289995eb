package mastodon_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// A post may override every option of an account.
func TestOptionsAreAPosts(t *testing.T) {
	t.Parallel()
	for _, f := range mastodon.New(nil, "").Fields() {
		if f.Option != f.Post {
			t.Errorf("%s: option %v, of a post %v", f.Name, f.Option, f.Post)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	type options = schedctl.Options
	p := mastodon.New(nil, "")
	limits := schedctl.Limits{MaxCharacters: 50, Unit: "graphemes", URLCharacters: 23}
	for _, tt := range []struct {
		content string
		options options
		length  int
		codes   string // of the problems
	}{
		{"hello", nil, 5, ""},
		{"hello https://mastodon.social/" + strings.Repeat("x", 100), nil, 29, ""},
		{"hello", options{"spoiler_text": "careful"}, 12, ""},
		{"hello", options{"visibility": "direct", "language": "pt-BR", "sensitive": true, "pacing": "1s"}, 5, ""},
		{"hello", options{"sensitive": "true"}, 5, ""},
		{"hello", options{"sensitive": "false"}, 5, ""},
		{"", nil, 0, "empty"},
		{strings.Repeat("x", 51), nil, 51, "too_long"},
		{"hello", options{"visibility": "secret"}, 5, "visibility"},
		{"hello", options{"language": 7.0}, 5, "language"},
		{"hello", options{"sensitive": "yes"}, 5, "sensitive"},
		{"hello", options{"spoiler_text": "two\nlines"}, 14, "spoiler_text"},
		{strings.Repeat("x", 60), options{"sensitive": 1.0, "language": "", "visibility": nil}, 60, "too_long visibility language sensitive"},
	} {
		got := p.Check(schedctl.Account{Limits: limits, Options: tt.options}, publish.Text(tt.content))
		var codes []string
		for _, e := range got.Problems {
			codes = append(codes, e.Code)
		}
		if got.Length != tt.length || got.Limit != 50 || got.Unit != "graphemes" || !slices.Equal(codes, strings.Fields(tt.codes)) {
			t.Errorf("%q %v: got %+v with %q, want %d characters and %q", tt.content, tt.options, got, codes, tt.length, tt.codes)
		}
	}
}

// Options from a command line are strings.
func TestSensitiveAsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"true": `"sensitive":true`, "false": `"sensitive":false`} {
		var body []byte
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			io.WriteString(w, newStatus)
		}))
		_, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Publish(t.Context(), publish.Request{
			Content: "hello", Credentials: connection(server.URL).Credentials, Account: schedctl.Account{Options: schedctl.Options{"sensitive": text}},
		})
		server.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %s, %v; want %s", text, body, err, want)
		}
	}
}

// A status with a wider visibility than requested is still published.
func TestAnotherVisibilityIsPublished(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(routes{"POST /api/v1/statuses": {200, `{"id":"109","visibility":"public"}`}})
	defer server.Close()
	receipt, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Publish(t.Context(), publish.Request{
		Content: "hello", Credentials: connection(server.URL).Credentials, Account: schedctl.Account{Options: schedctl.Options{"visibility": "unlisted"}},
	})
	if err != nil || receipt.ID != "109" {
		t.Errorf("got %+v, %v", receipt, err)
	}
}
