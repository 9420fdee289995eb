package schedctl

import (
	"fmt"
	"maps"
	"reflect"
)

// Override is what one account of a post gets instead of what all get.
type Override struct {
	AccountID string
	Content   string  // empty for the post's own
	Options   Options // over those of the account, for this post
}

// Overrides returns the overrides of the post's targets, in their order.
func (p *Post) Overrides() []Override {
	list := []Override{}
	for i := range p.Targets {
		if t := &p.Targets[i]; t.Content != "" || len(t.Options) > 0 {
			list = append(list, Override{AccountID: t.AccountID, Content: t.Content, Options: t.Options})
		}
	}
	return list
}

// ContentFor returns the text that goes to a target.
func (p *Post) ContentFor(t *Target) string {
	if t.Content != "" {
		return t.Content
	}
	return p.Content
}

// OptionsFor returns the options that a publication to the account has: its
// own, with those of the override in their place.
func (a *Account) OptionsFor(override Options) Options {
	if len(override) == 0 {
		return a.Options
	}
	merged := make(Options, len(a.Options)+len(override))
	maps.Copy(merged, a.Options)
	maps.Copy(merged, override)
	return merged
}

// override replaces the overrides of all targets. Errors: [ValidationFailed]
// for an account that the post does not go to or that is named twice, and those
// of [CheckContent].
func (p *Post) override(list []Override) error {
	targets := make(map[string]*Target, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		t.Content, t.Options = "", nil
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
		t.Content, t.Options = o.Content, maps.Clone(o.Options)
	}
	return nil
}

func sameOverride(a, b Target) bool {
	return a.Content == b.Content && (len(a.Options) == 0 && len(b.Options) == 0 || reflect.DeepEqual(a.Options, b.Options))
}
