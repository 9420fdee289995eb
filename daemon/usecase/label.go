package usecase

import (
	"cmp"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// Limits of Labels.
const (
	maxLabelPosts = 5000 // posts that are read
	maxLabels     = 1000 // labels in a response
)

// Labels counts the posts with each label that the key of the request may see. Canceled and
// archived posts do not count. It reads the newest posts, as many as its limits allow.
func (c *Request) Labels(r storage.Reader) (apiv1.LabelList, error) {
	statuses := slices.DeleteFunc(schedctl.Statuses(), func(s schedctl.Status) bool { return s == schedctl.Canceled })
	q := storage.PostQuery{
		WorkspaceID: c.Key.WorkspaceID, Statuses: statuses, Archived: storage.NotArchived, Sort: storage.NewestFirst, Limit: postPage,
	}
	list := apiv1.LabelList{Results: []apiv1.Label{}, Complete: true}
	at := map[string]int{} // the indexes of results
	for read := 0; ; {
		page, err := r.Posts(q)
		if err != nil {
			return list, err
		}
		for i := range page.Posts {
			if p := &page.Posts[i]; c.MaySee(p) && !countLabels(&list, at, p) {
				list.Complete = false
			}
		}
		read += len(page.Posts)
		if q.After = page.Next; q.After == nil {
			break
		}
		if read >= maxLabelPosts {
			list.Complete = false
			break
		}
	}
	slices.SortFunc(list.Results, func(a, b apiv1.Label) int { return cmp.Compare(a.Label, b.Label) })
	list.Count = len(list.Results)
	return list, nil
}

// countLabels adds the labels of a post to a list. It reports false if it left out a label,
// because the list has as many as it can have.
func countLabels(list *apiv1.LabelList, at map[string]int, p *schedctl.Post) (all bool) {
	all = true
	for _, label := range p.Labels {
		i, known := at[label]
		if !known && len(list.Results) == maxLabels {
			all = false
			continue
		}
		if !known {
			i, at[label] = len(list.Results), len(list.Results)
			list.Results = append(list.Results, apiv1.Label{Label: label})
		}
		l := &list.Results[i]
		l.Posts++
		if p.PublishAt.IsZero() {
			continue
		}
		if l.FirstAt == nil || p.PublishAt.Before(l.FirstAt.Time) {
			l.FirstAt = apiv1.NewTime(p.PublishAt)
		}
		if l.LastAt == nil || p.PublishAt.After(l.LastAt.Time) {
			l.LastAt = apiv1.NewTime(p.PublishAt)
		}
	}
	return all
}
