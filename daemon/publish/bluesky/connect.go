package bluesky

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect logs in with the app password and asks the server for the account. The
// profile's credentials contain the session. If c already has a session, Connect
// renews it and uses the app password only if the server refuses the session.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	fields := c
	fields.Credentials = withoutSession(c.Credentials)
	if err := publish.CheckFields(p.Fields(), fields); err != nil {
		return publish.Profile{}, err
	}
	u, err := parseServer(c.Credentials["service_url"])
	if err != nil {
		return publish.Profile{}, err
	}
	if err := cmp.Or(checkText("identifier", c.Credentials), checkText("app_password", c.Credentials)); err != nil {
		return publish.Profile{}, err
	}
	if _, err := parseLangs(c.Options); err != nil {
		return publish.Profile{}, err
	}
	s, err := p.openSession(ctx, u, c.Credentials)
	if err != nil {
		return publish.Profile{}, refusedConnect(err, u)
	}
	name := cmp.Or(s.handle, s.did)
	return publish.Profile{
		Username: name, DisplayName: p.displayName(ctx, u, s.did), URL: profileURL(name),
		Limits: limits, Identity: s.did, Credentials: s.addTo(c.Credentials),
	}, nil
}

// refusedConnect distinguishes a wrong address from errors of a real server.
func refusedConnect(err error, u *url.URL) error {
	switch e := publish.AsError(err); {
	case e.HTTPStatus >= 300 && e.HTTPStatus < 400:
		return publish.Contentf("service_url", "%.200q redirects to another address; use that address as service_url", u.Host)
	case e.HTTPStatus == http.StatusNotFound, e.HTTPStatus == http.StatusMethodNotAllowed, e.HTTPStatus == http.StatusGone,
		e.Code == codeNoSession:
		return publish.Contentf("service_url", "%.200q is not a server of the AT protocol; check service_url", u.Host)
	}
	return outbound.AddressError(err, "service_url")
}

// checkText refuses a value that cannot be a handle, DID, email address or password.
// The error does not contain the value.
func checkText(field string, c publish.Credentials) error {
	if text := c[field]; len(text) > 256 || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return publish.Contentf(field, "%s contains white space or is too long; copy it again", field)
	}
	return nil
}

// displayName returns the account's display name, or the empty string if it has none
// or the request fails.
func (p *Publisher) displayName(ctx context.Context, u *url.URL, did string) string {
	parameters := url.Values{"repo": {did}, "collection": {"app.bsky.actor.profile"}, "rkey": {"self"}}
	a, err := p.query(ctx, u, "com.atproto.repo.getRecord", parameters)
	if err != nil || a.Status != http.StatusOK {
		return ""
	}
	return readDisplayName(a)
}

func readDisplayName(a outbound.Response) string {
	var body struct {
		Value struct {
			DisplayName any `json:"displayName"`
		} `json:"value"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return ""
	}
	return outbound.Label(body.Value.DisplayName)
}

func profileURL(name string) string { return "https://bsky.app/profile/" + name }

// limits are those of the post's schema, the same on every server.
var limits = schedctl.Limits{MaxCharacters: 300, Unit: "graphemes"}
