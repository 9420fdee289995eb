package wordpress

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect reads the user and what the user may do.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkOptions(c.Options); err != nil {
		return publish.Profile{}, err
	}
	s, err := p.parseCredentials(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	a, err := outbound.Get(ctx, p.client, s.endpoint(url.Values{"context": {"edit"}}, "users", "me"), p.header(s))
	if err != nil {
		return publish.Profile{}, outbound.AddressError(err, fieldSite)
	}
	if a.Status != http.StatusOK {
		return publish.Profile{}, refusedConnect(a, s, c.Credentials)
	}
	u, ok := parseUser(a)
	if !ok {
		return publish.Profile{}, notAnAPI(s)
	}
	if err := u.mayPublish(statusOf(c.Options)); err != nil {
		return publish.Profile{}, err
	}
	if _, err := p.categoryIDs(ctx, publish.PurposeIdentity, s, c.Credentials, c.Options); err != nil {
		return publish.Profile{}, notPublished(err)
	}
	return u.profile(s), nil
}

// refusedConnect distinguishes a wrong address from a refused login.
func refusedConnect(a outbound.Response, s site, given publish.Credentials) error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), s.hidden(given)...)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Kind == schedctl.KindPlatform && a.Status < 500 && e.Code != publish.CodeBlockedOnTheWay:
		return notAnAPI(s)
	case a.Status >= 300 && a.Status < 400:
		return publish.Contentf(fieldSite, "%.200q redirects to another address; use that address as %s", s.base.Host, fieldSite)
	}
	return e
}

func notAnAPI(s site) error {
	return publish.Contentf(fieldSite, "%.200q has no REST API of WordPress at /wp-json; check site_url, choose permalinks other than Plain in the site's settings, and check whether a plugin turns the API off", s.base.Host)
}

// user is the owner of an application password.
type user struct {
	id         string
	name, slug string
	link       string
	rights     map[string]any // nil if the site does not report them
}

func parseUser(a outbound.Response) (user, bool) {
	var body struct {
		ID           json.Number    `json:"id"`
		Name         any            `json:"name"`
		Slug         any            `json:"slug"`
		Link         any            `json:"link"`
		Capabilities map[string]any `json:"capabilities"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(a.Body, &body)
	id, err := body.ID.Int64()
	if a.Cut || err != nil || id <= 0 {
		return user{}, false
	}
	return user{
		id: strconv.FormatInt(id, 10), name: outbound.Label(body.Name), slug: outbound.Label(body.Slug),
		link: linkOf(body.Link), rights: body.Capabilities,
	}, true
}

// mayPublish returns an error of kind auth if the user lacks the right to make posts with
// a status.
func (u user) mayPublish(status string) error {
	right := "edit_posts"
	if needsPublish(status) {
		right = "publish_posts"
	}
	if granted, _ := u.rights[right].(bool); granted || u.rights == nil {
		return nil
	}
	return missingScope(0)
}

func (u user) profile(s site) publish.Profile {
	place := strings.TrimSuffix(s.base.Host+s.base.Path, "/")
	name := cmp.Or(u.slug, u.name, s.user)
	return publish.Profile{
		Username: name + "@" + place, DisplayName: cmp.Or(u.name, name), URL: cmp.Or(u.link, s.base.String()),
		Limits: schedctl.Limits{Unit: "characters"}, Identity: place + " " + u.id,
	}
}

// linkOf returns an http or https URL from a response, or the empty string.
func linkOf(value any) string {
	body, _ := json.Marshal(map[string]any{"url": value})
	return outbound.Receipt(outbound.Response{Body: body}).URL
}

// categoryIDs returns the numbers of the wanted categories. It asks the site for them,
// because WordPress ignores categories that do not exist.
func (p *Publisher) categoryIDs(ctx context.Context, purpose publish.Purpose, s site, given publish.Credentials, o schedctl.Options) ([]int, error) {
	slugs, ids, problem := categories(o)
	if problem != nil {
		return nil, problem
	}
	var found []int
	if len(slugs) > 0 {
		list, err := p.readCategories(ctx, purpose, s, given, url.Values{"slug": {strings.Join(slugs, ",")}})
		if err != nil {
			return nil, err
		}
		for _, slug := range slugs {
			id, known := list[slug]
			if !known {
				return nil, missingCategory(slug)
			}
			found = append(found, id)
		}
	}
	if len(ids) == 0 {
		return found, nil
	}
	var texts []string
	for _, id := range ids {
		texts = append(texts, strconv.Itoa(id))
	}
	list, err := p.readCategories(ctx, purpose, s, given, url.Values{"include": {strings.Join(texts, ",")}})
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if _, known := list[texts[i]]; !known {
			return nil, missingCategory(texts[i])
		}
		found = append(found, id)
	}
	return found, nil
}

func missingCategory(name string) error {
	return publish.Contentf(optionCategories, "the site has no category %.100q; create it there, or change the option categories", name)
}

// readCategories returns the numbers of categories by slug and by number.
func (p *Publisher) readCategories(ctx context.Context, purpose publish.Purpose, s site, given publish.Credentials, query url.Values) (map[string]int, error) {
	query.Set("per_page", "100")
	query.Set("_fields", "id,slug")
	a, err := outbound.Get(ctx, p.client, s.endpoint(query, "categories"), p.header(s))
	if err != nil {
		return nil, notPublished(err)
	}
	if a.Status != http.StatusOK {
		return nil, notPublished(refusal(a, purpose, time.Now(), s.hidden(given)...))
	}
	var list []struct {
		ID   int    `json:"id"`
		Slug string `json:"slug"`
	}
	if a.Cut || json.Unmarshal(a.Body, &list) != nil {
		return nil, notPublished(outbound.Unconfirmed(a, "the site did not list its categories; schedctl will retry"))
	}
	ids := map[string]int{}
	for _, c := range list {
		ids[c.Slug], ids[strconv.Itoa(c.ID)] = c.ID, c.ID
	}
	return ids, nil
}
