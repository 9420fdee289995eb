package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect asks the server for the token's account, whether the token may publish,
// and which limits the server has.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	u, err := parseServer(c.Credentials["instance_url"])
	if err != nil {
		return publish.Profile{}, err
	}
	if !outbound.ValidToken(c.Credentials["access_token"]) {
		return publish.Profile{}, publish.Contentf("access_token", "the access token contains white space or invalid characters; copy it again")
	}
	if problems := optionProblems(c.Options); len(problems) > 0 {
		return publish.Profile{}, problems[0]
	}
	profile, err := p.verify(ctx, u, c.Credentials)
	if err != nil {
		return publish.Profile{}, outbound.AddressError(err, "instance_url")
	}
	if err := p.checkWritable(ctx, u, c.Credentials); err != nil {
		return publish.Profile{}, err
	}
	profile.Limits, err = p.limits(ctx, u, c.Credentials)
	return profile, err
}

// verify reads the account of the token.
func (p *Publisher) verify(ctx context.Context, u *url.URL, c publish.Credentials) (publish.Profile, error) {
	a, err := outbound.Get(ctx, p.client, u.JoinPath("api/v1/accounts/verify_credentials").String(), p.header(c))
	if err != nil {
		return publish.Profile{}, err
	}
	if a.Status != http.StatusOK {
		return publish.Profile{}, refusedConnect(a, u.Host, c)
	}
	profile, ok := parseAccount(a, u.Host)
	if !ok {
		return publish.Profile{}, notAServer(u.Host)
	}
	return profile, nil
}

// writeProbe is a request that needs the scope write:statuses but changes nothing:
// it removes the boost of a status that does not exist. These servers share no API
// that reports the scopes of a token: apps/verify_credentials reports those of the
// application, which may be more, and on some servers none.
const writeProbe = "api/v1/statuses/0/unreblog"

// checkWritable returns an error of kind auth if the token may not publish. Servers
// check the scope before they look up the status, so 403 is about the scope. Any
// other response, usually 404, says nothing against the token.
func (p *Publisher) checkWritable(ctx context.Context, u *url.URL, c publish.Credentials) error {
	a, err := outbound.Post(ctx, p.client, u.JoinPath(writeProbe).String(), p.header(c), nil)
	if err != nil {
		e := *publish.AsError(err)
		e.Outcome = schedctl.OutcomeNotPublished
		return &e
	}
	if a.Status != http.StatusForbidden {
		return nil
	}
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: "missing_scope", HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the access token may read but not publish; create one with the scope write:statuses, or log in with schedctl account add mastodon --login",
	}
}

// refusedConnect distinguishes a refused token from an address that is not a
// server's.
func refusedConnect(a outbound.Response, host string, c publish.Credentials) error {
	e := outbound.Refusal(a, publish.PurposeIdentity, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case a.Status == http.StatusNotFound, a.Status == http.StatusMethodNotAllowed, a.Status == http.StatusGone:
		return notAServer(host)
	case a.Status >= 300 && a.Status < 400:
		return movedServer(host)
	case a.Status == http.StatusUnprocessableEntity: // snac's response to an unknown token
		e.Kind, e.Message = schedctl.KindAuth, "the server refused the access token (HTTP 422)"
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, c["access_token"]))
}

func movedServer(host string) error {
	return publish.Contentf("instance_url", "%.200s redirects to another address; use that address as instance_url", host)
}

func notAServer(host string) error {
	return publish.Contentf("instance_url", "%.200q has no Mastodon API; check instance_url", host)
}

// parseAccount reads the account of a token.
func parseAccount(a outbound.Response, host string) (publish.Profile, bool) {
	var account struct {
		Acct        any `json:"acct"`
		Username    any `json:"username"`
		DisplayName any `json:"display_name"`
	}
	if a.Cut || json.Unmarshal(a.Body, &account) != nil {
		return publish.Profile{}, false
	}
	name := outbound.Label(account.Acct)
	if name == "" {
		name = outbound.Label(account.Username)
	}
	if name == "" {
		return publish.Profile{}, false
	}
	if !strings.Contains(name, "@") {
		name += "@" + host
	}
	return publish.Profile{Username: name, DisplayName: outbound.Label(account.DisplayName), URL: outbound.Receipt(a).URL}, true
}
