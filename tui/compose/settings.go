package compose

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// settings is the second page of the composer: the settings, the labels, the poll and the
// link preview of the post.
type settings struct {
	screen.Form
	open bool
}

// newSettings returns the page with the settings of a post.
func newSettings(t screen.Theme, p apiv1.Post) (s settings) {
	s.Title = "Settings of the post"
	add := func(name, label, about, value string) {
		s.Fields = append(s.Fields, screen.NewField(t, name, label, about, value))
	}
	for _, f := range fields.Texts {
		add(f.Name, f.Label, strings.ReplaceAll(f.Usage, "`", ""), f.Get(&p))
	}
	add("labels", "Labels", "separated by commas", strings.Join(p.Labels, ", "))
	poll := apiv1.Poll{ExpiresInSeconds: int64(fields.DefaultPollTime / time.Second)}
	if p.Poll != nil {
		poll = *p.Poll
	}
	add("poll", "Poll", `2 to 10 options, separated by semicolons (write \; for a semicolon); empty for no poll`, joinOptions(poll.Options))
	add("poll_for", "runs for", "such as 2h or 3d", fields.PollTime(poll))
	add("poll_multiple", "several options", "whether people can choose more than one option; space changes it", yesOrNo(poll.Multiple))
	add("poll_hide_totals", "hidden until the end", "whether the votes are hidden until the poll ends; space changes it", yesOrNo(poll.HideTotals))
	card, preview := apiv1.LinkCard{}, p.LinkPreview.Mode
	if p.LinkPreview.Card != nil {
		card, preview = *p.LinkPreview.Card, p.LinkPreview.Card.URL
	}
	if preview == "" {
		preview = apiv1.PreviewAuto
	}
	image := ""
	if card.Image != nil {
		image = *card.Image
	}
	add("link_preview", "Link preview", "auto, none, or the URL of a link for a card of your own", preview)
	add("preview_title", "title", "of your own card", card.Title)
	add("preview_description", "text", "of your own card", card.Description)
	add("preview_image", "picture", "of your own card: the id of a media asset", image)
	return s
}

// switches are the fields that are yes or no.
var switches = []string{"poll_multiple", "poll_hide_totals"}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func joinOptions(options []string) string {
	escaped := make([]string, len(options))
	for i, option := range options {
		escaped[i] = strings.ReplaceAll(screen.OneLine(option), ";", `\;`)
	}
	return strings.Join(escaped, "; ")
}

// splitList returns the entries of a list without white space around them, and no empty ones.
func splitList(text, separator string) []string {
	const mark = "\x00" // which no input accepts
	list := []string{}
	for _, entry := range strings.Split(strings.ReplaceAll(text, `\`+separator, mark), separator) {
		if entry = strings.TrimSpace(strings.ReplaceAll(entry, mark, separator)); entry != "" {
			list = append(list, entry)
		}
	}
	return list
}

// value returns the value of a field, and whether it was changed.
func (s *settings) value(name string) (value string, changed bool) {
	f := &s.Fields[slices.IndexFunc(s.Fields, func(f screen.Field) bool { return f.Name == name })]
	return f.Value(), f.Changed()
}

// changed reports whether one of the named fields was changed; without names, any field.
func (s *settings) changed(names ...string) bool {
	return slices.ContainsFunc(s.Fields, func(f screen.Field) bool { return f.Changed() && (names == nil || slices.Contains(names, f.Name)) })
}

// change returns the change of the post, and the field with a value that cannot be used.
func (s *settings) change() (edit apiv1.EditPost, field, fault string) {
	for _, f := range fields.Texts {
		value, changed := s.value(f.Name)
		if !changed {
			continue
		}
		if value != "" && !f.Accepts(value) {
			return edit, f.Name, "use one of " + strings.Join(f.Values, ", ")
		}
		*f.Of(&edit) = &value
	}
	if text, changed := s.value("labels"); changed {
		labels := splitList(text, ",")
		for _, label := range labels {
			if err := schedctl.CheckLabel("a label", label); err != nil {
				return edit, "labels", screen.Explain(err)
			}
		}
		edit.Labels = &labels
	}
	if s.changed("poll", "poll_for", "poll_multiple", "poll_hide_totals") {
		if field, fault = s.setPoll(&edit); fault != "" {
			return edit, field, fault
		}
	}
	if s.changed("link_preview", "preview_title", "preview_description", "preview_image") {
		field, fault = s.setPreview(&edit)
	}
	return edit, field, fault
}

// setPoll adds the poll to a change.
func (s *settings) setPoll(edit *apiv1.EditPost) (field, fault string) {
	text, _ := s.value("poll")
	edit.Poll = &apiv1.Poll{Options: splitList(text, ";")}
	if len(edit.Poll.Options) == 0 {
		return "", ""
	}
	runs, _ := s.value("poll_for")
	d, err := when.ParseDuration(runs)
	if err != nil {
		return "poll_for", err.Error()
	}
	edit.Poll.ExpiresInSeconds = int64(d / time.Second)
	for i, to := range []*bool{&edit.Poll.Multiple, &edit.Poll.HideTotals} {
		value, _ := s.value(switches[i])
		*to = value == yesOrNo(true)
	}
	return "", ""
}

// setPreview adds the link preview to a change.
func (s *settings) setPreview(edit *apiv1.EditPost) (field, fault string) {
	preview, _ := s.value("link_preview")
	card := &apiv1.LinkCard{URL: preview}
	card.Title, _ = s.value("preview_title")
	card.Description, _ = s.value("preview_description")
	if image, _ := s.value("preview_image"); image != "" {
		card.Image = &image
	}
	own := card.Title != "" || card.Description != "" || card.Image != nil
	switch {
	case preview != "" && preview != apiv1.PreviewAuto && preview != apiv1.PreviewNone:
		edit.LinkPreview = &apiv1.LinkPreview{Card: card}
	case own && s.changed("preview_title", "preview_description", "preview_image"):
		return "link_preview", "a card of your own needs the URL of its link"
	default:
		edit.LinkPreview = &apiv1.LinkPreview{Mode: preview}
	}
	return "", ""
}

// handleSettingsKey passes a key to the page.
func (c *composer) handleSettingsKey(frame Frame, k tea.KeyMsg) tea.Cmd {
	s := &c.settings
	n := len(s.Fields)
	switch {
	case key.Matches(k, keys(frame).Kill):
		return c.askToLeave(frame)
	case key.Matches(k, keys(frame).Leave, keys(frame).Settings):
		s.open = false
	case key.Matches(k, keys(frame).Save, keys(frame).Ask):
		return c.save(frame, key.Matches(k, keys(frame).Ask))
	case key.Matches(k, keys(frame).Field), k.Type == tea.KeyEnter, k.Type == tea.KeyDown:
		s.Focus((s.Focused + 1) % n)
	case key.Matches(k, keys(frame).FieldBack), k.Type == tea.KeyUp:
		s.Focus((s.Focused + n - 1) % n)
	case !slices.Contains(switches, s.Fields[s.Focused].Name):
		s.Fields[s.Focused].Fault = ""
		s.Fields[s.Focused].Input, _ = s.Fields[s.Focused].Input.Update(k)
		return c.check()
	case key.Matches(k, keys(frame).Toggle):
		f := &s.Fields[s.Focused]
		f.Input.SetValue(yesOrNo(f.Value() != yesOrNo(true)))
		return c.check()
	}
	return nil
}

// settingsFault shows the field whose value cannot be used, and reports whether there is one.
func (c *composer) settingsFault() bool {
	_, field, fault := c.settings.change()
	if fault == "" {
		return false
	}
	c.settings.open = true
	return c.settings.ShowFieldError(field, fault)
}

// settingsLine renders the settings that are set in one line.
func (c *composer) settingsLine(t screen.Theme, width int) []string {
	var set []string
	for _, f := range c.settings.Fields {
		if f.Value() != "" && (f.Original != f.Value() || c.settings.shows(f.Name)) {
			set = append(set, strings.ToLower(f.Label)+": "+screen.OneLine(f.Value()))
		}
	}
	if set == nil {
		return nil
	}
	const label = "  Settings  "
	return []string{label + t.Faint.Render(screen.Clip(strings.Join(set, ", "), max(1, width-len(label)-1)))}
}

// shows reports whether a field says more than that nothing is set.
func (s *settings) shows(name string) bool {
	poll, _ := s.value("poll")
	preview, _ := s.value("link_preview")
	switch {
	case strings.HasPrefix(name, "poll_"):
		value, _ := s.value(name)
		return poll != "" && value != "no"
	case name == "link_preview":
		return preview != apiv1.PreviewAuto
	}
	return true
}
