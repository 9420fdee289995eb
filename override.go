package schedctl

import (
	"fmt"
	"maps"
)

// Override is what one account of a post publishes instead of what the post says.
type Override struct {
	AccountID string
	Partial
}

// Overrides returns the overrides of the post's targets, in their order.
func (p *Post) Overrides() []Override {
	list := []Override{}
	for i := range p.Targets {
		if t := &p.Targets[i]; !t.Partial.empty() {
			list = append(list, Override{t.AccountID, t.Partial})
		}
	}
	return list
}

// Target returns a new target with the override, without an id.
func (o *Override) Target() Target {
	return Target{AccountID: o.AccountID, Status: Draft, Partial: o.Partial.clone()}
}

// ContentFor returns the content of a target.
func (p *Post) ContentFor(t *Target) string {
	if t.Text != "" {
		return t.Text
	}
	return p.Text
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
		t.Partial = Partial{}
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
		t.Partial = o.Partial.clone()
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
	return a.Partial.equal(&b.Partial)
}
