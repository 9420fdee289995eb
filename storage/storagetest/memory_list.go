package storagetest

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func (r memoryReader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	if err := r.ctx.Err(); err != nil {
		return storage.PostPage{}, err
	}
	if err := checkIDs(schedctl.WorkspacePrefix, q.WorkspaceID); err != nil {
		return storage.PostPage{}, err
	}
	if q.AccountID != "" {
		if err := checkIDs(schedctl.AccountPrefix, q.AccountID); err != nil {
			return storage.PostPage{}, err
		}
	}
	if err := checkOptional(schedctl.KeyPrefix, q.CreatedBy); err != nil {
		return storage.PostPage{}, err
	}
	if q.After != nil {
		if err := checkIDs(schedctl.PostPrefix, q.After.PostID); err != nil {
			return storage.PostPage{}, err
		}
	}
	var all []schedctl.Post
	for _, p := range r.m.posts {
		all = append(all, p)
	}
	return selectPage(all, q), nil
}

// selectPage executes a query in the simplest way, by scanning all posts.
func selectPage(all []schedctl.Post, q storage.PostQuery) storage.PostPage {
	q.Sort = cmp.Or(q.Sort, storage.NewestFirst)
	var found []schedctl.Post
	for _, p := range all {
		if selects(q, p) && (q.After == nil || comparePositions(q.Sort, *q.After, positionOf(q, p)) < 0) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b schedctl.Post) int {
		return comparePositions(q.Sort, positionOf(q, a), positionOf(q, b))
	})
	found = found[min(q.Offset, len(found)):]
	var page storage.PostPage
	if n := fittingPageSize(found, q.Limit); n < len(found) {
		found = found[:n]
		next := positionOf(q, found[n-1])
		page.Next = &next
	}
	page.Posts = cloneAll(found, clonePost)
	return page
}

// fittingPageSize returns how many posts fit on a page.
func fittingPageSize(found []schedctl.Post, limit int) int {
	size := 0
	for i := range found {
		if i == limit || size >= storage.PageBytes {
			return i
		}
		size += storage.TextBytes(&found[i])
	}
	return len(found)
}

func selects(q storage.PostQuery, p schedctl.Post) bool {
	at := timeOf(q, p)
	switch {
	case p.WorkspaceID != q.WorkspaceID,
		q.Proposed && p.Status() == schedctl.Draft && !isProposal(p),
		len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.Status()) && !(q.Proposed && p.Status() == schedctl.Draft),
		q.ExternalID != "" && p.ExternalID != q.ExternalID,
		q.Collection != "" && (p.Managed == nil || p.Managed.Collection != q.Collection),
		q.QueueID != "" && p.QueueID != q.QueueID,
		q.SeriesID != "" && p.SeriesID != q.SeriesID,
		!q.Archived.Selects(!p.ArchivedAt.IsZero()),
		q.Approval != "" && (p.Approval == nil || p.Approval.State != q.Approval),
		q.CreatedBy != "" && p.CreatedBy != q.CreatedBy,
		!p.HasLabels(q.Labels),
		q.AccountID != "" && !slices.Contains(p.AccountIDs(), q.AccountID),
		!q.PublishAfter.IsZero() && (at.IsZero() || at.Before(q.PublishAfter)),
		!q.PublishBefore.IsZero() && (at.IsZero() || !at.Before(q.PublishBefore)):
		return false
	}
	return p.ContainsText(func(text string) bool { return containsFold(text, q.Search) })
}

// containsFold compares every substring of s that has as many characters as sub.
func containsFold(s, sub string) bool {
	for n := utf8.RuneCountInString(sub); utf8.RuneCountInString(s) >= n; {
		end := 0
		for range n {
			_, size := utf8.DecodeRuneInString(s[end:])
			end += size
		}
		if strings.EqualFold(s[:end], sub) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s)
		if size == 0 {
			return false
		}
		s = s[size:]
	}
	return false
}

func positionOf(q storage.PostQuery, p schedctl.Post) storage.Position {
	pos := storage.Position{PostID: p.ID}
	if q.Sort == storage.PublishAscending || q.Sort == storage.PublishDescending {
		pos.PublishAt = timeOf(q, p)
	}
	return pos
}

// timeOf returns the time of a post in the lists of a query. By approval, and in a list of
// proposals, that of a draft is the proposed one.
func timeOf(q storage.PostQuery, p schedctl.Post) time.Time {
	if (q.Approval != "" || q.Proposed && isProposal(p)) && p.PublishAt.IsZero() {
		return p.Proposed.At
	}
	return p.PublishAt
}

func isProposal(p schedctl.Post) bool {
	return p.Status() == schedctl.Draft && p.Approval != nil && p.Approval.State == schedctl.ApprovalPending && !p.Proposed.At.IsZero()
}

func comparePositions(sort storage.Sort, a, b storage.Position) int {
	switch sort {
	case storage.OldestFirst:
		return strings.Compare(a.PostID, b.PostID)
	case storage.PublishAscending:
		return cmp.Or(timelessLast(a.PublishAt, b.PublishAt), a.PublishAt.Compare(b.PublishAt), strings.Compare(a.PostID, b.PostID))
	case storage.PublishDescending:
		return cmp.Or(timelessLast(a.PublishAt, b.PublishAt), b.PublishAt.Compare(a.PublishAt), strings.Compare(b.PostID, a.PostID))
	default:
		return strings.Compare(b.PostID, a.PostID)
	}
}

func timelessLast(a, b time.Time) int {
	switch {
	case a.IsZero() == b.IsZero():
		return 0
	case a.IsZero():
		return 1
	default:
		return -1
	}
}
