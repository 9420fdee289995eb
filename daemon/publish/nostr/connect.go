package nostr

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect connects to the relays. As many as must accept a post have to respond. It reads
// the limits of the relays and the name of the account, and publishes nothing.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	s, err := parseSecret(c.Credentials[fieldSecret])
	if err != nil {
		return publish.Profile{}, err
	}
	relays, err := p.parseRelays(c.Credentials[fieldRelays])
	if err != nil {
		return publish.Profile{}, err
	}
	required, problem := parseRequired(c.Options, len(relays))
	if problem != nil {
		return publish.Profile{}, problem
	}
	if _, problem := p.mediaServer(c.Options); problem != nil {
		return publish.Profile{}, problem
	}
	states := p.visitAll(ctx, relays, s, c.Credentials[fieldSecret])
	profile := publish.Profile{
		Username: npub(s.public), URL: "nostr:" + npub(s.public), Identity: s.public, Limits: schedctl.Limits{Unit: "characters"},
	}
	reached := 0
	var failed []result
	for i, state := range states {
		if state.err != nil {
			failed = append(failed, result{relays[i], state.err})
			continue
		}
		reached++
		profile.DisplayName = cmp.Or(profile.DisplayName, state.name)
		if state.limit > 0 && (profile.Limits.MaxCharacters == 0 || state.limit < profile.Limits.MaxCharacters) {
			profile.Limits.MaxCharacters = state.limit
		}
	}
	if reached < required {
		return publish.Profile{}, outbound.AddressError(notPublished(failure(failed, 0, 1)), fieldRelays)
	}
	profile.DisplayName = cmp.Or(profile.DisplayName, profile.Username)
	return profile, nil
}

// visit is what a relay says when an account is connected.
type visit struct {
	err   *publish.Error
	name  string // of the account
	limit int    // of the content in characters, or 0
}

// visitAll visits all relays at the same time.
func (p *Publisher) visitAll(ctx context.Context, relays []*url.URL, s signer, hidden string) []visit {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	visits := make([]visit, len(relays))
	done := make(chan struct{})
	for i, u := range relays {
		go func() {
			visits[i] = p.visit(ctx, u, s, hidden)
			done <- struct{}{}
		}()
	}
	for range relays {
		<-done
	}
	return visits
}

// visitTime is how long a relay may take to report its limits and the name of the account,
// which are optional.
const visitTime = 5 * time.Second

func (p *Publisher) visit(ctx context.Context, u *url.URL, s signer, hidden string) visit {
	c, err := p.dial(ctx, publish.PurposeIdentity, u, s, hidden)
	if err != nil {
		return visit{err: publish.AsError(err)}
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, visitTime)
	defer cancel()
	v := visit{limit: p.contentLimit(ctx, u)}
	filter := map[string]any{"kinds": []int{kindProfile}, "authors": []string{s.public}, "limit": 1}
	if e, found, _ := c.query(ctx, filter); found && e.PubKey == s.public && e.Kind == kindProfile {
		v.name = profileName(e.Content)
	}
	return v
}

// profileName returns the name in the content of a profile.
func profileName(content string) string {
	var body struct {
		Name        any `json:"name"`
		DisplayName any `json:"display_name"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal([]byte(content), &body)
	return cmp.Or(outbound.Label(body.DisplayName), outbound.Label(body.Name))
}

// contentLimit returns the longest content that a relay takes, or 0 if it does not say
// (NIP-11).
func (p *Publisher) contentLimit(ctx context.Context, u *url.URL) int {
	address := *u
	address.Scheme = "http" + u.Scheme[len("ws"):]
	header := http.Header{"Accept": {"application/nostr+json"}, "User-Agent": {p.userAgent}}
	a, err := outbound.Get(ctx, p.client, address.String(), header)
	if err != nil || a.Status != http.StatusOK || a.Cut {
		return 0
	}
	return parseLimit(a.Body)
}

// parseLimit returns the limit in the document of a relay. It ignores values that are too
// small for any post.
func parseLimit(document []byte) int {
	var body struct {
		Limitation struct {
			MaxContent any `json:"max_content_length"`
		} `json:"limitation"`
	}
	_ = json.Unmarshal(document, &body)
	limit, _ := body.Limitation.MaxContent.(float64)
	if limit < 100 || limit > 1e9 {
		return 0
	}
	return int(limit)
}
