package api

import (
	"context"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/storage"
)

// waiting returns the posts and series of a review, the last one asked for first.
func (v *visit) waiting(ctx context.Context, r storage.Reader) (list []page.Proposal, err error) {
	if len(v.share.PostIDs) > 0 {
		for _, id := range v.share.PostIDs {
			p, err := v.PostByID(r, id)
			switch {
			case err == nil:
				list = append(list, page.Proposal{Post: &p})
			case schedctl.CodeOf(err) != schedctl.NotFound:
				return nil, err
			}
		}
	} else if list, err = v.selected(ctx, r); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b page.Proposal) int { return b.AskedAt().Compare(a.AskedAt()) })
	return list, nil
}

// selected returns the posts and series that the filter of the share selects.
func (v *visit) selected(ctx context.Context, r storage.Reader) (list []page.Proposal, err error) {
	q := postSelection{PostQuery: storage.PostQuery{Approval: v.share.Filter.Approval, Sort: storage.NewestFirst}}
	if q.Approval == "" {
		q.Approval = schedctl.ApprovalPending
	}
	posts, _, err := v.posts(ctx, r, q)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		list = append(list, page.Proposal{Post: p})
	}
	all := seriesQuery{workspaceID: v.share.WorkspaceID, approval: q.Approval, limit: pageBatch}
	for read := 0; read < maxSeriesRead; read += pageBatch {
		found, last, err := all.page(r)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if one := &found[i]; v.MaySee(&one.Template) && v.share.CoversSeries(one) {
				list = append(list, page.Proposal{Post: &one.Template, Series: one})
			}
		}
		if all.after = last; last == "" {
			break
		}
	}
	return list, nil
}

// ofSeries reports whether the page is about a series.
func (v *visit) ofSeries() bool { return strings.HasPrefix(v.ID, string(schedctl.SeriesPrefix)+"_") }

// proposal returns the post or the series of the path. Errors: NOT_FOUND, also if the share
// does not cover it.
func (v *visit) proposal(r storage.Reader) (page.Proposal, error) {
	var p page.Proposal
	if v.ofSeries() {
		one, err := v.Series(r)
		if err != nil {
			return p, err
		}
		one.Template.WorkspaceID = one.WorkspaceID
		p.Post, p.Series = &one.Template, &one
		if v.share.CoversSeries(&one) {
			return p, nil
		}
	} else {
		post, err := v.Post(r)
		if err != nil {
			return p, err
		}
		p.Post = &post
	}
	if p.Series == nil && v.share.Covers(p.Post) || v.decided(p.Post) {
		return p, nil
	}
	return p, schedctl.Errorf(schedctl.NotFound, "", "the share does not cover this post")
}

// decided reports whether a review of what waits has covered the post until somebody decided
// about it. The page of the post then shows the decision, also to the one who was slower.
func (v *visit) decided(p *schedctl.Post) bool {
	a := p.Approval
	if v.share.Kind != schedctl.ShareReview || v.share.Filter.Approval != "" || a == nil || a.State == schedctl.ApprovalWithdrawn || a.DecidedAt.Before(v.share.CreatedAt) {
		return false
	}
	before := *p
	before.Approval = new(*a)
	before.Approval.State = schedctl.ApprovalPending
	return v.share.Covers(&before)
}

// published returns the post whose content a page shows: of a series its first one.
func published(p *page.Proposal) *schedctl.Post {
	if p.Series == nil {
		return p.Post
	}
	first := p.Post.Clone()
	first.Text = p.Series.ContentOf(0)
	return &first
}
