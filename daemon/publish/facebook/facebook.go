// Package facebook publishes to Facebook Pages through the Graph API
// (https://developers.facebook.com/docs/pages-api) and a token of the user's own app.
//
// Facebook does not recognize a repeated request, and it has published posts in spite of
// errors. After an unknown outcome, Find reads the posts of the Page and compares their
// text. Two that may be the one stay in doubt.
//
// Photos are uploaded without being published, and then attached to the post. A video is
// uploaded with the developer app, and then published with the handle of the upload. Where
// Facebook refuses to start such an upload, the video is uploaded in parts, and the request
// that ends the upload publishes it. Facebook processes the video before it shows the post,
// so Find waits for a video that is not listed.
package facebook

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "facebook"

// publicAPI is the address of the API, publicVideo its host for videos, and version the
// version of its paths. Facebook serves a version that has ended with the oldest one that
// it still has.
const (
	publicAPI   = "https://graph.facebook.com"
	publicVideo = "graph-video.facebook.com"
	version     = "v25.0"
)

// The credentials. Connect adds fieldPageToken, the token of the Page, if the given token is
// that of a person, and fieldApp, the id of the developer app, if Facebook names it.
const (
	fieldPage      = "page_id"
	fieldPageToken = "page_token"
	fieldApp       = "app_id"
)

// Publisher implements [publish.Publisher], [publish.ContentFinder], [publish.Uploader]
// and [publish.Renewer].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
	now       func() time.Time
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version, now: time.Now}
}

// Platform returns "facebook".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: meta.FieldToken, Required: true, Secret: true, Help: "a long-lived token of the Page, or your own one, with the permissions " + strings.Join(scopes, ", "), Check: outbound.TokenCheck(meta.FieldToken, foreignTokens)},
		{Name: fieldPage, Required: true, Help: "the number of the Page, from its settings under Page transparency", Check: checkPage},
		{Name: meta.FieldAPI, Seldom: true, Help: "scheme and host of a test server or proxy; default " + publicAPI, Check: outbound.ServerCheck(meta.FieldAPI, publicAPI)},
	}
}

// foreignTokens are tokens of other platforms of Meta.
var foreignTokens = map[string]string{
	"THAA": "this is a token of Threads; create one in the Graph API Explorer",
	"IGAA": "this is a token of Instagram; create one in the Graph API Explorer",
}

func checkPage(value string) error {
	if !pageID().MatchString(value) {
		return fmt.Errorf("%s must be a number; it is in the settings of the Page under Page transparency", fieldPage)
	}
	return nil
}

// access is an account's way into the API.
type access struct {
	meta.API        // with the token of the Page
	page     string // its id
	user     string // the given token if it is that of a person who manages the Page, or empty
	app      string // the id of the developer app, or empty
}

var pageID = pattern.Lazy(`^[0-9]{1,40}$`)

// parseCredentials checks credentials. Errors do not contain secret values.
func (p *Publisher) parseCredentials(c publish.Credentials) (access, error) {
	a := access{page: strings.TrimSpace(c[fieldPage])}
	var err error
	a.API, err = meta.API{Client: p.client, UserAgent: p.userAgent, Platform: "Facebook"}.Parse(c, p.policy, publicAPI)
	if err != nil {
		return access{}, err
	}
	if meta.ObjectID(c[fieldApp]) {
		a.useApp(c[fieldApp])
	}
	if c[fieldPageToken] != "" {
		a.usePageToken(c[fieldPageToken])
	}
	if err := checkPage(a.page); err != nil {
		return access{}, publish.Contentf(fieldPage, "%s", err)
	}
	return a, nil
}

// usePageToken makes a token that of the Page. The one before is then that of a person.
func (a *access) usePageToken(token string) {
	if token != a.Token {
		a.user, a.Token = a.Token, token
		a.Hidden = append(a.Hidden, a.user)
	}
}

// useApp sets the id of the developer app.
func (a *access) useApp(id string) { a.app, a.Hidden = id, append(a.Hidden, id) }

// usePersonToken makes the given token the only one.
func (a *access) usePersonToken() { a.Token, a.user = a.user, "" }

// video returns the API for videos. Behind the address of a proxy it is the same one.
func (a access) video() meta.API {
	api := a.API
	if api.Base.String() == publicAPI {
		api.Base = &url.URL{Scheme: api.Base.Scheme, Host: publicVideo}
	}
	return api
}
