package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Part is one further part of a thread, or the first comment.
type Part struct {
	Text  string
	Media []string // ids of assets
}

// Poll is a poll. One without options stands for no poll.
type Poll struct {
	Options              []string
	Runs                 time.Duration
	Multiple, HideTotals bool
}

// Preview is a link preview. Mode is auto, none or card. The other fields belong to a
// card; Image is the id of an asset.
type Preview struct{ Mode, URL, Title, Image string }

// Presentation says how a network shows a post. Empty fields are not set.
type Presentation struct{ Warning, Visibility, Language string }

// Extras are what a post has besides its text and media, as clients see it.
type Extras struct {
	Thread  []Part
	Comment *Part
	Poll    *Poll
	Preview Preview
	Presentation
	Overrides []Override // in the order of the targets
}

// Override is what one account publishes instead of what the post says. Fields that are
// nil or empty are those of the post.
type Override struct {
	Account string
	Text    string
	Media   *[]string
	Thread  *[]Part
	Poll    *Poll
	Presentation
}

// Changes are the fields of a request that set [Extras]. Nil fields are not given.
type Changes struct {
	Thread                        *[]Part
	Comment                       *Part // empty for null
	Poll                          *Poll // without options for null
	Preview                       *Preview
	Warning, Visibility, Language *string // empty for null
	Overrides                     *[]Override
}

// Sent is what a call publishes besides its text and media.
type Sent struct {
	Index   int    // of the part
	Kind    string // of the part
	Parent  string // the network's id of the part to which it replies; empty for the first one
	Rest    []Part // the parts after it that the same call publishes
	Poll    *Poll
	Preview Preview // of the first part
	Presentation
}

// PartState is a part of a target with its progress, as clients see it.
type PartState struct {
	Kind, Status, ID string
	PublishedAt      time.Time
	Attempts         int
	Error            Fault
}

func (p Part) text() string { return fmt.Sprintf("%q %v", clip(p.Text), p.Media) }

func partsText(list []Part) string {
	var all []string
	for _, p := range list {
		all = append(all, p.text())
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (e Extras) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t\tthread %s, preview %+v, presentation %+v", partsText(e.Thread), e.Preview, e.Presentation)
	if e.Comment != nil {
		fmt.Fprintf(&b, ", comment %s", e.Comment.text())
	}
	if e.Poll != nil {
		fmt.Fprintf(&b, ", poll %+v", *e.Poll)
	}
	for _, o := range e.Overrides {
		fmt.Fprintf(&b, "\n\t\toverride of %s", o.text())
	}
	return b.String()
}

func (o Override) text() string {
	text := fmt.Sprintf("%s: %q, %+v", o.Account, clip(o.Text), o.Presentation)
	if o.Media != nil {
		text += fmt.Sprintf(", media %v", *o.Media)
	}
	if o.Thread != nil {
		text += ", thread " + partsText(*o.Thread)
	}
	if o.Poll != nil {
		text += fmt.Sprintf(", poll %+v", *o.Poll)
	}
	return text
}

// empty reports whether the account publishes what the post says.
func (o Override) empty() bool {
	return o.Text == "" && o.Media == nil && o.Thread == nil && o.Poll == nil && o.Presentation == Presentation{}
}

func (s Sent) text() string {
	text := fmt.Sprintf("part %d as a %s of %q with %s, preview %+v, presentation %+v", s.Index, s.Kind, s.Parent, partsText(s.Rest), s.Preview, s.Presentation)
	if s.Poll != nil {
		text += fmt.Sprintf(", poll %+v", *s.Poll)
	}
	return text
}

func (s PartState) text() string {
	return fmt.Sprintf("%s %s %q, published %d, attempts %d, error %+v", s.Kind, s.Status, s.ID, max(0, s.PublishedAt.UnixMilli()), s.Attempts, s.Error)
}

// sentPart is one part of what a target publishes.
type sentPart struct {
	Part
	kind string
}

// parts returns what a target publishes, in order.
func (p *post) parts(t *target) []sentPart {
	first, thread := Part{p.Content, p.Media}, p.Thread
	if t.own.Text != "" {
		first.Text = t.own.Text
	}
	if t.own.Media != nil {
		first.Media = *t.own.Media
	}
	if t.own.Thread != nil {
		thread = *t.own.Thread
	}
	list := []sentPart{{first, "post"}}
	for _, part := range thread {
		list = append(list, sentPart{part, "reply"})
	}
	if p.Comment != nil {
		list = append(list, sentPart{*p.Comment, "comment"})
	}
	return list
}

// poll returns the poll of a target, or nil.
func (p *post) poll(t *target) *Poll {
	if t.own.Poll == nil {
		return p.Poll
	}
	if len(t.own.Poll.Options) == 0 {
		return nil
	}
	return t.own.Poll
}

// presentation returns the presentation of a target.
func (p *post) presentation(t *target) Presentation {
	shown := p.Presentation
	if own := t.own.Warning; own != "" {
		shown.Warning = own
	}
	if own := t.own.Visibility; own != "" {
		shown.Visibility = own
	}
	if own := t.own.Language; own != "" {
		shown.Language = own
	}
	return shown
}

// sent returns what a call publishes next for a target.
func (p *post) sent(a *account, t *target) (Part, Sent) {
	all, index := p.parts(t), len(t.done)
	s := Sent{Index: index, Kind: all[index].kind, Presentation: p.presentation(t)}
	if index == 0 {
		s.Poll, s.Preview = p.poll(t), p.Preview
	} else {
		s.Parent = t.done[index-1].id
	}
	if a.Whole {
		for _, part := range all[index+1:] {
			s.Rest = append(s.Rest, part.Part)
		}
	}
	return all[index].Part, s
}

// contentKey returns the same text for all targets that publish the same content.
func (p *post) contentKey(t *target) string {
	var b strings.Builder
	for _, part := range p.parts(t) {
		fmt.Fprintf(&b, "%v %q %q\n", part.kind == "comment", part.Text, part.Media)
	}
	if poll := p.poll(t); poll != nil {
		fmt.Fprintf(&b, "%q", poll.Options)
	}
	return b.String()
}

// overrides returns the overrides of the targets that have one.
func (p *post) overrides() (list []Override) {
	for _, t := range p.targets {
		if !t.own.empty() {
			o := t.own
			o.Account = t.Account
			list = append(list, o)
		}
	}
	return list
}

// uses returns the assets that a post uses, each once.
func (p *post) uses() []string {
	ids := slices.Clone(p.Media)
	add := func(list []Part) {
		for _, part := range list {
			ids = append(ids, part.Media...)
		}
	}
	add(p.Thread)
	if p.Comment != nil {
		add([]Part{*p.Comment})
	}
	if p.Preview.Image != "" {
		ids = append(ids, p.Preview.Image)
	}
	for _, t := range p.targets {
		if t.own.Media != nil {
			ids = append(ids, *t.own.Media...)
		}
		if t.own.Thread != nil {
			add(*t.own.Thread)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
