package screen

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Scene is what all renderers need and what belongs to no screen.
type Scene struct {
	Theme Theme
	Keys  KeyMap
	Zone  *time.Location // for displaying and parsing times
	Now   time.Time      // advances with the ticks of the frame

	Accounts AccountList
	Names    map[string]string // of all accounts, also disconnected ones, by id
	Tags     map[string]Tag    // of the same accounts
}

// AccountList is the accounts of the workspace, without the disconnected ones.
type AccountList struct {
	List   []apiv1.Account
	Loaded bool  // List is current, or about to be replaced
	Err    error // of the last read
}

// Name returns the name of an account.
func (s *Scene) Name(id string) string {
	if n := s.Names[id]; n != "" {
		return OneLine(n)
	}
	return OneLine(id)
}

// InNames returns a text with the names of accounts instead of their ids.
func (s *Scene) InNames(text string) string {
	if !strings.Contains(text, "acct_") {
		return text
	}
	ids := slices.Sorted(maps.Keys(s.Names))
	for _, id := range slices.Backward(ids) { // an id can be the start of a later one
		text = strings.ReplaceAll(text, id, "“"+OneLine(s.Names[id])+"”")
	}
	return text
}

// Clock formats a time briefly, with day and time of day.
func (s *Scene) Clock(t *apiv1.Time) string {
	if t == nil {
		return "-"
	}
	return t.In(s.Zone).Format("Jan _2 15:04")
}
