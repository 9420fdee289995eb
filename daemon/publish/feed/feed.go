// Package feed publishes to feeds that the daemon serves itself: an Atom feed
// (RFC 4287), a JSON Feed (https://www.jsonfeed.org/version/1.1/) and a page for
// each entry. They are public. It needs no account anywhere, which makes it the
// platform for trying things.
//
// [Feed] is the publisher. Its Publish has nothing to do: what the feed shows is
// what the store says is published. [Handler] serves it.
package feed

import (
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "feed"

// feedName is what a feed can be called: its name is a part of its address.
var feedName = pattern.Lazy(`^[a-z0-9-]{1,40}$`)

// Feed implements [publish.Publisher], [publish.Idempotent] and [publish.Pacer].
type Feed struct{ at feedURLs }

// New returns the publisher. The URL is the one under which people reach the
// daemon, such as https://posts.example.com.
func New(publicURL string) *Feed { return &Feed{at: newAddress(publicURL)} }

// Platform returns "feed".
func (f *Feed) Platform() string { return Platform }

// Fields lists nothing: a feed has a name and no more.
func (f *Feed) Fields() []publish.Field { return nil }

// Idempotent returns true: an entry is in the feed or not, never twice.
func (f *Feed) Idempotent(schedctl.Account) bool { return true }

// Pacing returns 0: entries need no space between them.
func (f *Feed) Pacing() time.Duration { return 0 }

// Connect checks the name. That no other feed of the daemon has it is for the
// caller to see.
func (f *Feed) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(f.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	switch {
	case c.Name == "":
		return publish.Profile{}, publish.Contentf("name", "a feed needs a name, which becomes its address /feeds/<name>.atom; give one of lower-case letters, digits and hyphens")
	case !feedName().MatchString(c.Name):
		return publish.Profile{}, publish.Contentf("name", "the name of a feed has 1 to 40 lower-case letters, digits and hyphens, because it becomes its address")
	}
	return publish.Profile{
		Username: c.Name, DisplayName: c.Name, URL: f.at.atom(c.Name), Limits: schedctl.Limits{Unit: "characters"},
	}, nil
}

// Check counts Unicode code points; a feed has no limit.
func (f *Feed) Check(_ schedctl.Account, content string) publish.Check {
	return publish.Measured(utf8.RuneCountInString(content), 0, "characters")
}

// Publish returns the receipt of an entry. The entry is in the feed as soon as
// the target is stored as published.
func (f *Feed) Publish(_ context.Context, r publish.Request) (schedctl.Receipt, error) {
	return schedctl.Receipt{ID: r.TargetID, URL: f.at.entry(r.Account.Name, r.TargetID)}, nil
}

// feedURLs makes the URLs of feeds.
type feedURLs string

func newAddress(publicURL string) feedURLs {
	return feedURLs(strings.TrimRight(publicURL, "/") + "/feeds/")
}

func (a feedURLs) atom(name string) string { return string(a) + name + ".atom" }

func (a feedURLs) json(name string) string { return string(a) + name + ".json" }

func (a feedURLs) entry(name, targetID string) string { return string(a) + name + "/" + targetID }

// pageURL returns the URL of the page that comes after a target.
func pageURL(feedURL, after string) string {
	if after == "" {
		return feedURL
	}
	return feedURL + "?after=" + url.QueryEscape(after)
}
