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
	schedctl.EventWebhookDisabled:   {"disabled webhook", "disabled webhooks"},
}

// summary counts the events by type, such as "2 failed posts and 1 refused login".
func (d *Digest) summary() string {
	var parts []string
	for _, t := range schedctl.NotificationEvents() {
		if n := d.counts[t]; n > 0 {
			parts = append(parts, counted(n, kinds[t]))
		}
	}
	return listed(parts)
}

// listed joins parts with commas and "and".
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(slices.Concat(parts[:last-1], []string{parts[last-1] + " and " + parts[last]}), ", ")
}
