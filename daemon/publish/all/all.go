// Package all lists the platforms of schedctl. A new one is added here.
package all

import (
	"net/http"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/slack"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
)

// Config is what the platforms need from the daemon.
type Config struct {
	Client    *http.Client // sends all requests to networks; follows the policy in Outbound
	Outbound  outbound.Policy
	PublicURL string // the public base URL of the daemon's feeds
	Version   string // of the daemon, for the User-Agent
}

// Publishers returns every platform.
func Publishers(c Config) publish.Registry {
	encrypted := c.Outbound.Encrypted(c.Client)
	var cards *linkcard.Fetcher
	if c.Client != nil {
		cards = linkcard.New(c.Client, c.Version)
	}
	return publish.NewRegistry(
		bluesky.New(encrypted, cards, c.Version),
		discord.New(c.Client, c.Outbound, c.Version),
		feed.New(c.PublicURL),
		httppost.New(c.Client, c.Outbound, c.Version),
		mastodon.New(encrypted, c.Version),
		matrix.New(c.Client, c.Outbound, c.Version),
		slack.New(c.Client, c.Outbound, c.Version),
		telegram.New(c.Client, c.Outbound, c.Version),
	)
}
