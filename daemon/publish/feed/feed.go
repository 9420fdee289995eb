// Package feed publishes to feeds that the daemon serves: an Atom feed (RFC 4287), a
// JSON Feed (https://www.jsonfeed.org/version/1.1/) and a page for each entry. They
// are public. No external account is needed, so feeds are the platform for first
// tries.
//
// Entries show their media: as enclosures in Atom, as attachments in the JSON Feed, and
// in the HTML of both. The daemon serves the files below the address of the feed.
//
// A thread is one entry with all of its parts, each under an anchor of its own. A content
// warning is the title and the summary of its entry.
//
// [Feed] is the publisher. Its Publish only returns a receipt: the feed shows the
// targets that the store has as published. [Handler] serves the feeds.
package feed

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "feed"

// feedName matches valid names of feeds. The name is part of the address.
var feedName = pattern.Lazy(`^[a-z0-9-]{1,40}$`)

// Feed implements [publish.Publisher], [publish.MediaPublisher], [publish.Threader],
// [publish.Idempotent] and [publish.Pacer].
type Feed struct{ at feedURLs }

// New returns the publisher. publicURL is the public base URL of the daemon, such as
// https://posts.example.com.
func New(publicURL string) *Feed { return &Feed{at: newAddress(publicURL)} }

// Platform returns "feed".
func (f *Feed) Platform() string { return Platform }

// NoResults implements [publish.NoResultsReader].
func (f *Feed) NoResults() string {
	return "A feed is fetched by readers, which report nothing."
}

// Fields returns nil: a feed has only a name.
func (f *Feed) Fields() []publish.Field { return nil }

// Idempotent returns true: an entry cannot be in the feed twice.
func (f *Feed) Idempotent(schedctl.Account) bool { return true }

// Pacing returns 0: entries need no interval.
func (f *Feed) Pacing() time.Duration { return 0 }

// Connect checks the name. The caller must check that the name is unique among the
// daemon's feeds.
func (f *Feed) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(f.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	switch {
	case c.Name == "":
		return publish.Profile{}, publish.Contentf("name", "a feed needs a name, which becomes part of its address /feeds/<name>.atom; use lower-case letters, digits and hyphens")
	case !feedName().MatchString(c.Name):
		return publish.Profile{}, publish.Contentf("name", "the name of a feed must be 1 to 40 lower-case letters, digits or hyphens, because it becomes part of its address")
	}
	return publish.Profile{
		Username: c.Name, DisplayName: c.Name, URL: f.at.atom(c.Name), Limits: schedctl.Limits{Unit: "characters"},
	}, nil
}

// Check counts Unicode code points; a feed has no limit.
func (f *Feed) Check(_ schedctl.Account, content publish.Content) publish.Check {
	check := publish.Measured(utf8.RuneCountInString(content.Text), 0, "characters")
	check.RefuseVisibility(content, "feeds")
	if content.Preview.Mode == schedctl.PreviewCard && content.Kind != schedctl.PartReply && content.Kind != schedctl.PartComment {
		check.Warnings = append(check.Warnings, "feeds have no link cards; link_preview has no effect there")
	}
	return check
}

// ThreadRules says that one entry shows a whole thread.
func (f *Feed) ThreadRules(schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Whole: true}
}

// Publish returns the receipts of an entry and its parts. The entry is in the feed as
// soon as the target is stored as published.
func (f *Feed) Publish(_ context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := f.Check(r.Account, r.Shown()).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	receipt := f.at.receipt(r, r.Part)
	for i := range r.Rest {
		receipt.Rest = append(receipt.Rest, f.at.receipt(r, r.Part+i+1))
	}
	return receipt, nil
}

// feedURLs is the base URL of all feeds.
type feedURLs string

func newAddress(publicURL string) feedURLs {
	return feedURLs(strings.TrimRight(publicURL, "/") + "/feeds/")
}

func (a feedURLs) atom(name string) string { return string(a) + name + ".atom" }

func (a feedURLs) json(name string) string { return string(a) + name + ".json" }

func (a feedURLs) entry(name, targetID string) string { return string(a) + name + "/" + targetID }

// receipt returns the receipt of one part of an entry.
func (a feedURLs) receipt(r publish.Request, part int) schedctl.Receipt {
	id, url := r.TargetID, a.entry(r.Account.Name, r.TargetID)
	if part == 0 {
		return schedctl.Receipt{ID: id, URL: url}
	}
	return schedctl.Receipt{ID: id + "-" + strconv.Itoa(part), URL: url + "#" + anchor(part)}
}

// anchor returns the id of the HTML element of a further part of an entry.
func anchor(part int) string { return "part-" + strconv.Itoa(part+1) }

// pageURL returns the URL of the page that starts after a target.
func pageURL(feedURL, after string) string {
	if after == "" {
		return feedURL
	}
	return feedURL + "?after=" + url.QueryEscape(after)
}
