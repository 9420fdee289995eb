package usecase

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// checkSeries returns an error if files of a series are not uploaded, or if a network would
// not accept an occurrence, with any of the texts. accounts are those of the template, in
// order. Accounts that are disconnected are not checked: they get no posts.
func (d *Decision) checkSeries(ctx context.Context, to *schedctl.Series, accounts []schedctl.Account) error {
	trial := to.Clone()
	now := d.request.Now
	for i := range max(1, len(to.Variants)) {
		post, _, err := schedctl.NewOccurrence(&trial, schedctl.Occurrence{Local: to.Start, Index: i, At: now}, now)
		if err != nil {
			return inVariant(err, to, i)
		}
		if i == 0 {
			if err := d.readAssets(&post); err != nil {
				return err
			}
		}
		d.further = i > 0
		if err := d.accept(ctx, &post, accounts, post.Overrides()); err != nil {
			return inVariant(err, to, i)
		}
	}
	return nil
}

// inVariant makes an error about the content of a post one about a variant.
func inVariant(err error, s *schedctl.Series, i int) error {
	e, ok := err.(*schedctl.Error)
	if !ok || len(s.Variants) == 0 {
		return err
	}
	named := *e
	if named.Field == "content" {
		named.Field = variantField(s, i)
	}
	named.Details = slices.Clone(e.Details)
	for j := range named.Details {
		if named.Details[j].Field == "content" {
			named.Details[j].Field = variantField(s, i)
		}
	}
	return &named
}

// variantField returns the path of a text of a series in the request.
func variantField(s *schedctl.Series, i int) string {
	if len(s.Variants) == 0 {
		return "content"
	}
	return fmt.Sprintf("variants[%d]", i)
}

// checkSeriesQueue returns an error if the series names a queue that is missing, or that
// lacks one of its accounts.
func checkSeriesQueue(r storage.Reader, to *schedctl.Series) error {
	if to.QueueID == "" {
		return nil
	}
	q, err := r.Queue(to.WorkspaceID, to.QueueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
	}
	if err != nil {
		return err
	}
	return slots.CheckServes(r, &q, to.Template.AccountIDs())
}

// seriesPage is how many series are read at once.
const seriesPage = 100

// seriesNames are the names of a workspace's series that have not ended. They are read
// once for a request; later reads only add newer series.
type seriesNames struct {
	ids    map[string]string // by name
	newest string
}

// check returns VALIDATION_FAILED for the name of another series that has not ended, and
// for one series more than a workspace can have.
func (n *seriesNames) check(r storage.Reader, s *schedctl.Series) error {
	if err := n.read(r, s.WorkspaceID); err != nil {
		return err
	}
	if id, taken := n.ids[s.Name]; taken && id != s.ID {
		return schedctl.Errorf(schedctl.NameTaken, "name", "another series has the name %q; choose another one", s.Name)
	}
	if len(n.ids) >= schedctl.MaxSeries {
		return schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has %d series that have not ended, which is the limit; end one with POST %s/series/{id}/end", len(n.ids), prefix)
	}
	return nil
}

func (n *seriesNames) read(r storage.Reader, workspaceID string) error {
	if n.ids == nil {
		n.ids = map[string]string{}
	}
	known, after := n.newest, ""
	for {
		page, err := r.SeriesList(workspaceID, after, seriesPage)
		if err != nil {
			return err
		}
		for i := range page {
			one := &page[i]
			if one.ID == known {
				return nil
			}
			if after == "" && i == 0 {
				n.newest = one.ID
			}
			if one.State != schedctl.SeriesEnded {
				n.ids[one.Name] = one.ID
			}
		}
		if len(page) < seriesPage {
			return nil
		}
		after = page[len(page)-1].ID
	}
}
