package fields

import (
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// copied are the fields that Copy copies: the content of a post, its accounts and its
// labels, by their names in the structs of apiv1.
var copied = append([]string{
	"Content", "Media", "Thread", "FirstComment", "Poll", "LinkPreview", "SocialAccountIDs", "TargetOverrides", "Labels",
}, textFields()...)

func textFields() (names []string) {
	for _, t := range Texts {
		names = append(names, t.field)
	}
	return names
}

// Copy copies content, accounts and labels between structs of apiv1: to is a pointer to one
// of a post, a series, an override, or a request that makes or changes one, and from is
// such a struct. Fields that one of them lacks are left out, and fields of from that are nil
// leave those of to as they are.
func Copy(to, from any) {
	dst, src := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for _, name := range copied {
		d, s := dst.FieldByName(name), src.FieldByName(name)
		switch {
		case !d.IsValid() || !s.IsValid(), s.Kind() == reflect.Pointer && s.IsNil(), s.Kind() == reflect.Slice && s.IsNil():
		case d.Type() == s.Type():
			d.Set(s)
		case s.Kind() == reflect.Pointer:
			d.Set(s.Elem())
		default:
			d.Set(reflect.New(s.Type()))
			d.Elem().Set(s)
		}
	}
}

// Request returns a request for a post like p, with its accounts and labels. A file without
// an alt text gets none in the request, either: it does not get that of its asset.
func Request(p apiv1.Post) (create apiv1.CreatePost) {
	Copy(&create, p)
	create.Media, create.Thread = withAlts(p.Media), partsWithAlts(p.Thread)
	if c := p.FirstComment; c != nil {
		create.FirstComment = &apiv1.Part{Content: c.Content, Media: withAlts(c.Media)}
	}
	create.TargetOverrides = slices.Clone(p.TargetOverrides)
	for i := range create.TargetOverrides {
		o := &create.TargetOverrides[i]
		if o.Media != nil {
			o.Media = new(withAlts(*o.Media))
		}
		if o.Thread != nil {
			o.Thread = new(append([]apiv1.Part{}, partsWithAlts(*o.Thread)...))
		}
	}
	if p.LinkPreview.Card == nil && p.LinkPreview.Mode != apiv1.PreviewNone {
		create.LinkPreview = nil
	}
	return create
}

func partsWithAlts(parts []apiv1.Part) (list []apiv1.Part) {
	for _, part := range parts {
		list = append(list, apiv1.Part{Content: part.Content, Media: withAlts(part.Media)})
	}
	return list
}

// withAlts returns files with an empty alt text where they have none.
func withAlts(media []apiv1.PostMedia) []apiv1.PostMedia {
	list := slices.Clone(media)
	for i := range list {
		list[i].AltText = new(deref(list[i].AltText))
	}
	return list
}

// Apply makes a change of a post in a request for the post.
func Apply(edit apiv1.EditPost, to *apiv1.CreatePost) {
	Copy(to, edit)
	if c := to.FirstComment; c != nil && c.Content == "" && len(c.Media) == 0 {
		to.FirstComment = nil
	}
	if to.Poll != nil && len(to.Poll.Options) == 0 {
		to.Poll = nil
	}
	for _, t := range Texts {
		if value := t.Of(to); t.Get(to) == "" {
			*value = nil
		}
	}
}

// OfSeries returns a post with the content of a series.
func OfSeries(s apiv1.Series) (p apiv1.Post) {
	Copy(&p, s)
	return p
}

// OfAccount returns a post with the content that an account gets instead of that of its
// post.
func OfAccount(o apiv1.Override) (p apiv1.Post) {
	Copy(&p, o)
	return p
}

// MapTexts returns a request with other texts: those of the post, its parts, its first
// comment and its overrides. The request itself does not change.
func MapTexts(p apiv1.CreatePost, change func(string) string) apiv1.CreatePost {
	parts := func(list []apiv1.Part) []apiv1.Part {
		list = slices.Clone(list)
		for i := range list {
			list[i].Content = change(list[i].Content)
		}
		return list
	}
	p.Content, p.Thread = change(p.Content), parts(p.Thread)
	if p.FirstComment != nil {
		p.FirstComment = &parts([]apiv1.Part{*p.FirstComment})[0]
	}
	p.TargetOverrides = slices.Clone(p.TargetOverrides)
	for i := range p.TargetOverrides {
		o := &p.TargetOverrides[i]
		if o.Content != nil {
			o.Content = new(change(*o.Content))
		}
		if o.Thread != nil {
			o.Thread = new(parts(*o.Thread))
		}
	}
	return p
}

// Tidy returns a request with its texts as the daemon stores them, see
// [schedctl.TidyText].
func Tidy(p apiv1.CreatePost) apiv1.CreatePost { return MapTexts(p, schedctl.TidyText) }

// TidyTexts returns the texts of a list as [Tidy] does.
func TidyTexts(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = schedctl.TidyText(texts[i])
	}
	return texts
}
