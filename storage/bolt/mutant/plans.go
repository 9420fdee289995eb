package mutant

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// putPlans puts a queue, and some blackouts, series, calendar feeds, collections, aliases, shares and sources.
func (u *user) putPlans(tx storage.Tx, keyID string) error {
	ws := u.workspace.ID
	u.queue = schedctl.Queue{
		ID: u.id(schedctl.QueuePrefix), WorkspaceID: ws, Name: "main", Timezone: "UTC", Default: true,
		Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9 * 60}}, CreatedAt: u.now, UpdatedAt: u.now, Version: 1,
	}
	if err := tx.PutQueue(u.queue); err != nil {
		return err
	}
	for i := range 3 {
		template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: fmt.Sprint("every day ", i)}, Accounts: u.accounts}, u.now)
		if err != nil {
			return err
		}
		err = errors.Join(
			tx.PutBlackout(schedctl.Blackout{
				ID: u.id(schedctl.BlackoutPrefix), WorkspaceID: ws, From: "2026-12-24T00:00", To: "2026-12-27T00:00", Timezone: "UTC", Mode: schedctl.BlackoutAvoid,
				StartsAt: u.now, EndsAt: u.now.Add(72 * time.Hour), CreatedAt: u.now, UpdatedAt: u.now, Version: 1,
			}),
			tx.PutSeries(schedctl.Series{
				ID: u.id(schedctl.SeriesPrefix), WorkspaceID: ws, Name: "daily", Template: template, Timezone: "UTC", Start: "2026-12-08T09:00",
				Rule: "FREQ=DAILY", AheadDays: 14, State: schedctl.SeriesActive, ExternalID: fmt.Sprint("daily/", i), SweepAt: u.now,
				CreatedAt: u.now, UpdatedAt: u.now, Version: 1,
			}),
			tx.PutCalendarFeed(schedctl.CalendarFeed{
				ID: u.id(schedctl.CalendarFeedPrefix), WorkspaceID: ws, Name: fmt.Sprint("feed ", i), Hash: sha256.Sum256([]byte{byte(i)}), KeyID: keyID, CreatedAt: u.now,
			}),
			tx.PutCollection(schedctl.Collection{
				ID: u.id(schedctl.CollectionPrefix), WorkspaceID: ws, Name: fmt.Sprint("site", i), Source: "example.org/site", AppliedAt: u.now, AppliedBy: schedctl.KeyRef{ID: keyID, Name: "ci"}, CreatedAt: u.now,
			}),
			tx.PutAlias(schedctl.Alias{
				ID: u.id(schedctl.AliasPrefix), WorkspaceID: ws, Kind: schedctl.AliasSnippet, Name: fmt.Sprint("tags", i), Text: "#go #release", CreatedAt: u.now, UpdatedAt: u.now,
			}),
			tx.PutShare(schedctl.Share{
				ID: u.id(schedctl.SharePrefix), WorkspaceID: ws, Kind: schedctl.ShareReview, Name: fmt.Sprint("Dana ", i), Can: schedctl.ShareView, Hash: sha256.Sum256([]byte{'s', byte(i)}), KeyID: keyID,
				ExpiresAt: u.now.Add(72 * time.Hour), CreatedAt: u.now,
			}),
			putSource(tx, u, ws, i),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// putSource puts a source with an item.
func putSource(tx storage.Tx, u *user, ws string, i int) error {
	s := schedctl.Source{
		ID: u.id(schedctl.SourcePrefix), WorkspaceID: ws, Name: fmt.Sprint("blog ", i), State: schedctl.SourceActive, CreatedAt: u.now, UpdatedAt: u.now, Version: 1,
		SourceSettings: schedctl.SourceSettings{Kind: schedctl.SourceFeed, URL: "https://example.com/feed", AccountIDs: []string{u.accounts[0].ID}, Mode: schedctl.SourceDraft},
		SourceProgress: schedctl.SourceProgress{NextFetchAt: u.now, WakeAt: u.now},
	}
	return errors.Join(tx.PutSource(s), tx.PutSourceItem(schedctl.SourceItem{
		ID: u.id(schedctl.SourceItemPrefix), WorkspaceID: ws, SourceID: s.ID, State: schedctl.ItemBaseline, Title: fmt.Sprint("article ", i), SeenAt: u.now, FirstSeenAt: u.now,
		Keys: []string{fmt.Sprint("g", i), fmt.Sprint("l", i)},
	}))
}
