package content

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/tui/printable"
)

// CommentPart is the name of the first comment where parts have numbers.
const CommentPart = "comment"

// NamesOf returns the name of an account by its id.
type NamesOf func(id string) string

// Properties returns the settings of a post that are one line, only those that are set. On a
// terminal they have the facts of the picture of a link card.
func Properties(a *cli.App, p apiv1.Post) []cli.Property {
	return cli.Map(fields.Lines(p), func(l fields.Line) cli.Property {
		if (l.Name == "preview_image" || l.Name == "card_image") && a.OutTerminal {
			l.Value = media.Described(l.Value, p.MediaAssets)
		}
		return cli.Property{Name: l.Label, Value: l.Value}
	})
}

// Rows describes for programs what a post has besides its text and its settings: a line for
// each file, part and poll, and lines for what accounts get instead.
func Rows(p apiv1.Post, name NamesOf) (out []byte) {
	add := func(cells ...string) { out = append(out, strings.Join(cells, "\t")+"\n"...) }
	for _, row := range partRows(p, p.MediaAssets) {
		add(row...)
	}
	for _, o := range p.TargetOverrides {
		add("override", o.SocialAccountID, cli.OneLine(name(o.SocialAccountID)), cli.OneLine(cli.Deref(o.Content)), account.OptionsText(o.Options))
		for _, row := range overrideRows(o, p.MediaAssets) {
			add(append([]string{"override_field", o.SocialAccountID}, row...)...)
		}
	}
	return out
}

// partRows has a row for each file, further part and poll, and for the first comment.
func partRows(p apiv1.Post, assets []apiv1.MediaAsset) (rows [][]string) {
	addFiles := func(list []apiv1.PostMedia, number ...string) {
		for _, m := range list {
			rows = append(rows, slices.Concat([]string{"media"}, media.Fields(m, assets), number))
		}
	}
	addFiles(p.Media)
	for i, part := range p.Thread {
		number := fmt.Sprint(i + 2)
		rows = append(rows, []string{"part", number, cli.OneLine(part.Content)})
		addFiles(part.Media, number)
	}
	if p.FirstComment != nil {
		rows = append(rows, []string{"comment", cli.OneLine(p.FirstComment.Content)})
		addFiles(p.FirstComment.Media, CommentPart)
	}
	if poll := p.Poll; poll != nil && len(poll.Options) > 0 {
		row := []string{"poll", fields.PollTime(*poll), fmt.Sprint(poll.Multiple), fmt.Sprint(poll.HideTotals)}
		rows = append(rows, append(row, cli.Map(poll.Options, cli.OneLine)...))
	}
	return rows
}

// overrideRows has a row for each field of an override besides its text and its options.
func overrideRows(o apiv1.Override, assets []apiv1.MediaAsset) (rows [][]string) {
	p := fields.OfAccount(o)
	for _, l := range fields.Lines(p) {
		rows = append(rows, []string{l.Name, cli.OneLine(l.Value)})
	}
	for _, name := range noneOf(o) {
		rows = append(rows, []string{"no_" + name})
	}
	return append(rows, partRows(p, assets)...)
}

// noneOf names what an account does not get although the post may have it.
func noneOf(o apiv1.Override) (names []string) {
	if o.Media != nil && len(*o.Media) == 0 {
		names = append(names, "media")
	}
	if o.Thread != nil && len(*o.Thread) == 0 {
		names = append(names, "thread")
	}
	if o.Poll != nil && len(o.Poll.Options) == 0 {
		names = append(names, "poll")
	}
	return names
}

// Text describes for people what a post publishes: its text, its media, its further parts
// and what accounts get instead.
func Text(a *cli.App, p apiv1.Post, name NamesOf) string {
	text := ""
	if p.Content != "" {
		text = Indented(p.Content) + "\n"
	}
	return text + Rest(a, p, name)
}

// Rest is Text without the text of the post.
func Rest(a *cli.App, p apiv1.Post, name NamesOf) string {
	var b strings.Builder
	if len(p.Media) > 0 {
		b.WriteString(MediaText(a, p.Media, p.MediaAssets) + "\n")
	}
	if p.Poll != nil {
		b.WriteString(pollText(a, p.Poll) + "\n")
	}
	for i, part := range p.Thread {
		b.WriteString(partText(a, fmt.Sprintf("part %d:", i+2), part, p.MediaAssets) + "\n")
	}
	if p.FirstComment != nil {
		b.WriteString(partText(a, "first comment:", *p.FirstComment, p.MediaAssets) + "\n")
	}
	for _, o := range p.TargetOverrides {
		b.WriteString(overrideText(a, o, p.MediaAssets, name) + "\n")
	}
	return b.String()
}

// Indented returns a text as people see it in output: its lines are indented.
func Indented(text string) string {
	return "  " + strings.ReplaceAll(printable.Clean(printable.Reveal(text)), "\n", "\n  ") + "\n"
}

// MediaText describes files, one per line.
func MediaText(a *cli.App, list []apiv1.PostMedia, assets []apiv1.MediaAsset) string {
	return strings.Join(cli.Map(media.Lines(a, list, assets), func(line string) string { return "  " + line + "\n" }), "")
}

func pollText(a *cli.App, p *apiv1.Poll) string {
	text := "poll for " + fields.PollTime(*p)
	if p.Multiple {
		text += ", several options"
	}
	if p.HideTotals {
		text += ", votes hidden until the end"
	}
	text = a.Dim(text+":") + "\n"
	for _, option := range p.Options {
		text += "  - " + cli.OneLine(option) + "\n"
	}
	return text
}

func partText(a *cli.App, title string, part apiv1.Part, assets []apiv1.MediaAsset) string {
	text := a.Dim(title) + "\n"
	if part.Content != "" {
		text += Indented(part.Content)
	}
	return text + MediaText(a, part.Media, assets)
}

// overrideText describes what one account gets instead.
func overrideText(a *cli.App, o apiv1.Override, assets []apiv1.MediaAsset, name NamesOf) string {
	p, none := fields.OfAccount(o), noneOf(o)
	text := a.Dim("for " + cli.OneLine(name(o.SocialAccountID)) + ":")
	if len(o.Options) > 0 {
		text += " " + cli.OneLine(account.OptionsText(o.Options))
	}
	text += "\n"
	if o.Content != nil {
		text += Indented(*o.Content)
	}
	for _, l := range fields.Lines(p) {
		text += "  " + a.Dim(strings.ToLower(l.Label)+":") + " " + cli.OneLine(l.Value) + "\n"
	}
	switch {
	case slices.Contains(none, "poll"):
		text += "  " + a.Dim("no poll") + "\n"
	case p.Poll != nil:
		text += pollText(a, p.Poll)
	}
	if slices.Contains(none, "thread") {
		text += "  " + a.Dim("no further parts") + "\n"
	}
	for i, part := range p.Thread {
		text += partText(a, fmt.Sprintf("part %d:", i+2), part, assets)
	}
	if slices.Contains(none, "media") {
		text += "  " + a.Dim("no media") + "\n"
	}
	return text + MediaText(a, p.Media, assets)
}
