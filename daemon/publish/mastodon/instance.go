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
	var failure error
	for _, path := range []string{"api/v2/instance", "api/v1/instance"} {
		a, err := outbound.Get(ctx, p.client, u.JoinPath(path).String(), p.header(c))
		if err != nil {
			return schedctl.Limits{}, err
		}
		l, err := readInstance(a, u.Host)
		if err == nil && l.MaxCharacters > 0 {
			return l, nil
		}
		failure = cmp.Or(failure, err)
	}
	if failure != nil {
		return schedctl.Limits{}, failure
	}
	return mastodonLimits, nil
}

// readInstance returns the limits that an answer names, if any.
func readInstance(a outbound.Answer, host string) (schedctl.Limits, error) {
	switch a.Status {
	case http.StatusOK:
		if l, ok := parseInstance(a); ok || isObject(a) {
			return l, nil
		}
		return schedctl.Limits{}, &publish.Error{
			Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: host + " gave no readable answer when asked for its limits",
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return schedctl.Limits{}, nil
	}
	e := outbound.Refusal(a, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	if e.Kind != schedctl.KindRateLimited {
		// Whose token it is was answered before, so it is not the account's fault.
		e.Kind, e.Code = schedctl.KindPlatform, ""
		e.Message = fmt.Sprintf("%s does not say what its limits are (HTTP %d)", host, a.Status)
	}
	return schedctl.Limits{}, e
}

func isObject(a outbound.Answer) bool {
	var object map[string]json.RawMessage
	return !a.Cut && json.Unmarshal(a.Body, &object) == nil && object != nil
}

// parseInstance reads the limits from either version of the document. Forks
// older than its configuration part say max_toot_chars.
func parseInstance(a outbound.Answer) (schedctl.Limits, bool) {
	var instance struct {
		Configuration any `json:"configuration"`
		MaxTootChars  any `json:"max_toot_chars"`
	}
	if a.Cut || json.Unmarshal(a.Body, &instance) != nil {
		return schedctl.Limits{}, false
	}
	configuration, _ := instance.Configuration.(map[string]any)
	statuses, _ := configuration["statuses"].(map[string]any)
	limits := schedctl.Limits{
		MaxCharacters: count(statuses["max_characters"], 1e9),
		Unit:          mastodonLimits.Unit,
		URLCharacters: count(statuses["characters_reserved_per_url"], 1000),
	}
	if limits.MaxCharacters == 0 {
		limits.MaxCharacters = count(instance.MaxTootChars, 1e9)
		limits.URLCharacters = mastodonLimits.URLCharacters
	}
	return limits, limits.MaxCharacters > 0
}

// count returns a number of characters from 1 to most, or 0 for anything else.
func count(value any, most float64) int {
	n, _ := value.(float64)
	if n < 1 || n > most {
		return 0
	}
	return int(n)
}
