package schedctl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Override is what one account of a post publishes instead of what the post says.
type Override struct {
	AccountID    string
	Content      string      // empty for the content of the post
	Options      Options     // replace options of the account for this post
	Media        []PostMedia // nil for the media of the post; empty for none
	Thread       []Part      // nil for the thread of the post; empty for none
	Poll         *Poll       // nil for the poll of the post; without options for none
	Presentation             // empty fields for those of the post
}

func (o *Override) empty() bool {
	return o.Content == "" && len(o.Options) == 0 && o.Media == nil && o.Thread == nil && o.Poll == nil && o.Presentation == Presentation{}
}

func (o *Override) equal(other *Override) bool {
	return o.Content == other.Content && o.Presentation == other.Presentation && samePoll(o.Poll, other.Poll) &&
		(o.Media == nil) == (other.Media == nil) && slices.Equal(o.Media, other.Media) &&
		(o.Thread == nil) == (other.Thread == nil) && slices.EqualFunc(o.Thread, other.Thread, Part.equal) &&
		(len(o.Options) == 0 && len(other.Options) == 0 || reflect.DeepEqual(o.Options, other.Options))
}

// check checks the fields of an override. The prefix is that of the fields.
func (o *Override) check(prefix string) error {
	if o.Content != "" {
		if err := checkContent(prefix+"content", o.Content); err != nil {
			return err
		}
	}
	if err := checkMedia(prefix+"media", o.Media); err != nil {
		return err
	}
	if err := checkThread(prefix+"thread", o.Thread); err != nil {
		return err
	}
	if o.Poll != nil && len(o.Poll.Options) > 0 {
		if err := o.Poll.check(prefix + "poll"); err != nil {
			return err
		}
	}
	return o.Presentation.check(prefix)
}

// Overrides returns the overrides of the post's targets, in their order.
func (p *Post) Overrides() []Override {
	list := []Override{}
	for i := range p.Targets {
		if o := p.Targets[i].override(); !o.empty() {
			list = append(list, o)
		}
	}
	return list
}

// override returns the override of the target. It shares the target's lists.
func (t *Target) override() Override {
	return Override{
		AccountID: t.AccountID, Content: t.Content, Options: t.Options, Media: t.Media,
		Thread: t.Thread, Poll: t.Poll, Presentation: t.Presentation,
	}
}

// Target returns a new target with the override, without an id.
func (o *Override) Target() Target {
	t := Target{AccountID: o.AccountID, Status: Draft}
	t.setOverride(*o)
	return t
}

// setOverride replaces the override of the target with a copy of o.
func (t *Target) setOverride(o Override) {
	t.Content, t.Options, t.Media = o.Content, maps.Clone(o.Options), slices.Clone(o.Media)
	t.Thread, t.Poll, t.Presentation = cloneThread(o.Thread), o.Poll.clone(), o.Presentation
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
// is repeated or is not an account of the post, or a field is invalid, and
// [ContentTooLong].
func (p *Post) override(list []Override) error {
	targets := make(map[string]*Target, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		t.setOverride(Override{})
		targets[t.AccountID] = t
	}
	for i, o := range list {
		field := fmt.Sprintf("target_overrides[%d]", i)
		t, found := targets[o.AccountID]
		if !found {
			return Errorf(ValidationFailed, field+".social_account_id",
				"%s is not one of the post's accounts, or has an override already; name each of social_account_ids at most once", o.AccountID)
		}
		delete(targets, o.AccountID)
		if err := o.check(field + "."); err != nil {
			return err
		}
		t.setOverride(o)
		if p.ContentFor(t) == "" && len(p.MediaFor(t)) == 0 {
			return Errorf(ValidationFailed, field+".media", "the post has no text and no media for %s; give it one of them", o.AccountID)
		}
	}
	return nil
}

// checkTargets returns a [ValidationFailed] error if an override without media leaves an
// account nothing to publish. The content of the post may have changed since the override
// was checked.
func (p *Post) checkTargets() error {
	for i := range p.Targets {
		if t := &p.Targets[i]; p.ContentFor(t) == "" && len(p.MediaFor(t)) == 0 {
			return Errorf(ValidationFailed, "content", "the post has no text and no media for %s; give it one of them", t.AccountID)
		}
	}
	return nil
}

func sameOverride(a, b Target) bool {
	own, other := a.override(), b.override()
	return own.equal(&other)
}
