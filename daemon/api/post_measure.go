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
	a.Options, a.Credentials = a.OptionsFor(c.override.Options), nil
	options, err := json.Marshal(a.Options)
	if err != nil {
		return publish.Check{}, nil, err
	}
	files, shown, err := k.describe(c.part.Media)
	if err != nil {
		return publish.Check{}, nil, err
	}
	extras, err := c.extrasKey()
	if err != nil {
		return publish.Check{}, nil, err
	}
	key := checkKey{a.Platform, a.Limits, string(options), c.part.Kind, text, shown, extras}
	check, known := k.known[key]
	if !known {
		if k.frozen {
			return publish.Check{}, nil, errUnmeasured
		}
		if err := ctx.Err(); err != nil {
			return publish.Check{}, nil, err
		}
		content := publish.Content{Text: text, Media: files, Kind: c.part.Kind, Extras: c.extras}
		check = p.Check(a, content)
		publish.CheckMedia(&check, p, a, files, fixable)
		publish.CheckExtras(&check, p, a, content)
		k.known[key] = check
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, c.faults(check), nil
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
