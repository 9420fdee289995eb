// Package feed reads the feeds that sources are made of: RSS 0.9x to 2.0, RDF, Atom 0.3
// and 1.0, and JSON Feed 1.0 and 1.1.
//
// [Parse] returns a [Feed] whose titles and texts are plain text, whose links are absolute
// http or https URLs, and whose lists are bounded. [Feed.Keys] returns the keys by which
// items are known again in later fetches. [Feeds] returns the feeds that a web page names.
//
// Feeds are untrusted. Before a library reads a document, its nesting and its namespaces
// are checked, because a small document can take hours otherwise.
package feed

import "time"

// Limits of feeds.
const (
	MaxBytes = 5 << 20 // of a document
	MaxItems = 500     // of a feed; later ones are not read
	MaxTags  = 50      // of an item
	MaxText  = 10_000  // characters of a text
	MaxTitle = 1_000   // characters of a title
	maxName  = 200     // characters of an author or a tag
	maxGUID  = 2048    // bytes; a longer guid is ignored
	maxURL   = 2048    // bytes; a longer URL is ignored
	maxDepth = 8       // of extensions that are read
	maxImage = 10      // pictures of an item
)

// Feed is what a document says. All texts are plain text.
type Feed struct {
	Format   string        // for people, such as "RSS 2.0", "Atom" or "JSON Feed 1.1"
	Title    string        // of the site
	Link     string        // the page of the site, or empty
	Self     string        // the address that the feed gives itself, or empty
	Hub      string        // its WebSub hub, or empty
	Lengthen time.Duration // how long the feed asks to wait between fetches; 24 h at most; 0 if it does not
	Items    []Item        // in the order of the document
	Skipped  int           // items that could not be read or that have neither an identity nor a text
	Warnings []string      // what is odd about the feed, for people
}

// Item is one item of a feed.
type Item struct {
	GUID       string    // as the feed has it, or empty
	Link       string    // an http or https URL, or empty; FeedBurner's original link if there is one
	Title      string    // one line, or empty
	Summary    string    // the short text, else the whole one; lines are separated by \n
	Author     string    // names, separated by ", "
	Tags       []string  // without repeats
	Published  time.Time // in UTC; the last change if the feed says nothing else; zero for none
	Updated    time.Time // in UTC; zero for none
	Version    string    // of a release or a title that has one, such as v1.2.0-rc.1
	Prerelease bool      // Version is one before a release, or the title or tag ends with -test
	Images     []Image   // candidates, the best first
	Audio      string    // the URL of an episode, or empty
}

// Image is a picture of an item.
type Image struct {
	URL string // http or https
	Alt string // or empty
}
