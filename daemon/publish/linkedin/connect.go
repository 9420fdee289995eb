package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	maxText    = 3000
	maxComment = 1250
	dailyPosts = 150 // requests of a person in a day, in UTC
)

// Connect reads the person of the access token, or the posts of the organization, which
// only its administrators may read.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	given := maps.Clone(c.Credentials)
	for _, added := range []string{fieldAuthor, fieldSince, fieldCommentAPI} {
		delete(given, added)
	}
	if err := publish.CheckFields(p.Fields(), publish.Connection{Credentials: given, Options: c.Options}); err != nil {
		return publish.Profile{}, err
	}
	a, err := p.parseCredentials(c.Credentials, c.Options)
	if err != nil {
		return publish.Profile{}, err
	}
	profile, err := p.readProfile(ctx, a)
	if err != nil {
		return publish.Profile{}, outbound.AddressError(publish.NotPublished(err), fieldAPI)
	}
	profile.Limits = schedctl.Limits{MaxCharacters: maxText, Unit: "characters"}
	var since string
	if profile.Expiry, since, err = p.expiry(ctx, a); err != nil {
		return publish.Profile{}, publish.NotPublished(err)
	}
	profile.Credentials = given
	profile.Credentials[fieldSince] = since
	if !a.organization() {
		profile.Credentials[fieldAuthor] = profile.Identity
		profile.Limits.Posts, profile.Limits.Window = dailyPosts, 24*time.Hour
	}
	return profile, nil
}

func (p *Publisher) readProfile(ctx context.Context, a access) (publish.Profile, error) {
	if a.organization() {
		response, err := p.send(ctx, a, http.MethodGet, postsOf(a, 0), nil, http.Header{"X-Restli-Method": {"FINDER"}})
		if err != nil {
			return publish.Profile{}, err
		}
		if response.Status != http.StatusOK {
			return publish.Profile{}, refusal(response, publish.PurposeIdentity, p.now(), a)
		}
		if _, ok := parsePosts(response); !ok {
			return publish.Profile{}, unreadable(response)
		}
		id := strings.TrimPrefix(a.author, organizationPrefix)
		return publish.Profile{Username: "organization " + id, DisplayName: "organization " + id, URL: "https://www.linkedin.com/company/" + id + "/", Identity: a.author}, nil
	}
	response, err := outbound.Get(ctx, p.client, a.api.JoinPath("v2", "userinfo").String(), p.header(a))
	if err != nil {
		return publish.Profile{}, err
	}
	if response.Status != http.StatusOK {
		return publish.Profile{}, refusal(response, publish.PurposeIdentity, p.now(), a)
	}
	return parsePerson(response)
}

// parsePerson reads a person (https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2).
func parsePerson(response outbound.Response) (publish.Profile, error) {
	var body struct {
		Sub  any `json:"sub"`
		Name any `json:"name"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(response.Body, &body)
	sub, _ := body.Sub.(string)
	urn := "urn:li:person:" + sub
	if response.Cut || !personURN().MatchString(urn) {
		return publish.Profile{}, unreadable(response)
	}
	name := cmp.Or(outbound.Label(body.Name), sub)
	return publish.Profile{Username: name, DisplayName: name, Identity: urn}, nil
}

func unreadable(response outbound.Response) error {
	return outbound.Unconfirmed(response, "LinkedIn gave no readable response; check api_url, or retry later")
}

// postsOf returns the address of the posts of the author, from the newest.
func postsOf(a access, start int) string {
	query := url.Values{"q": {"author"}, "author": {a.author}, "count": {pageSize}, "sortBy": {"CREATED"}}
	if start > 0 {
		query.Set("start", itoa(start))
	}
	return a.endpoint(query.Encode(), "posts")
}
