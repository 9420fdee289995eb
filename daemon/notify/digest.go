package notify

import (
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// maxShown is how many events a message describes. It only counts the others.
const maxShown = 5

// Digest is what one message is about: some events in the order of the outbox.
// The zero value is empty.
type Digest struct {
	First  []schedctl.Event // those that the message describes
	Last   string           // the id of the last event
	counts map[schedctl.EventType]int
}

// Add adds an event that is later than the others.
func (d *Digest) Add(e schedctl.Event) {
	if d.counts == nil {
		d.counts = make(map[schedctl.EventType]int)
	}
	d.counts[e.Type]++
	d.Last = e.ID
	if len(d.First) < maxShown {
		d.First = append(d.First, e)
	}
}

// Len returns the number of events.
func (d *Digest) Len() (n int) {
	for count := range maps.Values(d.counts) {
		n += count
	}
	return n
}

// kinds are what people call events of a type, one and several of them.
var kinds = map[schedctl.EventType][2]string{
	schedctl.EventPostFailed:        {"failed post", "failed posts"},
	schedctl.EventPostCommentFailed: {"failed first comment", "failed first comments"},
	schedctl.EventPostUnconfirmed:   {"unconfirmed post", "unconfirmed posts"},
	schedctl.EventAccountError:      {"refused login", "refused logins"},
	schedctl.EventAccountExpiring:   {"login that ends soon", "logins that end soon"},
	schedctl.EventForecastAppeared:  {"warning about planned posts", "warnings about planned posts"},
	schedctl.EventSourceHeld:        {"held source", "held sources"},
	schedctl.EventSourceFailed:      {"source that cannot be read", "sources that cannot be read"},
	schedctl.EventWebhookDisabled:   {"disabled webhook", "disabled webhooks"},

	schedctl.EventPostSubmitted:          {"post to review", "posts to review"},
	schedctl.EventPostApproved:           {"approved post", "approved posts"},
	schedctl.EventPostChangesRequested:   {"request for changes", "requests for changes"},
	schedctl.EventPostWithdrawn:          {"withdrawn post", "withdrawn posts"},
	schedctl.EventPostNoted:              {"note", "notes"},
	schedctl.EventSeriesSubmitted:        {"series to review", "series to review"},
	schedctl.EventSeriesApproved:         {"approved series", "approved series"},
	schedctl.EventSeriesChangesRequested: {"request to change a series", "requests to change series"},
	schedctl.EventSeriesWithdrawn:        {"withdrawn series", "withdrawn series"},
}

// summary counts the events by type: "3 problems: 2 failed posts and 1 refused login", or
// "1 post to review", or both. Steps of reviews are no problems.
func (d *Digest) summary() string {
	problems, failed := d.count(schedctl.ProblemEvents())
	_, reviewed := d.count(schedctl.ReviewEvents())
	if problems == 0 {
		return reviewed
	}
	text := counted(problems, [2]string{"problem", "problems"}) + ": " + failed
	if reviewed != "" {
		text += "; " + reviewed
	}
	return text
}

// count returns the number of events of some types, and counts them by type.
func (d *Digest) count(types []schedctl.EventType) (n int, text string) {
	var parts []string
	for _, t := range types {
		if d.counts[t] > 0 {
			n += d.counts[t]
			parts = append(parts, counted(d.counts[t], kinds[t]))
		}
	}
	return n, listed(parts)
}

// lists says which commands list what a message does not show.
func (d *Digest) lists() (text string) {
	if n, _ := d.count(schedctl.ProblemEvents()); n > 0 {
		text = " List failed posts: schedctl post list --status failed"
	}
	if n, _ := d.count(schedctl.ReviewEvents()); n > 0 {
		text += "\nList what waits for an approval: schedctl review"
	}
	return text
}

// listed joins parts with commas and "and".
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(slices.Concat(parts[:last-1], []string{parts[last-1] + " and " + parts[last]}), ", ")
}
