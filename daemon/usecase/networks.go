package usecase

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
)

// accountContent is one part of what a post sends to one account, with the options.
type accountContent struct {
	account *schedctl.Account
	part    schedctl.TargetPart
	extras  publish.Extras

	// The override of the account, or an empty one, and its path in the request.
	override *schedctl.Override
	path     string
}

// contentsFor returns the parts that an account gets of a post with these overrides.
func contentsFor(a *schedctl.Account, p *schedctl.Post, overrides []schedctl.Override) []accountContent {
	override, path := &schedctl.Override{}, ""
	if i := slices.IndexFunc(overrides, func(o schedctl.Override) bool { return o.AccountID == a.ID }); i >= 0 {
		override, path = &overrides[i], overridePath(i)
	}
	t := override.Target()
	contents := make([]accountContent, p.PartCount(&t))
	for i := range contents {
		c := accountContent{account: a, part: p.PartFor(&t, i), override: override, path: path}
		c.extras.Presentation = p.PresentationFor(&t)
		if i == 0 {
			c.extras.Poll, c.extras.Preview = p.PollFor(&t), p.LinkPreview
		}
		contents[i] = c
	}
	return contents
}

// checkContent returns an error that names every account whose network would not
// accept the post. After maxFaults it names only the first fault of each account, and
// counts the others. A draft may be too long for a network. It is rejected only for
// invalid options in its overrides. accounts are those of the post's targets.
// overrides are those of the request: errors name them by their index. checkContent
// contacts no network.
func (d *Decision) checkContent(ctx context.Context, p *schedctl.Post, accounts []schedctl.Account, overrides []schedctl.Override) error {
	unknown := d.service.unknownOptions(accounts, overrides)
	if err := unknown.Err(); err != nil {
		return err
	}
	var found Faults
	draft := p.Status() == schedctl.Draft
	for i := range accounts {
		contents := contentsFor(&accounts[i], p, overrides)
		if draft {
			contents = contents[:1] // only options matter, and they apply to all parts
		}
		if draft && len(contents[0].override.Options) == 0 {
			continue
		}
		named, seen := false, []schedctl.FieldError{}
		for _, part := range contents {
			_, faults, err := d.measure(ctx, part)
			if err != nil {
				return err
			}
			for _, f := range faults {
				if slices.Contains(seen, f) {
					continue
				}
				seen = append(seen, f)
				if draft && !part.sets(f.Field) || named && !found.Count() {
					continue
				}
				found.Add(f)
				named = true
			}
		}
	}
	return found.Err()
}

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
	a := *c.account
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
	if slices.ContainsFunc(e.Presentation.Fields(), func(f schedctl.PresentationField) bool { return len(*f.Text) > bytes*f.Max }) {
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

// unknownOptions returns a fault for every option of an override that the account's
// platform does not allow for a single post. Package schedctl checks overrides of
// unknown accounts.
func (s *Service) unknownOptions(accounts []schedctl.Account, overrides []schedctl.Override) (found Faults) {
	for i, o := range overrides {
		if len(o.Options) == 0 {
			continue
		}
		at := slices.IndexFunc(accounts, func(a schedctl.Account) bool { return a.ID == o.AccountID })
		if at < 0 {
			continue
		}
		platform := accounts[at].Platform
		known := s.postOptions(platform)
		for _, name := range slices.Sorted(maps.Keys(o.Options)) {
			isKnown := slices.Contains(known, name)
			if isKnown && o.Options[name] != nil || !found.Count() {
				continue
			}
			shown := Clip(name, maxName)
			field := Join(overridePath(i), Join("options", shown))
			if isKnown {
				found.Add(Invalid(field, "%s is null; leave it out for that of the account", shown))
			} else {
				found.Add(Invalid(field, "%s has no option %q for a single post; %s", platform, shown, Suggestion(shown, known)))
			}
		}
	}
	return found
}

// postOptions returns the names of the options that a post may override.
func (s *Service) postOptions(platform string) (names []string) {
	if p, ok := s.Publishers[platform]; ok {
		for _, f := range p.Fields() {
			if f.Option && f.Post {
				names = append(names, f.Name)
			}
		}
	}
	return names
}
