package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page/worddiff"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// PostView is what the page of one post shows.
type PostView struct {
	Post         *schedctl.Post   // of a series, its template
	Series       *schedctl.Series // nil for a post
	Publications []usecase.Publication
	Assets       []schedctl.MediaAsset

	// FileURL returns the address of a file for an hour: of the one that a platform gets, or
	// of the original if the platform is empty.
	FileURL func(a *schedctl.MediaAsset, platform string) string

	// CanDecide and CanComment say which forms the page has.
	CanDecide, CanComment bool

	// Form is the token of the forms, and Nonce is new on each page.
	Form, Nonce string

	// Whole means that the page may be longer than 60 KB, and shows everything.
	Whole bool

	// Notice says why a form was refused; empty for none. Typed is the text that was in the
	// form with the action Action.
	Notice, Action, Typed string
}

// The values of the field "action" of the forms.
const (
	ActionApprove = "approve"
	ActionChanges = "changes"
	ActionComment = "comment"
)

// group are accounts that publish the same.
type group struct {
	Accounts []account
	Lang     string
	Facts    []fact
	Poll     *poll
	Card     *card
	Parts    []part
}

type account struct{ Name, Length, Status, URL string }

// fact is a name and a value, which may start with a time.
type fact struct {
	Name, Value string
	When        dated
}

type poll struct {
	Options []string
	About   string
}

type card struct {
	URL, Title, Description string
	Image                   *file
}

type part struct {
	Title string // empty for the post itself
	Text  string
	Lang  string
	Files []file
}

type file struct {
	Kind    string // such as "picture"
	Name    string
	URL     string // empty if the file is missing
	For     string // the platform that gets it converted so; empty for the original
	Picture bool
	Alt     string // empty for none
	Missing string // why there is no file; empty if there is one
}

type note struct {
	By   string
	When dated
	Text string
}

// budgets are those of the parts of a page, in the order in which they are spent.
type budgets struct{ facts, changes, groups, notes *budget }

func (v *PostView) budgets(words calendarWords) budgets {
	if v.Whole {
		return budgets{}
	}
	return budgets{
		&budget{left: factsBytes, words: words}, &budget{left: changesBytes, words: words},
		&budget{left: groupsBytes - escaped(v.Typed), words: words}, &budget{left: notesBytes, words: words},
	}
}

// postPage is what the template of the page of a post shows.
type postPage struct {
	top
	*PostView
	Back     string
	When     dated
	Status   string
	Labels   string
	Facts    []fact
	Changed  string // the names of what has changed since the last decision
	Changes  []change
	Variants []string // the texts of a series that take turns
	Groups   []group
	Notes    []note
	Earlier  string // how many comments are not shown; empty for none
	Short    bool   // the page does not show everything
	Hidden   bool   // it does not show everything that is published
	Approve  dated  // the text of the button; none if the post has no time
	Version  int64
}

// Post returns the page of one post or of one series.
func Post(f *Frame, v *PostView) ([]byte, error) {
	p, words := v.Post, f.clock().words
	data := postPage{PostView: v, Back: "../" + f.Token, Status: status(p, v.Series), Changed: changed(p), Version: p.Version}
	facts, name := f.history(p), title(p, maxTitle)
	if one := v.Series; one != nil {
		data.Version, data.When.Before, data.Approve.Before = one.Version, f.repeats(one), "Approve all posts of the series"
		facts, name = append(f.plan(one), facts...), firstLine(one.Name, maxTitle)
	} else {
		data.When, data.Approve = f.when(p), f.approval(p)
	}
	data.top = f.top(name, "../style.css")
	room := v.budgets(words)
	data.Labels, data.Facts = room.facts.text(strings.Join(p.Labels, ", "), 1), room.facts.facts(facts)
	room.changes.add(room.facts)
	data.Changes = v.changes(room.changes, new(worddiff.MaxCells))
	room.groups.add(room.changes)
	data.Variants, data.Groups = room.groups.variants(v.Series), room.groups.groups(v.groups(words))
	room.notes.add(room.groups)
	for _, n := range p.Notes {
		data.Notes = append(data.Notes, note{n.By.String(), f.date("", n.CreatedAt, ""), n.Text})
	}
	var earlier int
	if data.Notes, earlier = room.notes.notes(data.Notes); earlier > 0 {
		data.Earlier = words.number(earlier)
	}
	if !v.Whole {
		data.Hidden = room.groups.cut
		data.Short = data.Hidden || room.facts.cut || room.changes.cut || room.notes.cut
	}
	return render("post.html", data)
}

// approval returns the text of the button that approves a post; none if it cannot be approved,
// because it has no time.
func (f *Frame) approval(p *schedctl.Post) dated {
	switch {
	case p.Proposed.NextSlot:
		return dated{Before: "Approve for the next free slot"}
	case !p.Proposed.At.IsZero():
		return f.date("Approve for ", p.Proposed.At, "")
	case p.Status() == schedctl.Failed:
		return dated{Before: "Approve"}
	}
	return dated{}
}

// history returns who has asked for an approval of a post, and who has decided.
func (f *Frame) history(p *schedctl.Post) (facts []fact) {
	a := p.Approval
	if a == nil {
		return nil
	}
	facts = append(facts, fact{Name: "Asked for by", When: f.date(a.RequestedBy.String()+", ", a.RequestedAt, "")})
	if a.DecidedBy != (schedctl.KeyRef{}) {
		facts = append(facts, fact{Name: "Decided by", When: f.date(a.DecidedBy.String()+", ", a.DecidedAt, "")})
	}
	if a.Note != "" {
		facts = append(facts, fact{Name: "Remark", Value: a.Note})
	}
	if c := p.ChangesRequested(); c != nil && a.State != schedctl.ApprovalChangesRequested {
		facts = append(facts, fact{Name: "Before", When: f.date(c.By.String()+" asked for changes on ", c.At, ": "), Value: c.Reason})
	}
	return facts
}

// groups returns what the accounts publish. Accounts that publish the same are one group.
func (v *PostView) groups(words calendarWords) (list []group) {
	byContent := map[string]int{}
	for i := range v.Publications {
		pub := &v.Publications[i]
		var parts []any
		for j := range pub.Parts {
			part := &pub.Parts[j]
			parts = append(parts, part.TargetPart)
			if slices.Contains(part.Converted, true) {
				parts = append(parts, pub.Target.Platform)
			}
		}
		key, err := json.Marshal([]any{parts, pub.Extras, pub.Target.Options})
		at, known := byContent[string(key)]
		if !known || err != nil {
			at = len(list)
			byContent[string(key)] = at
			list = append(list, v.group(pub))
		}
		list[at].Accounts = append(list[at].Accounts, accountOf(pub, words))
	}
	return list
}

// accountOf returns an account with the lengths of its texts.
func accountOf(pub *usecase.Publication, words calendarWords) account {
	a := account{Name: fullName(pub), URL: pub.Target.PlatformPostURL}
	if pub.Target.Status != schedctl.Draft { // before its approval, that is no news
		a.Status = string(pub.Target.Status)
	}
	lengths := make([]string, len(pub.Parts))
	for i := range pub.Parts {
		lengths[i] = length(&pub.Parts[i].Check, words)
	}
	a.Length = strings.Join(slices.DeleteFunc(lengths, func(s string) bool { return s == "" }), "; ")
	return a
}

// fullName names the account of a publication with its network and its name there.
func fullName(pub *usecase.Publication) string {
	name := pub.Target.Platform + " (removed account)"
	if pub.Account.Name != "" {
		name = pub.Account.Platform + " " + pub.Account.Name
	}
	if u := pub.Account.Username; u != "" && u != pub.Account.Name {
		name += " (" + u + ")"
	}
	return name
}

// length says how long a text is, and whether the network would refuse it.
func length(c *publish.Check, words calendarWords) string {
	text := ""
	switch {
	case c.Limit > 0:
		text = words.number(c.Length) + " of " + words.count(c.Limit, strings.TrimSuffix(c.Unit, "s"))
	case c.Length > 0:
		text = words.count(c.Length, strings.TrimSuffix(c.Unit, "s"))
	}
	if len(c.Problems) > 0 {
		text = strings.TrimPrefix(text+", the network would refuse it", ", ")
	}
	return text
}

// group returns what an account publishes, without the account.
func (v *PostView) group(pub *usecase.Publication) group {
	x := &pub.Extras
	g := group{Lang: x.Language}
	g.Facts = append(g.Facts, facts(x.Presentation)...)
	for _, name := range slices.Sorted(maps.Keys(pub.Target.Options)) {
		g.Facts = append(g.Facts, fact{Name: "Option " + name, Value: fmt.Sprint(pub.Target.Options[name])})
	}
	if p := x.Poll; p != nil {
		g.Poll = &poll{slices.Clone(p.Options), "ends " + p.ExpiresIn.String() + " after it is published"}
		if p.Multiple {
			g.Poll.About += "; people can choose more than one"
		}
		if p.HideTotals {
			g.Poll.About += "; the votes are hidden until it ends"
		}
	}
	switch l := &x.Preview; l.Mode {
	case schedctl.PreviewCard:
		g.Card = &card{URL: l.URL, Title: l.Title, Description: l.Description}
		if l.Image.AssetID != "" {
			picture := v.file(&l.Image, "")
			g.Card.Image = &picture
		}
	case schedctl.PreviewNone:
		g.Facts = append(g.Facts, fact{Name: "Link card", Value: "none"})
	}
	for i := range pub.Parts {
		g.Parts = append(g.Parts, v.part(pub, i, g.Lang))
	}
	return g
}

// visibility returns a visibility in words.
// facts returns what a presentation sets.
func facts(p schedctl.Presentation) (list []fact) {
	for _, f := range p.Fields() {
		name, text := f.Label, *f.Text
		if f.Text == &p.Visibility {
			name, text = "Visible to", visibility(text)
		}
		if text != "" {
			list = append(list, fact{Name: name, Value: text})
		}
	}
	return list
}

func visibility(name string) string {
	switch name {
	case schedctl.VisibilityPublic:
		return "everyone"
	case schedctl.VisibilityUnlisted:
		return "everyone, but not in public lists"
	case schedctl.VisibilityFollowers:
		return "followers"
	case schedctl.VisibilityDirect:
		return "only people that the post mentions"
	}
	return name
}

func (v *PostView) part(pub *usecase.Publication, i int, lang string) part {
	p := &pub.Parts[i]
	out := part{Text: p.Content, Lang: lang}
	switch {
	case p.Kind == schedctl.PartComment:
		out.Title = "First comment"
	case p.Kind == schedctl.PartReply:
		out.Title = fmt.Sprintf("Part %d of the thread", p.Index+1)
	}
	for i := range p.Media {
		platform := ""
		if p.Converted[i] {
			platform = pub.Target.Platform
		}
		out.Files = append(out.Files, v.file(&p.Media[i], platform))
	}
	return out
}

// file returns a file of a post, converted for a platform unless that is empty. A file whose
// bytes are not those of the post has no address.
func (v *PostView) file(m *schedctl.PostMedia, platform string) file {
	i := slices.IndexFunc(v.Assets, func(a schedctl.MediaAsset) bool { return a.ID == m.AssetID })
	if i < 0 || v.Assets[i].Status != schedctl.MediaReady || !m.Matches(&v.Assets[i]) {
		return file{Kind: "File", Alt: m.AltText, Missing: "this file is not available"}
	}
	a := &v.Assets[i]
	kind, _, _ := strings.Cut(a.MIMEType, "/")
	f := file{Kind: "File", Name: a.FileName, URL: v.FileURL(a, platform), For: platform, Alt: m.AltText}
	switch kind {
	case "image":
		f.Kind, f.Picture = "Picture", a.MIMEType != "image/svg+xml"
	case "video":
		f.Kind = "Video"
	case "audio":
		f.Kind = "Audio"
	}
	return f
}
