package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// mastodonLimits are those of Mastodon as it comes. Servers that do not tell
// theirs are taken for one.
var mastodonLimits = schedctl.Limits{MaxCharacters: 500, Unit: "graphemes", URLCharacters: 23}

// limits asks the server what it accepts. /api/v2/instance is younger, and
// missing on some servers.
func (p *Publisher) limits(ctx context.Context, u *url.URL, c publish.Credentials) (schedctl.Limits, error) {
	for _, path := range []string{"api/v2/instance", "api/v1/instance"} {
		a, err := outbound.Get(ctx, p.client, u.JoinPath(path).String(), p.header(c))
		if err != nil {
			return schedctl.Limits{}, err
		}
		if l, ok := parseInstance(a); ok && a.Status == http.StatusOK {
			return l, nil
		}
	}
	return mastodonLimits, nil
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
