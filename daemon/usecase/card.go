package usecase

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// FetchCard returns the link card of a page, and the asset that it has stored with its
// picture, or nil. A page that cannot be fetched is not an error: its card has
// [schedctl.PreviewNone] and the link.
type FetchCard func(ctx context.Context, c *Request, link string) (schedctl.LinkPreview, *schedctl.MediaAsset, error)

// What reviewers see is what is published, so the link card of a post under review is
// fetched once, with the change that makes it wait for an approval or changes what they
// see, and stored with the post. Fetching takes long: a decision on a snapshot only
// records the link, [Decision.FetchCard] fetches its page, and the transaction stores the
// card.
//
// Posts of a series and posts that a merged pull request approves have no such card.
// Theirs is fetched when they are published, as without a review.

// settleCard gives a post that was created, changed or started the link card that its
// reviewers see. If anew is true, the page is fetched again even if the link is the same.
func (d *Decision) settleCard(s *start, anew bool) error {
	p, link := s.post, ""
	if !anew && (p.Approval == nil && p.Card == nil || s.was != nil && p.ReviewDigest() == s.was.ReviewDigest()) {
		return nil
	}
	if underReview(p) {
		link = d.cardLink(p, s.accounts)
	}
	switch {
	case link == "" && p.Card == nil:
		return nil
	case link == "":
		p.ShowCard(nil)
		return nil
	case !anew && p.Card != nil && p.Card.URL == link:
		return nil
	}
	card, fetched := d.cards[link]
	if fetched {
		p.ShowCard(&card)
		return nil
	}
	if d.cardWanted, d.cardPublic = link, p.ByAgent; d.tx != nil {
		return errUnmeasured
	}
	return nil
}

// underReview reports whether the post waits for an approval, or has that of a reviewer.
func underReview(p *schedctl.Post) bool {
	a := p.Approval
	return a != nil && (a.State == schedctl.ApprovalPending || a.State == schedctl.ApprovalApproved && a.Source == "")
}

// FetchCard fetches the link card that the decision needs before its transaction, if it
// needs one. It must not be called in a snapshot or in a transaction.
func (d *Decision) FetchCard(ctx context.Context) error {
	link := d.cardWanted
	if link == "" {
		return nil
	}
	d.cardWanted = ""
	if d.cardPublic {
		ctx = publish.FetchPublic(ctx)
	}
	card, picture, err := d.service.FetchCard(ctx, d.request, link)
	if err != nil {
		return err
	}
	if picture != nil {
		d.keepAsset(*picture)
	}
	if d.cards == nil {
		d.cards = map[string]schedctl.LinkPreview{}
	}
	d.cards[link] = card
	return nil
}

// approveCard records that reviewers have approved a post without the card of its link: it
// waited before this was fetched for reviewers, or a change of a policy has submitted it.
func (d *Decision) approveCard(r storage.Reader, p *schedctl.Post) error {
	if p.Card != nil || !underReview(p) {
		return nil
	}
	accounts, err := accountsOf(r, p)
	if err != nil {
		return err
	}
	if link := d.cardLink(p, accounts); link != "" {
		p.ShowCard(&schedctl.LinkPreview{Mode: schedctl.PreviewNone, URL: link})
	}
	return nil
}

// cardLink returns the link whose page is fetched for the link card of a post: that of the
// first account whose network needs it. Accounts with another link get no card after a
// review. The accounts are those of the targets.
func (d *Decision) cardLink(p *schedctl.Post, accounts []schedctl.Account) string {
	without := map[string]bool{} // texts without a link
	for i := range accounts {
		part := p.PartFor(&p.Targets[i], 0)
		fetcher, fetches := d.service.Publishers[accounts[i].Platform].(publish.CardFetcher)
		if !fetches || without[part.Content] {
			continue
		}
		content := publish.Content{Text: part.Content, Media: make([]publish.Media, len(part.Media)), Extras: publish.Extras{Preview: p.LinkPreview}}
		if link := fetcher.CardLink(content); link != "" {
			return link
		}
		without[part.Content] = len(part.Media) == 0
	}
	return ""
}
