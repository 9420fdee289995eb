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
}

func init() {
	for _, f := range new(schedctl.Presentation).Fields() {
		changedNames[f.Name] = "the " + strings.ToLower(f.Label)
	}
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

// changes returns the texts that have changed since the last decision, word by word. cells is
// how much the comparisons of all texts together may still cost. Texts for which the budget has
// no room are not compared.
func (v *PostView) changes(room *budget, cells *int) (list []change) {
	last := v.Post.LastDecided()
	if last == nil {
		return nil
	}
	reviewed := v.Post.Reviewed()
	before, now := v.texts(last), v.texts(&reviewed)
	was := make(map[string]string, len(before)) // by key; texts that are gone remain
	for _, t := range before {
		was[t.key] = t.text
	}
	add := func(t reviewedText, before, now string) bool {
		c := change{t.name, excerpts(worddiff.DiffWithin(cells, before, now))}
		fits := room.change(&c)
		if fits {
			list = append(list, c)
		}
		return fits && !room.full()
	}
	for _, t := range now {
		text := was[t.key]
		delete(was, t.key)
		if text != t.text && !add(t, text, t.text) {
			return list
		}
	}
	for _, t := range before {
		if text, gone := was[t.key]; gone && !add(t, text, "") {
			return list
		}
	}
	return list
}

// reviewedText is a text that reviewers decide about.
type reviewedText struct {
	name string // for people
	key  string // of its own among the texts of the post
	text string
}

// texts returns the texts that reviewers decide about.
func (v *PostView) texts(r *schedctl.Reviewed) (list []reviewedText) {
	account, of := "", "" // of whom the texts are; empty for those of the post
	add := func(name, text string) {
		if text != "" {
			list = append(list, reviewedText{name + of, account + " " + name, text})
		}
	}
	thread := func(parts []schedctl.Part) {
		for i := range parts {
			add(fmt.Sprintf("Part %d of the thread", i+2), parts[i].Content)
		}
	}
	files := func(media []schedctl.PostMedia) {
		for i := range media {
			add(fmt.Sprintf("Alt text of file %d", i+1), media[i].AltText)
		}
	}
	poll := func(p *schedctl.Poll) {
		if p != nil {
			add("Poll", strings.Join(p.Options, "\n"))
		}
	}
	presentation := func(p schedctl.Presentation) {
		for _, f := range facts(p) {
			add(f.Name, f.Value)
		}
	}
	add("Title", r.Title)
	presentation(r.Presentation)
	add("Text", r.Text)
	files(r.Media)
	thread(r.Thread)
	if r.FirstComment != nil {
		add("First comment", r.FirstComment.Content)
	}
	poll(r.Poll)
	if c := r.Card; c != nil {
		add("Link card", strings.Trim(c.Title+"\n"+c.Description, "\n"))
	}
	for i := range r.Overrides {
		o := &r.Overrides[i]
		account, of = o.AccountID, " for "+v.accountName(o.AccountID)
		add("Text", o.Text)
		presentation(o.Presentation)
		files(o.Media)
		thread(o.Thread)
		poll(o.Poll)
	}
	return list
}

// accountName names an account of the post.
func (v *PostView) accountName(id string) string {
	for i := range v.Publications {
		if v.Publications[i].Target.AccountID == id {
			return fullName(&v.Publications[i])
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
