package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page/worddiff"
)

// changedNames are the names of the fields of [schedctl.Reviewed.Changed] for people.
var changedNames = map[string]string{
	"content": "the text", "title": "the title", "media": "the files", "social_account_ids": "the accounts", "target_overrides": "what single accounts get",
	"thread": "the thread", "first_comment": "the first comment", "poll": "the poll", "link_preview": "the link card", "approval.card": "the link card",
	"content_warning": "the content warning", "visibility": "the visibility", "language": "the language",
}

// changed says what has changed since the last decision, or nothing.
func changed(p *schedctl.Post) string {
	last := p.LastDecided()
	if last == nil {
		return ""
	}
	var names []string
	for _, field := range last.Changed(p.Reviewed()) {
		if name := changedNames[field]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// change is a text that has changed since the last decision.
type change struct {
	Name   string
	Pieces []worddiff.Piece
}

// changes returns the texts that have changed since the last decision, word by word.
func (v *PostView) changes() (list []change) {
	last := v.Post.LastDecided()
	if last == nil {
		return nil
	}
	reviewed := v.Post.Reviewed()
	before, now := v.texts(last), v.texts(&reviewed)
	find := func(in []fact, name string) string {
		if i := slices.IndexFunc(in, func(f fact) bool { return f.Name == name }); i >= 0 {
			return in[i].Value
		}
		return ""
	}
	cells := worddiff.MaxCells // of all texts together
	for _, f := range now {
		if was := find(before, f.Name); was != f.Value {
			list = append(list, change{f.Name, excerpts(worddiff.DiffWithin(&cells, was, f.Value))})
		}
	}
	for _, f := range before {
		if !slices.ContainsFunc(now, func(n fact) bool { return n.Name == f.Name }) {
			list = append(list, change{f.Name, excerpts(worddiff.Diff(f.Value, ""))})
		}
	}
	return list
}

// texts returns the texts that reviewers decide about, each with a name of its own.
func (v *PostView) texts(r *schedctl.Reviewed) (list []fact) {
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{Name: name, Value: text})
		}
	}
	thread := func(of string, parts []schedctl.Part) {
		for i := range parts {
			add(fmt.Sprintf("Part %d of the thread%s", i+2, of), parts[i].Content)
		}
	}
	files := func(of string, media []schedctl.PostMedia) {
		for i := range media {
			add(fmt.Sprintf("Alt text of file %d%s", i+1, of), media[i].AltText)
		}
	}
	poll := func(of string, p *schedctl.Poll) {
		if p != nil {
			add("Poll"+of, strings.Join(p.Options, "\n"))
		}
	}
	add("Title", r.Title)
	add("Content warning", r.Presentation.ContentWarning)
	add("Text", r.Text)
	files("", r.Media)
	thread("", r.Thread)
	if r.FirstComment != nil {
		add("First comment", r.FirstComment.Content)
	}
	poll("", r.Poll)
	if c := r.Card; c != nil {
		add("Link card", strings.Trim(c.Title+"\n"+c.Description, "\n"))
	}
	for i := range r.Overrides {
		o := &r.Overrides[i]
		of := " for " + v.accountName(o.AccountID)
		add("Text"+of, o.Text)
		add("Content warning"+of, o.Presentation.ContentWarning)
		files(of, o.Media)
		thread(of, o.Thread)
		poll(of, o.Poll)
	}
	return list
}

// accountName names an account of the post.
func (v *PostView) accountName(id string) string {
	for i := range v.Publications {
		if v.Publications[i].Target.AccountID == id {
			return accountOf(&v.Publications[i]).Name
		}
	}
	return "an account that was removed"
}

// excerptChars is how many code points of an unchanged text are shown before a change, and
// behind it.
const excerptChars = 60

// excerpts shortens what has not changed.
func excerpts(pieces []worddiff.Piece) []worddiff.Piece {
	for i := range pieces {
		p := &pieces[i]
		start, end := excerptChars, excerptChars
		if i == 0 {
			start = 0
		}
		if p.Deleted == "" && p.Inserted == "" {
			end = 0
		}
		p.Same = shorten(p.Same, start, end)
	}
	return pieces
}

// shorten returns the first and the last characters of a text, with a sign between them if it
// has more.
func shorten(text string, start, end int) string {
	if utf8.RuneCountInString(text) <= start+end+excerptChars/2 {
		return text
	}
	runes := []rune(text)
	return string(runes[:start]) + " … " + string(runes[len(runes)-end:])
}
