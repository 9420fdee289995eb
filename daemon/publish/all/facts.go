package all

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/facebook"
	"github.com/schedctl/schedctl/daemon/publish/instagram"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
)

// Source is a kind of source of facts about a network.
type Source string

// The sources, the most certain first.
const (
	Measured      Source = "measured against a real server"
	SourceCode    Source = "source code of the network"
	Definitions   Source = "definitions of the network's API"
	Documentation Source = "documentation of the network"
	Programs      Source = "programs of others that use the network"
	Standard      Source = "a standard"
)

// Facts says where what schedctl knows about a network comes from.
type Facts struct {
	Read    string   // the month in which the sources were read, as 2006-01; the days were not recorded
	Sources []Source // of all facts together
	Tested  string   // what the publisher was tested against
	Ages    []Aging
}

// Aging is a fact that the network changes after some time.
type Aging struct {
	What string
	At   time.Time // when the fact may no longer be true

	// Doubtful says that the network does not name the day of At.
	Doubtful bool
}

// When returns At in words, such as "29 July 2028".
func (a Aging) When() string {
	if a.Doubtful {
		return "about " + a.At.Format("January 2006")
	}
	return a.At.Format("2 January 2006")
}

// agesSoon is how long before that time people should know.
const agesSoon = 60 * 24 * time.Hour

// fake is what networks were tested against that have no server of their own to install.
const fake = "a fake written from the documentation"

// FactsOf returns the facts about the network of a platform.
func FactsOf(platform string) (f Facts, known bool) {
	f, known = facts[platform]
	return f, known
}

// facts has one value for each platform. The table in docs/networks.md is made of it.
var facts = map[string]Facts{
	"bluesky":    {Read: "2026-11", Sources: []Source{Measured, SourceCode, Definitions}, Tested: "a real server; its video service and multipart video: a fake"},
	"discord":    {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake},
	"facebook":   {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake, Ages: graph(facebook.APIVersion)},
	"feed":       {Read: "2026-11", Sources: []Source{Standard}, Tested: "itself"},
	"googlechat": {Read: "2026-11", Sources: []Source{Documentation}, Tested: fake},
	"http":       {Read: "2026-11", Sources: []Source{Standard}, Tested: "receivers of the tests"},
	"instagram":  {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake, Ages: graph(instagram.APIVersion)},
	"linkedin":   {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake, Ages: []Aging{months(linkedin.APIVersion)}},
	"mastodon":   {Read: "2026-11", Sources: []Source{Measured, SourceCode, Documentation}, Tested: "a real server (snac)"},
	"matrix":     {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake},
	"nostr":      {Read: "2026-11", Sources: []Source{Measured, Standard}, Tested: "a real relay"},
	"slack":      {Read: "2026-11", Sources: []Source{Documentation}, Tested: fake},
	"telegram":   {Read: "2026-11", Sources: []Source{Documentation}, Tested: fake},
	"threads":    {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake},
	"wordpress":  {Read: "2026-11", Sources: []Source{Measured, SourceCode}, Tested: "a real site"},
	"x":          {Read: "2026-11", Sources: []Source{Documentation, Programs}, Tested: fake},
}

// months returns when a version of LinkedIn's API ends: a year after the month in its name.
func months(version int) Aging {
	return Aging{fmt.Sprintf("version %d of the API", version), time.Date(version/100+1, time.Month(version%100), 1, 0, 0, 0, 0, time.UTC), true}
}

// graphEnds are the ends of versions of the Graph API, as Meta's changelog names them
// (https://developers.facebook.com/docs/graph-api/changelog).
var graphEnds = map[string]time.Time{
	"v23.0": time.Date(2027, time.October, 8, 0, 0, 0, 0, time.UTC),
	"v24.0": time.Date(2028, time.February, 18, 0, 0, 0, 0, time.UTC),
	"v25.0": time.Date(2028, time.July, 29, 0, 0, 0, 0, time.UTC),
}

// graph returns when a version of the Graph API ends. Meta names the end of a version when it
// releases the next one, two years before. So if the end is not known, it is in doubt, and two
// years after the facts were read.
func graph(version string) []Aging {
	ends, known := graphEnds[version]
	if !known {
		ends = time.Date(2028, time.November, 1, 0, 0, 0, 0, time.UTC)
	}
	return []Aging{{"version " + version + " of the Graph API", ends, !known}}
}

// AgeSoon returns the facts about the network of a platform that may soon not be true.
func AgeSoon(platform string, now time.Time) (list []Aging) {
	for _, a := range facts[platform].Ages {
		if a.At.Sub(now) <= agesSoon {
			list = append(list, a)
		}
	}
	return list
}
