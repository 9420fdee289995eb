package bolt

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// ownedBuckets maps the first byte of a key in the bucket of owners to the bucket of the
// record.
var ownedBuckets = map[byte]bucket{
	queueKind.letter(): queues, blackoutKind.letter(): blackouts, seriesKind.letter(): series, feedKind.letter(): calendarFeeds,
	collectionKind.letter(): collections, aliasKind.letter(): aliases, shareKind.letter(): shares, resultsKind.letter(): results,
	accountResultsKind.letter(): accountResults,
	sourceKind.letter():         sources, sourceItemKind.letter(): sourceItems,
}

func newerQueue(a, b *schedctl.Queue) bool { return a.Version > b.Version }

// newerBlackout prefers a settled blackout of the same version.
func newerBlackout(a, b *schedctl.Blackout) bool {
	if a.Version != b.Version {
		return a.Version > b.Version
	}
	return !a.SettledAt.IsZero() && b.SettledAt.IsZero()
}

// newerSeries prefers the series that was swept last, if clients changed both as often.
func newerSeries(a, b *schedctl.Series) bool {
	if a.Version != b.Version {
		return a.Version > b.Version
	}
	return a.Cursor > b.Cursor
}

// putSeries pauses a series from outside the tree, because it may have been deleted. A
// series whose external id is taken loses it.
func putSeries(tx *tx, s schedctl.Series, row row) error {
	if row.stray && s.State == schedctl.SeriesActive {
		s.State, s.SweepAt = schedctl.SeriesPaused, time.Time{}
	}
	err := tx.PutSeries(s)
	if schedctl.CodeOf(err) == schedctl.ExternalIDExists {
		s.ExternalID, s.Managed = "", nil
		err = tx.PutSeries(s)
	}
	return err
}

// putFeed ends a calendar feed from outside the tree, because it may have been revoked.
func putFeed(tx *tx, f schedctl.CalendarFeed, row row) error {
	if row.stray {
		f.ExpiresAt = f.CreatedAt.Add(time.Millisecond)
	}
	return tx.PutCalendarFeed(f)
}

// newerCollection prefers the collection that was applied last.
func newerCollection(a, b *schedctl.Collection) bool { return a.AppliedAt.After(b.AppliedAt) }

// putCollection puts a collection. Of two with one name, the one that was applied last stays.
func putCollection(tx *tx, c schedctl.Collection, _ row) error {
	list, err := tx.Collections(c.WorkspaceID)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, func(o schedctl.Collection) bool { return o.Name == c.Name && o.ID != c.ID }); i >= 0 {
		if !newerCollection(&c, &list[i]) {
			return nil
		}
		if err := tx.DeleteCollection(c.WorkspaceID, list[i].ID); err != nil {
			return err
		}
	}
	return tx.PutCollection(c)
}

// newerAlias prefers the alias that was changed last.
func newerAlias(a, b *schedctl.Alias) bool { return a.UpdatedAt.After(b.UpdatedAt) }

// putAlias puts an alias. If two have the same name, only the latest change stays.
func putAlias(tx *tx, a schedctl.Alias, _ row) error {
	list, err := tx.Aliases(a.WorkspaceID)
	if err != nil {
		return err
	}
	same := func(o schedctl.Alias) bool { return o.Kind == a.Kind && o.Name == a.Name && o.ID != a.ID }
	if i := slices.IndexFunc(list, same); i >= 0 {
		if !newerAlias(&a, &list[i]) {
			return nil
		}
		if err := tx.DeleteAlias(a.WorkspaceID, list[i].ID); err != nil {
			return err
		}
	}
	return tx.PutAlias(a)
}

// newerShare prefers a revoked share, and otherwise the one with more uses.
func newerShare(a, b *schedctl.Share) bool {
	if a.RevokedAt.IsZero() != b.RevokedAt.IsZero() {
		return b.RevokedAt.IsZero()
	}
	return a.Uses > b.Uses
}

// putShare revokes a share from outside the tree, because it may have been revoked.
func putShare(tx *tx, s schedctl.Share, row row) error {
	if row.stray && s.RevokedAt.IsZero() {
		s.RevokedAt = s.CreatedAt.Add(time.Millisecond)
	}
	return tx.PutShare(s)
}

// newerResults prefers the results that were read last.
func newerResults(a, b *schedctl.Results) bool { return a.ReadAt.After(b.ReadAt) }

// newerAccountResults prefers the latest readings, and of those the ones that cost more.
func newerAccountResults(a, b *schedctl.AccountResults) bool {
	if !a.ReadAt.Equal(b.ReadAt) {
		return a.ReadAt.After(b.ReadAt)
	}
	return a.Spent > b.Spent
}

// putResults refuses results whose target is in another post.
func putResults(tx *tx, r schedctl.Results, _ row) error {
	route, err := tx.Route(r.TargetID)
	if err == nil && (route.PostID != r.PostID || route.WorkspaceID != r.WorkspaceID || route.AccountID != r.AccountID) {
		return notFound(schedctl.TargetPrefix, r.TargetID)
	}
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return tx.PutResults(r)
}

// newerSource prefers the source that people changed last, and then the one that was fetched last.
func newerSource(a, b *schedctl.Source) bool {
	if a.Version != b.Version {
		return a.Version > b.Version
	}
	return a.LastFetchAt.After(b.LastFetchAt)
}

// putSource pauses a source from outside the tree, because it may have been removed.
func putSource(tx *tx, s schedctl.Source, row row) error {
	if row.stray && s.State != schedctl.SourceRemoved {
		s.State, s.Fault = schedctl.SourcePaused, nil
		s.Sleeps()
	}
	return tx.PutSource(s)
}

// newerSourceItem prefers the item that made a post, and then the one that was seen last.
func newerSourceItem(a, b *schedctl.SourceItem) bool {
	if a.Round != b.Round {
		return a.Round > b.Round
	}
	return a.SeenAt.After(b.SeenAt)
}
