package bulk

import (
	"encoding/json"
	"slices"
)

// Override holds what one account gets instead of what the row says. Nil fields and empty
// texts are those of the row. The account gets no media, further parts or poll if a list
// is empty and not nil.
type Override struct {
	To      string    `json:"to"` // the account, as a person names it
	Content string    `json:"content,omitempty"`
	Media   *[]string `json:"media,omitempty"` // as in Row
	Alt     []string  `json:"alt,omitempty"`
	Thread  *[]Part   `json:"thread,omitempty"`

	Poll           *[]string `json:"poll,omitempty"`
	PollFor        string    `json:"poll_for,omitempty"`
	PollMultiple   bool      `json:"poll_multiple,omitempty"`
	PollHideTotals bool      `json:"poll_hide_totals,omitempty"`

	ContentWarning string         `json:"content_warning,omitempty"`
	Visibility     string         `json:"visibility,omitempty"`
	Language       string         `json:"language,omitempty"`
	Options        map[string]any `json:"options,omitempty"`
}

// UnmarshalJSON reads an object without unknown keys.
func (o *Override) UnmarshalJSON(b []byte) error {
	type object Override
	*o = Override{}
	if len(b) > 0 && b[0] != '{' {
		return json.Unmarshal(b, (*object)(o)) // for the type in the error
	}
	return readStrictly(b, (*object)(o))
}

// texts returns the texts besides those of parts.
func (o *Override) texts() []string {
	list := []string{o.To, o.Content, o.PollFor, o.ContentWarning, o.Visibility, o.Language}
	for _, l := range []*[]string{o.Media, o.Poll, &o.Alt} {
		if l != nil {
			list = append(list, *l...)
		}
	}
	options, _ := json.Marshal(o.Options) // values that were read from JSON
	return slices.Concat(list, []string{string(options)})
}
