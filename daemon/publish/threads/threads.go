// Package threads publishes to Threads by Meta, through its API
// (https://developers.facebook.com/docs/threads) and a token of the user's own app.
//
// A post is staged first, as a container that is not visible, and then published by the id of
// the container. A container is published at most once, and its status says whether it was.
// After a request with an unknown outcome, Find asks for that status. If the container has
// failed or expired, it looks through the account's own posts.
//
// Meta fetches files from the daemon, so posts with files need its public URL.
package threads

import (
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Platform is the name of the platform.
const Platform = "threads"

const (
	publicAPI = "https://graph.threads.net"
	version   = "v1.0"
)

// maxText is the maximum length of a text, as length counts it.
const maxText = 500

// Publisher implements [publish.Publisher], [publish.Stager], [publish.Renewer],
// [publish.MediaPublisher] and [publish.AddressNeeder].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
	publicURL string
}

// New returns the publisher. client must follow policy. version is the daemon's version,
// for the User-Agent, and publicURL its public address.
func New(client *http.Client, policy outbound.Policy, version, publicURL string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version, publicURL: publicURL}
}

// Platform returns "threads".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: meta.FieldToken, Required: true, Secret: true, Help: "a long-lived token with the permissions threads_basic, threads_content_publish and, for threads and first comments, " + scopeReplies + ", from the User Token Generator of your app", Check: outbound.TokenCheck(meta.FieldToken, foreignTokens)},
		{Name: meta.FieldAPI, Seldom: true, Help: "scheme and host of a test server or proxy; default " + publicAPI, Check: outbound.ServerCheck(meta.FieldAPI, publicAPI)},
	}
}

// foreignTokens are tokens of Meta that people confuse with those of Threads.
var foreignTokens = map[string]string{
	"EAA":  "this is a token of Facebook; generate one with the User Token Generator in the use case of Threads",
	"IGAA": "this is a token of Instagram; generate one with the User Token Generator in the use case of Threads",
}

// AddressProblem implements [publish.AddressNeeder].
func (p *Publisher) AddressProblem() string {
	if strings.HasPrefix(p.publicURL, "https://") {
		return ""
	}
	return "Threads fetches pictures and videos from the daemon, which has no public https address, so only text can be published there; start the daemon with --public-url https://…"
}

// MediaRules returns the rules for files, which Meta fetches
// (https://developers.facebook.com/docs/threads/overview#image-specifications).
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	const mb = 1 << 20
	return publish.MediaRules{
		Refused: p.AddressProblem(), MaxFiles: 20, MaxVideos: 1, MaxAlt: 1000, Fetched: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png"}, MaxBytes: 8 * mb, MaxRatio: 10},
			schedctl.MediaVideo: {Types: []string{"video/mp4", "video/quicktime"}, MaxBytes: 1000 * mb, MaxTime: 5 * time.Minute},
		},
	}
}

// ThreadRules allows threads: each reply is a request of its own.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Replies: defaultReplies, RepliesWindow: 24 * time.Hour}
}

// Check counts the text as Threads does.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, length(content.Text), maxText, "characters", nil)
	checkLinks(&c, content.Text)
	c.RefuseWarning(content, "Threads")
	c.RefuseVisibility(content, "Threads")
	c.WarnLanguage(content, "Threads")
	c.WarnPreview(content, "Threads")
	return c
}

// api returns the API for an account. Errors do not contain secret values.
func (p *Publisher) api(c publish.Credentials) (meta.API, error) {
	return meta.API{Client: p.client, UserAgent: p.userAgent, Platform: "Threads"}.Parse(c, p.policy, publicAPI)
}

// containers returns the containers of an account. Errors do not contain secret values.
func (p *Publisher) containers(c publish.Credentials) (meta.Containers, error) {
	api, err := p.api(c)
	return meta.Containers{API: api, Version: version, User: "me", Create: "threads", Edge: "threads_publish", Status: "status", Refuse: refuse(api)}, err
}
