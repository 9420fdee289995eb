package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// mastodonVersion matches the versions of Mastodon and its forks: "4.5.0",
// "4.5.0-rc.1+glitch". Servers that imitate its API add a remark in parentheses,
// such as "2.7.2 (compatible; Pleroma 2.9.1)", or use a version below 1.
var mastodonVersion = pattern.Lazy(`^v?[1-9][0-9]*\.[0-9]+(\.[0-9]+)?([-+.][0-9A-Za-z.+_-]*)?$`)

// mastodonCounting are the programs that count a status as Mastodon does: Mastodon
// and its forks.
var mastodonCounting = map[string]bool{
	"mastodon": true, "glitch-soc": true, "hometown": true, "fedibird": true, "kmyblue": true, "chuckya": true,
}

// graphemeCounting are the programs that count user-perceived characters, with links
// and mentions in full. Pleroma and its forks apply Elixir's String.length to the
// text and the content warning together.
var graphemeCounting = map[string]bool{"pleroma": true, "akkoma": true, "rebased": true}

// countingLimits adjusts the limits to the way in which the server's software
// counts. GoToSocial counts code points, with links and mentions in full, whatever
// it reports about links. Unknown programs are treated the same, because no known
// program counts more.
func countingLimits(l schedctl.Limits, software string) schedctl.Limits {
	switch {
	case mastodonCounting[software]:
	case graphemeCounting[software]:
		l.URLCharacters = 0
	default:
		l.Unit, l.URLCharacters = "characters", 0
	}
	return l
}

// software returns the name of the server's software in lower case, from nodeinfo
// (https://nodeinfo.diaspora.software/protocol.html). Without a readable nodeinfo,
// the version in the instance document shows whether the software is Mastodon. A
// missing version means Mastodon too: only its old forks omit the version.
func (p *Publisher) software(ctx context.Context, u *url.URL, version string) (string, error) {
	header := p.header(nil)
	header.Del("Authorization") // nodeinfo is public
	a, err := outbound.Get(ctx, p.client, u.JoinPath(".well-known/nodeinfo").String(), header)
	if err != nil {
		return "", err
	}
	if link := nodeinfoLink(a, u); link != "" {
		if a, err = outbound.Get(ctx, p.client, link, header); err != nil {
			return "", err
		}
		if name := nodeinfoSoftware(a); name != "" {
			return name, nil
		}
	}
	if version == "" || mastodonVersion().MatchString(version) {
		return "mastodon", nil
	}
	return "", nil
}

// nodeinfoLink returns the address of the nodeinfo document, which must be on the
// server itself, or the empty string.
func nodeinfoLink(a outbound.Response, u *url.URL) string {
	var index struct {
		Links []struct {
			Rel  any `json:"rel"`
			Href any `json:"href"`
		} `json:"links"`
	}
	if a.Status != http.StatusOK || a.Cut || json.Unmarshal(a.Body, &index) != nil {
		return ""
	}
	for _, link := range index.Links {
		rel, _ := link.Rel.(string)
		if !strings.HasPrefix(rel, "http://nodeinfo.diaspora.software/ns/schema/") {
			continue
		}
		if address := ownEndpoint(link.Href, u); address != "" {
			return address
		}
	}
	return ""
}

// nodeinfoSoftware returns the name of the software in a nodeinfo document.
func nodeinfoSoftware(a outbound.Response) string {
	var document struct {
		Software struct {
			Name any `json:"name"`
		} `json:"software"`
	}
	if a.Status != http.StatusOK || a.Cut || json.Unmarshal(a.Body, &document) != nil {
		return ""
	}
	return strings.ToLower(outbound.Label(document.Software.Name))
}
