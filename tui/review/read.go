package review

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewPages is the maximum number of pages of the daemon that are sorted together.
const reviewPages = 10

// Read implements [postlist.Holder]. It reads several pages at once, also in the order of
// their proposed times. After the last page it adds rows for series, and returns these series.
func (s *Screen) Read(ctx context.Context, c screen.Client, q screen.Query) (all apiv1.PostList, pending []apiv1.Series, err error) {
	asked, byTime := q, q.Sort == postlist.SortProposed
	if byTime {
		q.Sort = "created_at"
	}
	for range reviewPages {
		list, err := c.Posts(ctx, q)
		if err != nil {
			return apiv1.PostList{}, nil, unlessNoApprovals(err)
		}
		all.Results, all.NextCursor = append(all.Results, list.Results...), list.NextCursor
		if list.NextCursor == nil {
			break
		}
		q.Cursor = *list.NextCursor
	}
	if all.Count = len(all.Results); byTime {
		slices.SortStableFunc(all.Results, postlist.CompareProposed)
	}
	if all.NextCursor == nil {
		pending, err = addPendingSeries(ctx, c, asked, &all)
	}
	return all, pending, err
}

// unlessNoApprovals returns nil for the error of a daemon that has no approvals yet.
func unlessNoApprovals(err error) error {
	var refused *schedctl.Error
	if screen.AsError(err, &refused) && refused.Code == schedctl.ValidationFailed && refused.Field == "approval" {
		return nil
	}
	return err
}

// addPendingSeries adds rows for the series that wait for an approval to the posts that do.
func addPendingSeries(ctx context.Context, c screen.Client, q screen.Query, list *apiv1.PostList) ([]apiv1.Series, error) {
	pending, err := c.PendingSeries(ctx)
	if err != nil {
		return nil, unlessNoApprovals(err)
	}
	f := postlist.Feed{Query: q}
	for _, s := range pending {
		if row := postlist.SeriesRow(s); postlist.Matches(f.Query, row) {
			list.Results = append(list.Results, row)
		}
	}
	slices.SortStableFunc(list.Results, f.Order)
	list.Count = len(list.Results)
	return pending, nil
}
