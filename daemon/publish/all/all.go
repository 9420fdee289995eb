// Package all lists the platforms of schedctl. A new one is added here.
package all

import (
	"net/http"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/facebook"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/googlechat"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/instagram"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/slack"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
	"github.com/schedctl/schedctl/daemon/publish/threads"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

// Config is what the platforms need from the daemon.
type Config struct {
	Client    *http.Client // sends all requests to networks; follows the policy in Outbound
	Outbound  outbound.Policy
	PublicURL string // the public base URL of the daemon
	Version   string // of the daemon, for the User-Agent

	// Cards fetches link cards. If it is nil, posts have only those that their authors wrote.
	Cards *linkcard.Fetcher
}

// Publishers returns every platform.
func Publishers(c Config) publish.Registry {
	encrypted := c.Outbound.Encrypted(c.Client)
	return publish.NewRegistry(
		bluesky.New(encrypted, c.Cards, c.Version),
		discord.New(c.Client, c.Outbound, c.Version),
		facebook.New(c.Client, c.Outbound, c.Version),
		feed.New(c.PublicURL),
		googlechat.New(c.Client, c.Outbound, c.Version, c.PublicURL),
		httppost.New(c.Client, c.Outbound, c.Version),
		instagram.New(c.Client, c.Outbound, c.Version, c.PublicURL),
		linkedin.New(c.Client, c.Outbound, c.Cards, c.Version),
		mastodon.New(encrypted, c.Version),
		matrix.New(c.Client, c.Outbound, c.Version),
		nostr.New(c.Client, c.Outbound, c.Version),
		slack.New(c.Client, c.Outbound, c.Version),
		telegram.New(c.Client, c.Outbound, c.Version),
		threads.New(c.Client, c.Outbound, c.Version, c.PublicURL),
		wordpress.New(c.Client, c.Outbound, c.Version),
		x.New(c.Client, c.Outbound, c.Version),
	)
}
