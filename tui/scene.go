package tui

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Scene is what all renderers need and what belongs to no screen.
type Scene struct {
	Theme theme
	Keys  keyMap
	Zone  *time.Location // for displaying and parsing times
	Now   time.Time      // advances with the ticks of the frame

	Names map[string]string     // of all accounts, also disconnected ones, by id
	Tags  map[string]accountTag // of the same accounts
}

// name returns the name of an account.
func (s *Scene) name(id string) string {
	if n := s.Names[id]; n != "" {
		return oneLine(n)
	}
	return oneLine(id)
}

// InNames returns a text with the names of accounts instead of their ids.
func (s *Scene) InNames(text string) string {
	if !strings.Contains(text, "acct_") {
		return text
	}
	ids := slices.Sorted(maps.Keys(s.Names))
	for _, id := range slices.Backward(ids) { // an id can be the start of a later one
		text = strings.ReplaceAll(text, id, "“"+oneLine(s.Names[id])+"”")
	}
	return text
}
