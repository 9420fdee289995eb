package usecase

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
)

// maxEffort limits what is measured for the parts after the first one, and for the
// variants of a series after the first one, in code points of texts and bytes of options.
// All accounts with equal settings count once. The limit is what twice as many accounts as
// a post can have need for its first part.
const maxEffort = 2 * schedctl.MaxAccounts * schedctl.MaxContent

// mergedOptions are the options of an account with those of an override, also as JSON.
// The parts of an account share them.
type mergedOptions struct {
	account  string
	override *schedctl.Override
	options  schedctl.Options
	text     string
}

// checkKey holds all inputs of [publish.Publisher.Check].
type checkKey struct {
	platform string
	limits   schedctl.Limits
	options  string // as JSON
	kind     schedctl.PartKind
	content  string
	media    string // as JSON
	extras   string // as JSON
}

// measure returns the check result for the content of an account, and its problems as
// faults of a request. It returns the error of a ctx that ended.
func (d *Decision) measure(ctx context.Context, c accountContent) (publish.Check, []schedctl.FieldError, error) {
	if c.part.Index == 0 {
		d.merged = mergedOptions{} // the account may have changed since the last check
	}
	p, ok := d.service.Publishers[c.account.Platform]
	text := c.part.Content
	if !ok {
		return publish.Measured(utf8.RuneCountInString(text), 0, "characters"), nil, nil
	}
	a := c.account
	if d.tooLong(text) {
		check := publish.Measured(d.lengths[text], a.Limits.MaxCharacters, a.Limits.Unit)
		return check, c.faults(check), nil
	}
	options, err := d.optionsFor(&c)
	if err != nil {
		return publish.Check{}, nil, err
	}
	a.Options, a.Credentials = d.merged.options, nil
	if !measurable(&c.extras) {
		c.extras = publish.Extras{}
	}
	files, shown, err := d.describe(c.part.Media)
	if err != nil {
		return publish.Check{}, nil, err
	}
	extras, err := c.extrasKey()
	if err != nil {
		return publish.Check{}, nil, err
	}
	key := checkKey{a.Platform, a.Limits, options, c.part.Kind, text, shown, extras}
	check, known := d.measured[key]
	if !known {
		if d.tx != nil {
			return publish.Check{}, nil, errUnmeasured
		}
		if err := ctx.Err(); err != nil {
			return publish.Check{}, nil, err
		}
		content := publish.Content{Text: text, Media: files, Kind: c.part.Kind, Extras: c.extras}
		further := c.part.Index > 0 || d.further
		if further {
			d.effort += d.lengths[text] + len(options) + len(shown) + len(extras)
		}
		if further && d.effort > maxEffort {
			check = publish.Measured(d.lengths[text], a.Limits.MaxCharacters, a.Limits.Unit)
			check.Problems = []*publish.Error{publish.Contentf("thread", "the texts are too long for so many accounts with different settings; shorten them, or make a post for some of the accounts")}
		} else {
			check = p.Check(a, content)
			publish.CheckMedia(&check, p, a, files, fixable)
			publish.CheckExtras(&check, p, a, content)
		}
		d.measured[key] = check
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, c.faults(check), nil
}

// optionsFor sets d.merged to the options for an account, and returns them as JSON.
func (d *Decision) optionsFor(c *accountContent) (string, error) {
	if d.merged.account == c.account.ID && d.merged.override == c.override {
		return d.merged.text, nil
	}
	options := c.account.OptionsFor(c.override.Options)
	text, err := json.Marshal(options)
	d.merged = mergedOptions{account: c.account.ID, override: c.override, options: options, text: string(text)}
	return d.merged.text, err
}

// measurable reports whether extras are no longer than those of any post. Longer ones are
// not given to publishers: the rules of posts refuse them.
func measurable(e *publish.Extras) bool {
	const bytes = utf8.UTFMax // of a code point
	if len(e.ContentWarning) > bytes*schedctl.MaxContentWarning || len(e.Visibility) > maxName || len(e.Language) > maxName {
		return false
	}
	l := &e.Preview
	if len(l.URL) > schedctl.MaxCardURL || len(l.Title) > bytes*schedctl.MaxCardTitle || len(l.Description) > bytes*schedctl.MaxCardDescription {
		return false
	}
	if e.Poll == nil {
		return true
	}
	tooLong := func(option string) bool { return len(option) > bytes*schedctl.MaxPollOption }
	return len(e.Poll.Options) <= schedctl.MaxPollOptions && !slices.ContainsFunc(e.Poll.Options, tooLong)
}

// checkParts returns the faults of all parts of an account, each once.
func (d *Decision) checkParts(ctx context.Context, contents []accountContent) (faults []schedctl.FieldError, err error) {
	for _, c := range contents {
		_, found, err := d.measure(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if !slices.Contains(faults, f) {
				faults = append(faults, f)
			}
		}
	}
	return faults, nil
}

// describe returns the descriptions of media for publishers, also as JSON. Unknown
// assets are left out: they are a problem of the request.
func (d *Decision) describe(list []schedctl.PostMedia) (files []publish.Media, shown string, err error) {
	for i := range list {
		if a := d.asset(list[i].AssetID); a != nil {
			files = append(files, media.Describe(a, &list[i]))
		}
	}
	if len(files) == 0 {
		return nil, "", nil
	}
	text, err := json.Marshal(files)
	return files, string(text), err
}

// fixable reports whether the daemon can make a file fit.
func fixable(m publish.Media, l publish.ClassRules) bool {
	_, err := media.Plan(m, l)
	return err == nil
}

// tooLong reports whether a text is longer than that of any post. Such a one is
// not measured by the rules of networks: its length is in code points, whatever
// they count.
func (d *Decision) tooLong(content string) bool {
	n, known := d.lengths[content]
	if !known {
		n = utf8.RuneCountInString(content)
		d.lengths[content] = n
	}
	return n > schedctl.MaxContent
}
