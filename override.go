package schedctl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Override is a content, media and options for one account of a post.
type Override struct {
	AccountID string
	Content   string      // empty for the content of the post
	Options   Options     // replace options of the account for this post
	Media     []PostMedia // nil for the media of the post; empty for none
}

// Overrides returns the overrides of the post's targets, in their order.
func (p *Post) Overrides() []Override {
	list := []Override{}
	for i := range p.Targets {
		if t := &p.Targets[i]; t.Content != "" || len(t.Options) > 0 || t.Media != nil {
			list = append(list, Override{AccountID: t.AccountID, Content: t.Content, Options: t.Options, Media: t.Media})
		}
	}
	return list
}

// ContentFor returns the content of a target.
func (p *Post) ContentFor(t *Target) string {
	if t.Content != "" {
		return t.Content
	}
	return p.Content
}

// OptionsFor returns the options for a publication to the account: its own, replaced by
// those of the override.
func (a *Account) OptionsFor(override Options) Options {
	if len(override) == 0 {
		return a.Options
	}
	merged := make(Options, len(a.Options)+len(override))
	maps.Copy(merged, a.Options)
	maps.Copy(merged, override)
	return merged
}

// override replaces the overrides of all targets. Errors: [ValidationFailed] if an account
// is repeated or is not an account of the post, and the errors of [CheckContent].
func (p *Post) override(list []Override) error {
	targets := make(map[string]*Target, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		t.Content, t.Options, t.Media = "", nil, nil
		targets[t.AccountID] = t
	}
	for i, o := range list {
		field := fmt.Sprintf("target_overrides[%d]", i)
		t, found := targets[o.AccountID]
		switch {
		case !found:
			return Errorf(ValidationFailed, field+".social_account_id",
				"%s is not one of the post's accounts, or has an override already; name each of social_account_ids at most once", o.AccountID)
		case o.Content != "":
			if err := checkContent(field+".content", o.Content); err != nil {
				return err
			}
		}
		delete(targets, o.AccountID)
		if err := checkMedia(field+".media", o.Media); err != nil {
			return err
		}
		t.Content, t.Options, t.Media = o.Content, maps.Clone(o.Options), slices.Clone(o.Media)
		if p.ContentFor(t) == "" && len(p.MediaFor(t)) == 0 {
			return Errorf(ValidationFailed, field+".media", "the post has no text and no media for %s; give it one of them", o.AccountID)
		}
	}
	return nil
}

func sameOverride(a, b Target) bool {
	return a.Content == b.Content && (a.Media == nil) == (b.Media == nil) && slices.Equal(a.Media, b.Media) && (len(a.Options) == 0 && len(b.Options) == 0 || reflect.DeepEqual(a.Options, b.Options))
}
