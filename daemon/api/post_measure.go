package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// contentChecks caches the check results of one request. Accounts with equal
// settings share a check, so a text is measured once for all of them. A
// contentChecks belongs to one goroutine.
type contentChecks struct {
	server  *Server
	known   map[checkKey]publish.Check
	lengths map[string]int // code points, by text
	assets  []schedctl.MediaAsset
	frozen  bool // nothing more may be measured
	further bool // the texts are those of a variant after the first one
	effort  int  // for variants and parts after the first one; see maxEffort
	merged  mergedOptions
}

// maxEffort limits what is measured for the parts after the first one, and for the
// variants of a series after the first one, in code points of texts and bytes of options. All accounts with equal settings count once. The limit is
// what twice as many accounts as a post can have need for its first part.
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

func (s *Server) newContentChecks() *contentChecks {
	return &contentChecks{server: s, known: make(map[checkKey]publish.Check), lengths: make(map[string]int)}
}

// errUnmeasured is the error of frozen checks for a text without a cached result.
var errUnmeasured = errors.New("a text was not measured before the transaction")

// check returns the check result for the content of an account, and its problems as
// faults of a request. It returns the error of a ctx that ended.
func (k *contentChecks) check(ctx context.Context, c accountContent) (publish.Check, []schedctl.FieldError, error) {
	if c.part.Index == 0 {
		k.merged = mergedOptions{} // the account may have changed since the last check
	}
	p, ok := k.server.publishers[c.account.Platform]
	text := c.part.Content
	if !ok {
		return publish.Measured(utf8.RuneCountInString(text), 0, "characters"), nil, nil
	}
	a := c.account
	if k.tooLong(text) {
		check := publish.Measured(k.lengths[text], a.Limits.MaxCharacters, a.Limits.Unit)
		return check, c.faults(check), nil
	}
	options, err := k.optionsFor(&c)
	if err != nil {
		return publish.Check{}, nil, err
	}
	a.Options, a.Credentials = k.merged.options, nil
	if !measurable(&c.extras) {
		c.extras = publish.Extras{}
	}
	files, shown, err := k.describe(c.part.Media)
	if err != nil {
		return publish.Check{}, nil, err
	}
	extras, err := c.extrasKey()
	if err != nil {
		return publish.Check{}, nil, err
	}
	key := checkKey{a.Platform, a.Limits, options, c.part.Kind, text, shown, extras}
	check, known := k.known[key]
	if !known {
		if k.frozen {
			return publish.Check{}, nil, errUnmeasured
		}
		if err := ctx.Err(); err != nil {
			return publish.Check{}, nil, err
		}
		content := publish.Content{Text: text, Media: files, Kind: c.part.Kind, Extras: c.extras}
		further := c.part.Index > 0 || k.further
		if further {
			k.effort += k.lengths[text] + len(options) + len(shown) + len(extras)
		}
		if further && k.effort > maxEffort {
			check = publish.Measured(k.lengths[text], a.Limits.MaxCharacters, a.Limits.Unit)
			check.Problems = []*publish.Error{publish.Contentf("thread", "the texts are too long for so many accounts with different settings; shorten them, or make a post for some of the accounts")}
		} else {
			check = p.Check(a, content)
			publish.CheckMedia(&check, p, a, files, fixable)
			publish.CheckExtras(&check, p, a, content)
		}
		k.known[key] = check
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, c.faults(check), nil
}

// optionsFor sets k.merged to the options for an account, and returns them as JSON.
func (k *contentChecks) optionsFor(c *accountContent) (string, error) {
	if k.merged.account == c.account.ID && k.merged.override == c.override {
		return k.merged.text, nil
	}
	options := c.account.OptionsFor(c.override.Options)
	text, err := json.Marshal(options)
	k.merged = mergedOptions{account: c.account.ID, override: c.override, options: options, text: string(text)}
	return k.merged.text, err
}

// measurable reports whether extras are no longer than those of any post. Longer ones are
// not given to publishers: the rules of posts refuse them.
func measurable(e *publish.Extras) bool {
	const bytes = utf8.UTFMax // of a code point
	if len(e.ContentWarning) > bytes*schedctl.MaxContentWarning || len(e.Visibility) > maxID || len(e.Language) > maxID {
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
func (k *contentChecks) checkParts(ctx context.Context, contents []accountContent) (faults []schedctl.FieldError, err error) {
	for _, c := range contents {
		_, found, err := k.check(ctx, c)
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

// readAssets reads the assets of a post, which the checks need.
func (k *contentChecks) readAssets(r storage.Reader, p *schedctl.Post) (err error) {
	k.assets, err = k.server.assetsOf(r, p)
	return err
}

// ready returns MEDIA_NOT_READY if a post that is not a draft has media without bytes.
func (k *contentChecks) ready(p *schedctl.Post) error {
	if p.Status() == schedctl.Draft {
		return nil
	}
	for _, id := range p.AssetIDs() {
		if a := k.asset(id); a == nil || a.Status != schedctl.MediaReady {
			return notReady("media", id)
		}
	}
	return nil
}

// asset returns an asset that was read, or nil.
func (k *contentChecks) asset(id string) *schedctl.MediaAsset {
	for i := range k.assets {
		if k.assets[i].ID == id {
			return &k.assets[i]
		}
	}
	return nil
}

// describe returns the descriptions of media for publishers, also as JSON. Unknown
// assets are left out: they are a problem of the request.
func (k *contentChecks) describe(list []schedctl.PostMedia) (files []publish.Media, shown string, err error) {
	for i := range list {
		if a := k.asset(list[i].AssetID); a != nil {
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
func (k *contentChecks) tooLong(content string) bool {
	n, known := k.lengths[content]
	if !known {
		n = utf8.RuneCountInString(content)
		k.lengths[content] = n
	}
	return n > schedctl.MaxContent
}
