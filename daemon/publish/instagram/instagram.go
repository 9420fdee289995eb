// Package instagram publishes to professional accounts on Instagram, through the Instagram
// API with Instagram login (https://developers.facebook.com/docs/instagram-platform) and a
// token of the user's own app.
//
// A post is staged first, as a container that is not visible, and then published by the id of
// the container. A container is published at most once, and its status says whether it was.
// After a request with an unknown outcome, Find asks for that status. If the container has
// failed or expired, it looks through the account's own posts.
//
// Every post has a picture or a video. Instagram fetches them from the daemon, so nothing can
// be published without its public https address.
package instagram

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "instagram"

const (
	network   = "Instagram"
	publicAPI = "https://graph.instagram.com"
	version   = "v25.0"
)

// fieldUser is the id of the account, which Connect adds to the credentials.
const fieldUser = "user_id"

// The limits of a caption and of a carousel
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media).
const (
	maxCaption  = 2200
	maxHashtags = 30
	appHashtags = 5 // in the app since December 2025; not seen in the API
	maxTags     = 20
	maxFiles    = 10
	minVideo    = 3 * time.Second
)

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

// Platform returns "instagram".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: meta.FieldToken, Required: true, Secret: true, Help: "a long-lived token with the permissions instagram_business_basic and instagram_business_content_publish, from the dashboard of your app", Check: outbound.TokenCheck(meta.FieldToken, foreignTokens)},
		{Name: meta.FieldAPI, Seldom: true, Help: "scheme and host of a test server or proxy; default " + publicAPI, Check: outbound.ServerCheck(meta.FieldAPI, publicAPI)},
	}
}

// foreignTokens are tokens of Meta that people confuse with those of Instagram.
var foreignTokens = map[string]string{
	"EAA":  "this is a token of Facebook; generate one on the page \"API setup with Instagram business login\" of your app",
	"THAA": "this is a token of Threads; generate one on the page \"API setup with Instagram business login\" of your app",
}

// AddressProblem implements [publish.AddressNeeder].
func (p *Publisher) AddressProblem() string {
	if strings.HasPrefix(p.publicURL, "https://") {
		return ""
	}
	return "Instagram fetches pictures and videos from the daemon, which has no public https address, so nothing can be published there; start the daemon with --public-url https://…"
}

// MediaRules returns the rules for files, which Instagram fetches.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	const mb = 1 << 20
	return publish.MediaRules{
		Refused: p.AddressProblem(), MaxFiles: maxFiles, MaxAlt: 1000, Fetched: true, Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg"}, MaxBytes: 8 * mb, MinAspect: 4.0 / 5, MaxAspect: 1.91},
			schedctl.MediaVideo: {Types: []string{"video/mp4", "video/quicktime"}, MaxBytes: 300 * mb, MaxTime: 15 * time.Minute, MinAspect: 0.01, MaxAspect: 10},
		},
	}
}

var (
	hashtags = pattern.Lazy(`#[\p{L}\p{M}\p{N}_]+`)
	tags     = pattern.Lazy(`@[A-Za-z0-9_.]+`)
)

// Check counts the characters, hashtags and tags of the caption.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.Measured(utf8.RuneCountInString(content.Text), cmp.Or(a.Limits.MaxCharacters, maxCaption), "characters")
	switch n := len(hashtags().FindAllString(content.Text, -1)); {
	case n > maxHashtags:
		c.Problems = append(c.Problems, publish.Contentf("hashtags", "the post has %d hashtags and Instagram allows %d; remove some", n, maxHashtags))
	case n > appHashtags:
		c.Warnings = append(c.Warnings, fmt.Sprintf("the post has %d hashtags; Instagram's app allows %d, and Instagram may refuse more", n, appHashtags))
	}
	if n := len(tags().FindAllString(content.Text, -1)); n > maxTags {
		c.Problems = append(c.Problems, publish.Contentf("mentions", "the post tags %d accounts with @ and Instagram allows %d; remove some", n, maxTags))
	}
	if len(content.Media) == 0 {
		c.Problems = append(c.Problems, publish.Contentf("media", "Instagram takes no post without a picture or a video; add one, or leave the account out"))
		if problem := p.AddressProblem(); problem != "" {
			c.Problems = append(c.Problems, publish.Contentf("media", "%s", problem))
		}
	}
	checkVideos(&c, content.Media)
	c.RefuseWarning(content, network)
	c.RefuseVisibility(content, network)
	c.WarnLanguage(content, network)
	if content.Preview.Mode == schedctl.PreviewCard {
		c.Warnings = append(c.Warnings, "Instagram has no link previews; link_preview has no effect there")
	}
	return c
}

// checkVideos checks what applies only to videos.
func checkVideos(c *publish.Check, media []publish.Media) {
	for i := range media {
		if media[i].Class() != schedctl.MediaVideo {
			continue
		}
		if d := media[i].Duration; d > 0 && d < minVideo {
			c.Problems = append(c.Problems, publish.Contentf("media", "video %d takes %s, and Instagram takes no video of less than %s; use a longer one", i+1, d, minVideo))
		}
		if media[i].AltText != "" {
			c.Warnings = append(c.Warnings, fmt.Sprintf("Instagram has no alt texts for videos; that of file %d is not sent", i+1))
		}
	}
}

// containers returns the API for an account. Errors do not contain secret values.
func (p *Publisher) containers(c publish.Credentials) (meta.Containers, error) {
	api, err := meta.API{Client: p.client, UserAgent: p.userAgent, Platform: network}.Parse(c, p.policy, publicAPI)
	return meta.Containers{
		API: api, Version: version, User: cmp.Or(c[fieldUser], "me"), Create: "media", Edge: "media_publish", Status: "status_code", Refuse: refuse(api),
	}, err
}
