package facebook

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// renewBefore is how long before its end the token of a Page is renewed.
const renewBefore = 7 * 24 * time.Hour

// Connect checks the token and reads the Page. It fetches the token of the Page if the
// given one is that of a person.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	given := c
	given.Credentials = maps.Clone(c.Credentials)
	delete(given.Credentials, fieldPageToken)
	delete(given.Credentials, fieldApp)
	if err := publish.CheckFields(p.Fields(), given); err != nil {
		return publish.Profile{}, err
	}
	a, err := p.parseCredentials(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	page, expiry, err := p.connect(ctx, &a)
	if err != nil {
		return publish.Profile{}, outbound.AddressError(err, meta.FieldAPI)
	}
	name := outbound.Label(page.Name)
	return publish.Profile{
		Username: cmp.Or(outbound.Label(page.Username), name, a.page), DisplayName: name, URL: "https://www.facebook.com/" + a.page, Identity: a.page,
		Limits: schedctl.Limits{MaxCharacters: maxText, Unit: "characters"}, Credentials: a.credentials(c.Credentials), Expiry: expiry,
	}, nil
}

// connect completes an access with the token of the Page, and returns when that ends.
func (p *Publisher) connect(ctx context.Context, a *access) (page, publish.Expiry, error) {
	token, err := a.debug(ctx, a.Token)
	if err != nil && a.user != "" && publish.AsError(err).Kind == schedctl.KindAuth {
		a.usePersonToken()
		token, err = a.debug(ctx, a.Token)
	}
	if err != nil {
		return page{}, publish.Expiry{}, err
	}
	if err := token.check(a.page); err != nil {
		return page{}, publish.Expiry{}, err
	}
	if app, _ := token.App.(string); meta.ObjectID(app) {
		a.useApp(app)
	}
	found, err := a.readPage(ctx)
	switch {
	case err != nil:
		return page{}, publish.Expiry{}, err
	case token.Type == typePage:
		return found, p.expiry(ctx, *a, token), nil
	case outbound.ValidToken(found.Token) && found.Token != "":
		a.usePageToken(found.Token)
	case token.Type != "":
		return page{}, publish.Expiry{}, holdScope("Facebook gives this token no access to the Page: create one as a person who may publish on the Page, select the Page when Facebook asks for it, and reconnect the account")
	}
	if token, err = a.debug(ctx, a.Token); err != nil {
		return page{}, publish.Expiry{}, err
	}
	return found, p.expiry(ctx, *a, token), nil
}

// page is a Page in a response.
type page struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Token    string `json:"access_token"`
}

// readPage reads the Page. Facebook includes its token if the person may publish there.
func (a access) readPage(ctx context.Context) (page, error) {
	var found page
	if err := a.Read(ctx, &found, url.Values{"fields": {"id,name,username,access_token"}}, version, a.page); err != nil {
		if e := publish.AsError(err); e.Kind == schedctl.KindContent {
			return page{}, publish.Contentf(fieldPage, "Facebook shows this token no Page with this number; check %s, and that the token may access the Page%s", fieldPage, a.otherPages(ctx))
		}
		return page{}, err
	}
	if found.ID != a.page {
		return page{}, publish.Contentf(meta.FieldAPI, "%.200q does not respond like the API of Facebook; check %s", a.Base.Host, meta.FieldAPI)
	}
	return found, nil
}

// otherPages returns the Pages that the person of the token manages, for an error message,
// or the empty string.
func (a access) otherPages(ctx context.Context) string {
	var body struct {
		Data []page `json:"data"`
	}
	if err := a.Read(ctx, &body, url.Values{"fields": {"id,name"}, "limit": {"5"}}, version, "me", "accounts"); err != nil {
		return ""
	}
	var names []string
	for _, found := range body.Data {
		if pageID().MatchString(found.ID) {
			names = append(names, publish.Clip(outbound.Label(found.Name), 60)+" ("+found.ID+")")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it may access " + strings.Join(names[:min(len(names), 3)], ", ")
}

// credentials returns the credentials to store.
func (a access) credentials(given publish.Credentials) publish.Credentials {
	held := maps.Clone(given)
	if held[fieldPageToken] = a.Token; a.user == "" {
		delete(held, fieldPageToken)
	}
	if a.app != "" {
		held[fieldApp] = a.app
	}
	return held
}

// expiry returns when the token of the Page ends. It can be renewed if the token of a
// person ends later.
func (p *Publisher) expiry(ctx context.Context, a access, t token) publish.Expiry {
	if t.Ends <= 0 {
		return publish.Expiry{}
	}
	e := publish.Expiry{At: time.Unix(t.Ends, 0).UTC()}
	if a.user == "" {
		return e
	}
	if of, err := a.debug(ctx, a.user); err == nil && of.Type != "" && (of.Ends == 0 || of.Ends > t.Ends) {
		e.RenewAt = e.At.Add(-renewBefore)
	}
	return e
}

// Renew fetches another token of the Page with the token of the person.
func (p *Publisher) Renew(ctx context.Context, c publish.Credentials) (publish.Credentials, publish.Expiry, error) {
	a, err := p.parseCredentials(c)
	if err != nil {
		return nil, publish.Expiry{}, err
	}
	if a.user == "" {
		return nil, publish.Expiry{}, publish.Hold(publish.HoldExpired, a.Platform, 0, "")
	}
	a.usePersonToken()
	_, expiry, err := p.connect(ctx, &a)
	if err != nil {
		return nil, publish.Expiry{}, err
	}
	return a.credentials(c), expiry, nil
}
