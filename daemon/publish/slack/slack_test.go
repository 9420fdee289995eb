package slack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/slack"
)

var (
	_ publish.Publisher = (*slack.Publisher)(nil)
	_ publish.Finder    = (*slack.Publisher)(nil)
	_ publish.Threader  = (*slack.Publisher)(nil)
)

const (
	token   = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy"
	secret  = "pdFZKVeTuE8sk7oOcBrzbqgy"
	webhook = "/services/T0123456789/B0123456789/" + secret
	channel = "https://example-team.slack.com/archives/C0123456789"
	content = "Version 2 is out, <!channel> & all 🙂"
)

var receipt = schedctl.Receipt{ID: "1780412400.000247", URL: channel + "/p1780412400000247"}

func bot(api string) publish.Credentials {
	c := publish.Credentials{"bot_token": token, "channel": "C0123456789"}
	if api != "" {
		c["api_url"] = api
	}
	return c
}

func hook(url string) publish.Credentials { return publish.Credentials{"webhook_url": url} }

func request(c publish.Credentials) publish.Request {
	return publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Credentials: c,
		Account: schedctl.Account{ProfileURL: channel},
	}
}

func TestConformanceOfABot(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: bot(url + "/api")}
		},
		Network: recorded.Handler(t, "testdata/connect.json", "testdata/publish.json"),
		Receipt: receipt,
		Key: func(_ *http.Request, body []byte) string {
			var m struct {
				Metadata struct {
					Payload struct{ ID string } `json:"event_payload"`
				}
			}
			_ = json.Unmarshal(body, &m)
			return m.Metadata.Payload.ID
		},
		Media: &publishtest.MediaSuite{
			Network: acceptFiles(recorded.Handler(t, "testdata/connect.json")),
			Upload:  isUpload,
		},
		Preflight: readsThread,
		Threads: &publishtest.ThreadSuite{
			Network:   func() http.Handler { return newChannel(t) },
			Reference: func(schedctl.Receipt) string { return "" }, // replies refer to part 0, which TestReply checks
			Missing:   newChannel(t),
			Lost:      newChannel(t).withoutThreads(),
			Finds:     true,
		},
	})
}

func TestConformanceOfAWebhook(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: hook(url + webhook)}
		},
		Network: recorded.Handler(t, "testdata/webhook.json"),
		Lacks:   []publish.Purpose{publish.PurposePart, publish.PurposeFile},
	})
}

// A repeated request would post twice.
func TestNotIdempotent(t *testing.T) {
	t.Parallel()
	var p publish.Publisher = slack.New(nil, outbound.PublicOnly, "test")
	if _, ok := p.(publish.Idempotent); ok {
		t.Error("Slack does not recognize repeated requests")
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	elsewhere := request(bot(""))
	elsewhere.Account.ProfileURL = "https://example-team.slack.com/archives/C0000000000"
	plain := request(hook("https://hooks.slack.com" + webhook))
	plain.Account.Options = schedctl.Options{"mrkdwn": false}
	for _, tt := range []struct {
		name, file string
		request    publish.Request
		want       schedctl.Receipt
	}{
		{"a bot", "publish.json", request(bot("")), receipt},
		{"a bot whose channel has no known address", "publish.json", elsewhere, schedctl.Receipt{ID: receipt.ID}},
		{"a webhook", "webhook.json", plain, schedctl.Receipt{}},
	} {
		p := slack.New(recorded.Client(t, "testdata/"+tt.file), outbound.PublicOnly, "1.2.3")
		got, err := p.Publish(t.Context(), tt.request)
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := slack.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		length        int
		warns         bool
		codes         []string
	}{
		{"a fine post", strings.Repeat("🙂", 4000), nil, 4000, false, nil},
		{"a long post", strings.Repeat("🙂", 4001), nil, 4001, true, nil},
		{"entities", "a < b & c > d", schedctl.Options{"mrkdwn": true, "pacing": "1s"}, 13 + 3 + 4 + 3, false, nil},
		{"over the limit", strings.Repeat("&", 8001), nil, 40005, true, []string{"too_long"}},
		{"white space", " \n", nil, 2, false, []string{"empty"}},
		{"nothing", "", nil, 0, false, []string{"empty"}},
		{"a bad option", "hello", schedctl.Options{"mrkdwn": "no"}, 5, false, []string{"mrkdwn"}},
	} {
		c := p.Check(schedctl.Account{Options: tt.options}, publish.Text(tt.content))
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Length != tt.length || c.Limit != 40000 || c.Unit != "characters" || (len(c.Warnings) > 0) != tt.warns {
			t.Errorf("%s: got %+v, codes %v", tt.name, c, codes)
		}
		if tt.codes == nil {
			continue
		}
		r := request(bot(""))
		r.Content, r.Account.Options = tt.content, tt.options
		if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != tt.codes[0] {
			t.Errorf("%s: publishing returned %v before any request", tt.name, err)
		}
	}
}

// A webhook of Slack responds in plain text with the word ok.
func TestAWebhookMustSayOK(t *testing.T) {
	t.Parallel()
	for body, accepted := range map[string]bool{"ok": true, "ok\n": true, "": false, "okay": false, `{"ok":true}`: false} {
		p := slack.New(&http.Client{Transport: says(body)}, outbound.PublicOnly, "test")
		_, err := p.Publish(t.Context(), request(hook("https://chat.example/hooks/k3y")))
		if accepted != (err == nil) {
			t.Errorf("%q: got %v", body, err)
		}
		if e := publish.AsError(err); !accepted && (e.Outcome != schedctl.OutcomeUnknown || e.Kind != schedctl.KindPlatform) {
			t.Errorf("%q: got %+v", body, e)
		}
	}
}

// says is a network that responds to every request with status 200 and the string.
type says string

func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(s))), Request: r}, nil
}

func ExamplePublisher_Fields() {
	for _, f := range slack.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// webhook_url: an incoming webhook of a channel; or give bot_token and channel
	// bot_token: xoxb-… of an app with the scopes chat:write, files:write and files:read for pictures, and channels:history to find posts after an unknown outcome
	// channel: with bot_token: the id of a channel, such as C0123456789
	// api_url: with bot_token: https://slack-gov.com/api for GovSlack; default https://slack.com/api
	// mrkdwn: false to show *stars* and _lines_ as they are
}
