package usecase

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Publication is what one account of a post publishes, for people who read it before.
type Publication struct {
	Account schedctl.Account // without an id if it was removed
	Target  schedctl.Target
	Parts   []PublishedPart // at least one
	Extras  publish.Extras  // of part 0
}

// PublishedPart is one part of a [Publication].
type PublishedPart struct {
	schedctl.TargetPart
	Check publish.Check // how long the text is, and why the network would refuse it

	// Converted says for each file of Media whether the network gets a converted one: see
	// [media.ActionVariant].
	Converted []bool
}

// Publications returns what the accounts of a post publish, in the order of its targets, and
// the files of the post that exist. Call it after [Decision.On].
func (d *Decision) Publications(ctx context.Context, p *schedctl.Post) ([]Publication, []schedctl.MediaAsset, error) {
	accounts, err := accountsOf(d.r, p)
	if err != nil {
		return nil, nil, err
	}
	if err := d.readAssets(p); err != nil {
		return nil, nil, err
	}
	list := make([]Publication, len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		accounts[i].Platform = t.Platform
		list[i] = Publication{Account: accounts[i], Target: *t}
		accounts[i].ID = t.AccountID // also of a removed one, for its override
		contents := contentsFor(&accounts[i], p, p.Overrides())
		list[i].Extras = contents[0].extras
		if underReview(p) {
			list[i].Extras.Preview = publish.ReviewedPreview(d.service.Publishers[t.Platform], p, contents[0].part)
		}
		for _, c := range contents {
			check, _, err := d.measure(ctx, c)
			if err != nil {
				return nil, nil, err
			}
			list[i].Parts = append(list[i].Parts, PublishedPart{c.part, check, d.converted(t.Platform, c.part.Media)})
		}
	}
	return list, d.assets, nil
}

// converted says which files a platform gets converted, whatever its accounts say.
func (d *Decision) converted(platform string, files []schedctl.PostMedia) []bool {
	list := make([]bool, len(files))
	p, takes := d.service.Publishers[platform].(publish.MediaPublisher)
	if !takes {
		return list
	}
	rules := p.MediaRules(schedctl.Account{Platform: platform})
	for i := range files {
		at := slices.IndexFunc(d.assets, func(a schedctl.MediaAsset) bool { return a.ID == files[i].AssetID })
		list[i] = at >= 0 && fixFor(rules, media.Describe(&d.assets[at], &files[i])) != variant.None
	}
	return list
}

// CheckApproval returns nil if the key of the request may decide about a post that waits for
// an approval. Errors: as [schedctl.Post.CheckApproval].
func (c *Request) CheckApproval(r storage.Reader, p *schedctl.Post) error {
	by, err := c.reviewer(r)
	if err != nil {
		return err
	}
	return p.CheckApproval(by)
}
