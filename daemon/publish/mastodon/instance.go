package mastodon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// mastodonLimits are those of Mastodon as it comes. Servers that do not tell
// theirs are taken for one.
var mastodonLimits = schedctl.Limits{MaxCharacters: 500, Unit: "graphemes", URLCharacters: 23}

// limits asks the server what it accepts. /api/v2/instance is younger, and
// missing on some servers. Only a server that has neither document, or does not
// say in them, is taken for one with the usual limits: whoever asks again must
// not lose what he knows because the server has a bad day.
func (p *Publisher) limits(ctx context.Context, u *url.URL, c publish.Credentials) (schedctl.Limits, error) {
	i, err := p.instance(ctx, u, c)
	if err != nil {
		return schedctl.Limits{}, err
	}
	if i.limits.MaxCharacters == 0 {
		i.limits = mastodonLimits
	}
	software, err := p.software(ctx, u, i.version)
	if err != nil {
		return schedctl.Limits{}, err
	}
	return countingLimits(i.limits, software), nil
}

// instance is what a server's instance document says.
type instance struct {
	limits  schedctl.Limits // MaxCharacters is 0 when the document does not say
	version string
}

// instance returns the first instance document with limits, or else what the
// last one says.
func (p *Publisher) instance(ctx context.Context, u *url.URL, c publish.Credentials) (found instance, failure error) {
	for _, path := range []string{"api/v2/instance", "api/v1/instance"} {
		a, err := outbound.Get(ctx, p.client, u.JoinPath(path).String(), p.header(c))
		if err != nil {
			return instance{}, err
		}
		i, err := readInstance(a, u.Host)
		if err == nil && i.limits.MaxCharacters > 0 {
			return i, nil
		}
		failure, found.version = cmp.Or(failure, err), cmp.Or(i.version, found.version)
	}
	return found, failure
}

// readInstance returns what an instance document says, which may be nothing.
func readInstance(a outbound.Response, host string) (instance, error) {
	switch a.Status {
	case http.StatusOK:
		if i, ok := parseInstance(a); ok {
			return i, nil
		}
		return instance{}, &publish.Error{
			Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: host + " gave no readable answer when asked for its limits",
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return instance{}, nil
	}
	e := outbound.Refusal(a, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	if e.Kind != schedctl.KindRateLimited {
		// Whose token it is was answered before, so it is not the account's fault.
		e.Kind, e.Code = schedctl.KindPlatform, ""
		e.Message = fmt.Sprintf("%s does not say what its limits are (HTTP %d)", host, a.Status)
	}
	return instance{}, e
}

// parseInstance reads limits and version from either version of the document.
// Forks older than its configuration part say max_toot_chars. It reports whether
// the body is an object.
func parseInstance(a outbound.Response) (instance, bool) {
	var document map[string]any
	if a.Cut || json.Unmarshal(a.Body, &document) != nil || document == nil {
		return instance{}, false
	}
	configuration, _ := document["configuration"].(map[string]any)
	statuses, _ := configuration["statuses"].(map[string]any)
	limits := schedctl.Limits{
		MaxCharacters: positiveInt(statuses["max_characters"], 1e9),
		Unit:          mastodonLimits.Unit,
		URLCharacters: positiveInt(statuses["characters_reserved_per_url"], 1000),
	}
	if limits.MaxCharacters == 0 {
		limits.MaxCharacters = positiveInt(document["max_toot_chars"], 1e9)
		limits.URLCharacters = mastodonLimits.URLCharacters
	}
	return instance{limits: limits, version: outbound.Label(document["version"])}, true
}

// positiveInt returns a number of characters from 1 to most, or 0 for anything else.
func positiveInt(value any, most float64) int {
	n, _ := value.(float64)
	if n < 1 || n > most {
		return 0
	}
	return int(n)
}
