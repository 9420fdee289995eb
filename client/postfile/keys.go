package postfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/when"
)

// form is a set of the forms of documents.
type form int

const (
	inFile form = 1 << iota // the front matter of a post file
	inJSON
	inCSV
	inImport // read from rows, and never written
	inCells  // of several columns of CSV
	inRows   = inJSON | inCSV
	inAll    = inRows | inFile
)

// key is a key of front matter and of JSON Lines, and a column of CSV.
type key struct {
	name  string
	forms form
	read  func(*decoder, entry)
}

// keys are all keys, in the order of the columns of CSV.
var keys = slices.Concat([]key{
	{"id", inAll, text(func(d *Document) *string { return &d.ID })},
	{"content", inRows, func(d *decoder, e entry) { d.Post.Content = d.block(e) }},
	{"to", inAll, list("to", func(d *Document) *[]string { return &d.To })},
	{"at", inAll, text(func(d *Document) *string { return &d.At })},
	{"tz", inAll, text(func(d *Document) *string { return &d.TZ })},
	{"media", inAll, func(d *decoder, e entry) { d.Post.Media = d.media("media", e) }},
	{"part_media", inFile, (*decoder).numberedMedia},
	{"alt", inRows, func(d *decoder, e entry) { d.settings.alt, d.settings.altAt = d.list("alt", e), e.value.at }},
	{"thread", inAll, (*decoder).thread},
	{"first_comment", inAll, func(d *decoder, e entry) { d.Post.FirstComment = d.part("first_comment", e) }},
	{"poll", inAll, func(d *decoder, e entry) { d.Post.Poll = d.poll("poll", e, &d.settings) }},
	{"poll_for", inRows, func(d *decoder, e entry) { d.pollSetting(&d.settings, e) }},
	{"poll_multiple", inRows, func(d *decoder, e entry) { d.pollSetting(&d.settings, e) }},
	{"poll_hide_totals", inRows, func(d *decoder, e entry) { d.pollSetting(&d.settings, e) }},
}, settings(fields.PresentationNames()...), []key{
	{"link_preview", inAll, func(d *decoder, e entry) { d.Post.LinkPreview = d.linkPreview(e) }},
}, settings("title", "post_style"), []key{
	{"labels", inAll, list("labels", func(d *Document) *[]string { return &d.Post.Labels })},
	{"queue", inAll, text(func(d *Document) *string { return &d.Queue })},
	{"not_before", inAll, text(func(d *Document) *string { return &d.NotBefore })},
	{"proposed_at", inRows, text(func(d *Document) *string { return &d.ProposedAt })},
	{"repeat", inAll, text(func(d *Document) *string { return &d.Repeat })},
	{"start", inAll, text(func(d *Document) *string { return &d.Start })},
	{"name", inAll, text(func(d *Document) *string { return &d.Name })},
	{"variants", inAll, func(d *decoder, e entry) { d.Variants = d.texts("variants", e) }},
	{"exdates", inAll, list("exdates", func(d *Document) *[]string { return &d.Exdates })},
	{"ahead_days", inAll, func(d *decoder, e entry) { d.AheadDays = d.days(e) }},
	{"overrides", inJSON | inCells, (*decoder).overrideList},
	{"link", inImport, func(d *decoder, e entry) { d.link = d.text(e) }},
	{"notes", inImport, text(func(d *Document) *string { return &d.Notes })},
	{"override", inFile, (*decoder).overrides},
	{"options", inFile, (*decoder).options},
})

// settings are the keys of settings that are one text.
func settings(names ...string) (list []key) {
	for _, name := range names {
		list = append(list, key{name, inAll, (*decoder).setting})
	}
	return list
}

func text(field func(*Document) *string) func(*decoder, entry) {
	return func(d *decoder, e entry) { *field(d.Document) = d.text(e) }
}

// setting reads a setting that is one text.
func (d *decoder) setting(e entry) { d.settingOf(&d.Post, e) }

// settingOf reads a setting of a post or an override. It returns false for another key.
func (d *decoder) settingOf(of any, e entry) bool {
	i := slices.IndexFunc(fields.Texts, func(t fields.Text) bool { return t.Name == e.name })
	if i < 0 {
		return false
	}
	field := fields.Texts[i].Of(of)
	if field != nil {
		*field = optional(d.line(e))
	}
	return field != nil
}

func list(path string, field func(*Document) *[]string) func(*decoder, entry) {
	return func(d *decoder, e entry) { *field(d.Document) = d.list(path, e) }
}

// read fills in the document.
func (d *decoder) read(entries []entry, f form) {
	for _, e := range entries {
		k := keyOf(e.name, f)
		if k == nil {
			d.problem(e.at, "unknown key %q; the keys are %s", clip(e.name), enumerate(names(f)))
			continue
		}
		e.name = k.name
		if k.name != "media" && k.name != "thread" {
			d.mark(k.name, e.value.at)
		}
		k.read(d, e)
	}
	d.setAlts(d.Post.Media, d.settings, "the line")
	if d.row {
		if d.link != "" && !strings.Contains(d.Post.Content, d.link) {
			d.Post.Content = strings.TrimLeft(strings.TrimRight(d.Post.Content, "\r\n ")+"\n"+d.link, "\n")
		}
		if d.Post.Poll = d.listedPoll(d.settings); d.Post.Poll != nil && len(d.Post.Poll.Options) == 0 {
			d.Post.Poll = nil
		}
	}
}

// texts reads a list of texts that can have several lines.
func (d *decoder) texts(path string, e entry) []string {
	list := d.list(path, e)
	for i, text := range list {
		list[i] = d.block(entry{value: value{kind: isText, text: text}})
	}
	return list
}

// thread reads the further parts of a row, or whether the text of a post file has some.
func (d *decoder) thread(e entry) {
	switch {
	case !d.row:
		d.split = d.boolean(e)
	case e.kind != isNull:
		if d.Post.Thread = d.parts("thread", e); len(d.Post.Thread) == 0 {
			d.Post.Thread = nil
		}
	}
}

// numberedMedia reads the media of the parts of a thread.
func (d *decoder) numberedMedia(e entry) {
	if e.kind != isNull {
		d.partMedia, _ = d.object(e, "{2: ["+mediaExample+"]}")
	}
}

// poll reads a poll of a post file, and the options of a poll in a row.
func (d *decoder) poll(path string, e entry, of *listed) *apiv1.Poll {
	if e.kind == isNull {
		return nil
	}
	d.mark(path, e.at)
	if d.row {
		options := append([]string{}, d.list(path+".options", e)...)
		of.options, of.at = &options, e.at
		return nil
	}
	entries, ok := d.object(e, pollExample)
	if !ok {
		return nil
	}
	faults := len(d.Faults)
	p := &apiv1.Poll{Options: []string{}, ExpiresInSeconds: int64(fields.DefaultPollTime / time.Second)}
	for _, k := range entries {
		switch k.name {
		case "options":
			p.Options = append(p.Options, d.list(path+".options", k)...)
		case "for":
			d.mark(path+".expires_in_seconds", k.value.at)
			p.ExpiresInSeconds = d.duration("poll: for", k)
		case "multiple":
			p.Multiple = d.boolean(k)
		case "hide_totals":
			p.HideTotals = d.boolean(k)
		default:
			d.unknown(k, e.name, "options, for, multiple and hide_totals")
		}
	}
	if len(d.Faults) > faults {
		return nil
	}
	return p
}

// duration reads a duration in seconds, that of a poll for an empty text.
func (d *decoder) duration(name string, e entry) int64 {
	text := d.text(e)
	if text == "" {
		return int64(fields.DefaultPollTime / time.Second)
	}
	runs, err := when.ParseDuration(text)
	if err != nil {
		d.Faults = append(d.Faults, d.Problemf(e.value.at.Line, "%s: %v", name, err))
		runs = fields.DefaultPollTime
	}
	return int64(runs / time.Second)
}

// pollSetting reads a setting of a poll in a row.
func (d *decoder) pollSetting(of *listed, e entry) {
	switch e.name {
	case "poll_for":
		if d.text(e) == "" {
			return
		}
		of.runs = d.duration(e.name, e)
	case "poll_multiple":
		of.multiple = d.boolean(e)
	case "poll_hide_totals":
		of.hideTotals = d.boolean(e)
	}
	of.at = cmpPosition(of.at, e.at)
}

// listedPoll returns the poll of a row, nil for none. In an override an empty list of
// options means no poll.
func (d *decoder) listedPoll(of listed) *apiv1.Poll {
	switch {
	case of.options == nil || len(*of.options) == 0:
		if of.runs != 0 || of.multiple || of.hideTotals {
			d.problem(of.at, `the line has settings of a poll, and no options in "poll"`)
		}
		if of.options == nil {
			return nil
		}
		return &apiv1.Poll{Options: []string{}}
	case of.runs == 0:
		of.runs = int64(fields.DefaultPollTime / time.Second)
	}
	return &apiv1.Poll{Options: *of.options, ExpiresInSeconds: of.runs, Multiple: of.multiple, HideTotals: of.hideTotals}
}

const noPoll = "none"

// The keys of overrides in files and in rows, for messages.
var (
	overrideKeys = enumerate(append([]string{"content", "media", "thread", "poll"}, fields.PresentationNames()...))
	rowKeys      = enumerate(append(append([]string{"to", "content", "media", "alt", "thread", "poll", "poll_for", "poll_multiple", "poll_hide_totals"}, fields.PresentationNames()...), "options"))
)

// override returns the override for an account with its path, and adds it if it is
// missing.
func (d *decoder) override(account string, at Position) (o *apiv1.Override, path string) {
	list := &d.Post.TargetOverrides
	i := slices.IndexFunc(*list, func(o apiv1.Override) bool { return o.SocialAccountID == account })
	if i < 0 {
		i = len(*list)
		*list = append(*list, apiv1.Override{SocialAccountID: account})
		d.mark(fmt.Sprintf("target_overrides[%d]", i), at)
	}
	return &(*list)[i], fmt.Sprintf("target_overrides[%d].", i)
}

// overrides reads a text, or several fields, for each account.
func (d *decoder) overrides(e entry) {
	for _, account := range d.mapping(e) {
		o, path := d.override(account.name, account.at)
		if account.kind != isObject {
			o.Content = new(d.block(account))
			continue
		}
		before := len(d.problems)
		for _, k := range account.entries {
			d.overrideKey(o, path, k, nil)
		}
		own := *o
		if own.Options = nil; fields.IsEmpty(own) && len(d.problems) == before {
			d.problem(account.value.at, "the override for %s is empty; its keys are %s", clip(account.name), overrideKeys)
		}
	}
}

// overrideList reads the overrides of a JSON line.
func (d *decoder) overrideList(e entry) {
	const example = `{"to":"mastodon:me","content":"Hello"}`
	if e.kind != isList && e.kind != isNull {
		d.problem(e.value.at, "%q is a list of objects such as %s", e.name, example)
	}
	for _, item := range e.items {
		entries, _ := d.object(entry{e.name, item.at, item}, example)
		to := ""
		for _, k := range entries {
			if k.name == "to" {
				to = d.text(k)
			}
		}
		if i := len(d.Post.TargetOverrides); slices.ContainsFunc(d.Post.TargetOverrides[:i], func(o apiv1.Override) bool { return o.SocialAccountID == to }) {
			d.problem(item.at, "the account %q has several overrides; keep one", clip(to))
			continue
		}
		o, path := d.override(to, item.at)
		var own listed
		for _, k := range entries {
			d.overrideKey(o, path, k, &own)
		}
		media := []apiv1.PostMedia{}
		if o.Media != nil {
			media = *o.Media
		}
		d.setAlts(media, own, "the override for "+clip(to))
		o.Poll = d.listedPoll(own)
	}
}

// overrideKey reads a key of an override. of is nil for a post file.
func (d *decoder) overrideKey(o *apiv1.Override, path string, k entry, of *listed) {
	d.mark(path+k.name, k.value.at)
	switch {
	case k.name == "content":
		o.Content = optional(d.block(k))
	case k.name == "media":
		list := append([]apiv1.PostMedia{}, d.media(path+"media", k)...)
		if k.kind != isNull {
			o.Media = &list
		}
	case k.name == "thread":
		if list := []apiv1.Part(nil); k.kind != isNull {
			if list = d.parts(path+"thread", k); list != nil {
				o.Thread = &list
			}
		}
	case k.name == "poll":
		o.Poll = d.overridePoll(path+"poll", k, of)
	case d.settingOf(o, k):
	case of == nil:
		d.unknown(k, "an override", overrideKeys)
	case k.name == "to":
	case k.name == "alt":
		of.alt, of.altAt = d.list(path+"alt", k), k.value.at
	case k.name == "poll_for" || k.name == "poll_multiple" || k.name == "poll_hide_totals":
		d.pollSetting(of, k)
	case k.name == "options":
		o.Options = d.accountOptions(k)
	default:
		d.unknown(k, "an override", rowKeys)
	}
}

// overridePoll reads the poll of an account, or that it gets none.
func (d *decoder) overridePoll(path string, k entry, of *listed) *apiv1.Poll {
	switch {
	case of == nil && k.kind == isText && k.text == noPoll:
		d.mark(path, k.at)
		return &apiv1.Poll{Options: []string{}}
	case of == nil && k.kind < isList && k.kind != isNull:
		d.problem(k.value.at, "%q must be none, or keys and values such as %s", k.name, pollExample)
		return nil
	}
	p := d.poll(path, k, of)
	if of == nil && p != nil && len(p.Options) == 0 {
		d.problem(k.value.at, "%q has no options; write poll: %s for no poll", k.name, noPoll)
		return nil
	}
	return p
}

// options reads the options of accounts.
func (d *decoder) options(e entry) {
	for _, account := range d.mapping(e) {
		o, _ := d.override(account.name, account.at)
		o.Options = d.accountOptions(account)
	}
}

func (d *decoder) accountOptions(e entry) map[string]any {
	options := map[string]any{}
	if e.kind != isObject {
		d.problem(e.value.at, "%s", notMapping)
	}
	for _, o := range e.entries {
		options[o.name] = d.option(o)
	}
	return options
}
