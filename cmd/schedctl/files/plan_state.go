package files

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// postState holds the fields of a post that files control, in canonical form.
// Later fields need omitempty: a post that does not use them keeps its digest.
type postState struct {
	Content   string          `json:"content"`
	Queue     string          `json:"queue,omitempty"`      // the id of the queue of a post with a slot, in place of At
	NotBefore string          `json:"not_before,omitempty"` // of a post with a slot, as the API writes it
	At        string          `json:"at,omitempty"`         // as the API writes it; empty for a draft
	Series    *seriesState    `json:"series,omitempty"`     // of a recurring post, in place of At
	Accounts  []string        `json:"accounts,omitempty"`   // ids, sorted
	Overrides []overrideState `json:"overrides,omitempty"`  // sorted by account, none empty
	Labels    []string        `json:"labels,omitempty"`     // sorted
	Media     []mediaState    `json:"media,omitempty"`      // in the order of the post

	Thread         []partState `json:"thread,omitempty"` // the parts after the first one
	FirstComment   *partState  `json:"first_comment,omitempty"`
	Poll           *pollState  `json:"poll,omitempty"`
	NoPreview      bool        `json:"no_preview,omitempty"`
	Card           *cardState  `json:"card,omitempty"` // for a link
	ContentWarning string      `json:"content_warning,omitempty"`
	Visibility     string      `json:"visibility,omitempty"`
	Language       string      `json:"language,omitempty"`
}

type overrideState struct {
	Account string         `json:"account"`
	Content string         `json:"content,omitempty"`
	Options map[string]any `json:"options,omitempty"`

	// The account gets these instead of those of the post, unless they are nil or empty.
	Media          *[]mediaState `json:"media,omitempty"`
	Thread         *[]partState  `json:"thread,omitempty"`
	Poll           *pollState    `json:"poll,omitempty"`
	ContentWarning string        `json:"content_warning,omitempty"`
	Visibility     string        `json:"visibility,omitempty"`
	Language       string        `json:"language,omitempty"`
}

// empty reports whether the account gets what the post says.
func (o overrideState) empty() bool {
	return o.Content == "" && len(o.Options) == 0 && o.Media == nil && o.Thread == nil && o.Poll == nil &&
		o.ContentWarning == "" && o.Visibility == "" && o.Language == ""
}

// sorted returns the canonical form of a state.
func (s postState) sorted() postState {
	s.Accounts = slices.Compact(slices.Sorted(slices.Values(s.Accounts)))
	s.Labels = slices.Compact(slices.Sorted(slices.Values(s.Labels)))
	s.Overrides = slices.DeleteFunc(s.Overrides, overrideState.empty)
	slices.SortFunc(s.Overrides, func(a, b overrideState) int { return cmp.Compare(a.Account, b.Account) })
	return s
}

func stateOf(p apiv1.Post) postState {
	s := postState{Content: p.Content, Accounts: p.SocialAccountIDs, Labels: p.Labels, Media: mediaStates(p.Media, p.MediaAssets)}
	switch {
	case p.Slot != nil:
		// The time of the slot is not part of the state: queues may move their posts.
		s.Queue = cli.FirstNonEmpty(cli.Deref(p.QueueID), deletedQueue)
		if p.NotBefore != nil {
			s.NotBefore = formatTime(p.NotBefore.Time)
		}
	case p.PublishAt != nil:
		s.At = formatTime(p.PublishAt.Time)
	case inReview(p):
		s.At = formatTime(p.ProposedAt.Time)
	}
	s.setParts(p)
	for _, o := range p.TargetOverrides {
		if len(o.Options) == 0 {
			o.Options = nil
		}
		state := overrideState{
			Account: o.SocialAccountID, Content: cli.Deref(o.Content), Options: o.Options, Poll: pollStateOf(o.Poll),
			ContentWarning: cli.Deref(o.ContentWarning), Visibility: cli.Deref(o.Visibility), Language: cli.Deref(o.Language),
		}
		if o.Thread != nil {
			state.Thread = new(partStates(*o.Thread, p.MediaAssets))
		}
		if o.Media != nil {
			state.Media = new(mediaStates(*o.Media, p.MediaAssets))
		}
		s.Overrides = append(s.Overrides, state)
	}
	return s.sorted()
}

// digest returns the SHA-256 of the canonical form, with the version of the form.
func (s postState) digest() string {
	form, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts, numbers and booleans always have a form
	}
	sum := sha256.Sum256(form)
	return "v1:" + hex.EncodeToString(sum[:])
}

// difference is a field that changes.
type difference struct {
	// Field is at, queue, not_before, name, repeat, to, labels, content, media, first_comment, poll, link_preview,
	// content_warning, visibility or language; "part" with a number; "media" with a part or
	// an account; or "override", "options" or another field with an account.
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// fields returns all fields of a state as differences from an empty state. files has
// the names of media by their hashes.
func (s postState) fields(names post.AccountRefs, files map[string]mediaState) []difference {
	list := []difference{
		{Field: "at", After: s.At}, {Field: "queue", After: queueText(s.Queue, names)}, {Field: "not_before", After: s.NotBefore},
		{Field: "name", After: s.Series.part(func(s *seriesState) string { return s.Name })}, {Field: "repeat", After: s.Series.part((*seriesState).words)},
		{Field: "to", After: strings.Join(names.Names(s.Accounts), ", ")},
		{Field: "labels", After: strings.Join(s.Labels, ", ")}, {Field: "content", After: s.Content},
		{Field: "media", After: mediaText(s.Media, files)},
	}
	list = append(list, s.partFields(files)...)
	for _, o := range s.Overrides {
		name := cli.FirstNonEmpty(names[o.Account], o.Account)
		options := ""
		if len(o.Options) > 0 {
			form, _ := json.Marshal(o.Options)
			options = string(form)
		}
		list = append(list, difference{Field: "override " + name, After: o.Content}, difference{Field: "options " + name, After: options})
		if o.Media != nil {
			list = append(list, difference{Field: "media " + name, After: cli.FirstNonEmpty(mediaText(*o.Media, files), "no files")})
		}
		list = append(list, o.partFields(name, files)...)
	}
	return list
}

// differencesBetween returns the fields that differ between two states.
func differencesBetween(before, after postState, names post.AccountRefs) []difference {
	files := map[string]mediaState{}
	for _, m := range slices.Concat(before.allMedia(), after.allMedia()) {
		files[m.SHA256] = m
	}
	list := before.fields(names, files)
	for i, d := range list {
		list[i] = difference{Field: d.Field, Before: d.After}
	}
	for _, d := range after.fields(names, files) {
		if i := slices.IndexFunc(list, func(b difference) bool { return b.Field == d.Field }); i >= 0 {
			list[i].After = d.After
			continue
		}
		list = append(list, d)
	}
	return slices.DeleteFunc(list, func(d difference) bool { return d.Before == d.After })
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return apiv1.Time{Time: t}.String()
}

// isText reports whether a field holds the text of a post.
func (d difference) isText() bool {
	return d.Field == "content" || d.Field == "first_comment" || strings.HasPrefix(d.Field, "part ") || strings.HasPrefix(d.Field, "override ")
}

// isSetting reports whether a field is the poll, or how networks show a post.
func (d difference) isSetting() bool {
	switch d.Field {
	case "poll", "link_preview", "content_warning", "visibility", "language":
		return true
	}
	return false
}

// isMedia reports whether a field holds media, a line for each file.
func (d difference) isMedia() bool { return d.Field == "media" || strings.HasPrefix(d.Field, "media ") }
