package api

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// checkSeries returns an error if a network would not accept an occurrence of the series,
// with any of its texts. accounts are those of the template, in order. Accounts that are
// disconnected are not checked: they get no posts.
func (s *Server) checkSeries(ctx context.Context, r storage.Reader, c *request, to *schedctl.Series, accounts []schedctl.Account, known *contentChecks) error {
	trial := to.Clone()
	now := c.Now
	for i := range max(1, len(to.Variants)) {
		post, _, err := schedctl.NewOccurrence(&trial, schedctl.Occurrence{Local: to.Start, Index: i, At: now}, now)
		if err != nil {
			return inVariant(err, to, i)
		}
		if i == 0 {
			if err := known.readAssets(r, &post); err != nil {
				return err
			}
			if err := known.ready(&post); err != nil {
				return err
			}
		}
		known.further = i > 0
		if err := s.checkContent(ctx, known, &post, accounts, post.Overrides()); err != nil {
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
