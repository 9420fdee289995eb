package bolt

import (
	"time"

	"github.com/schedctl/schedctl"
)

func sampleID(p schedctl.Prefix) string { return schedctl.NewID(p, sampleTime) }

// samplePostInSlot returns a post with every field of layout 9.
func samplePostInSlot() schedctl.Post {
	p := sampleThread()
	p.Booking = schedctl.Booking{
		QueueID: sampleID(schedctl.QueuePrefix), Slot: schedctl.Slot{Local: "2026-12-08T09:00", Timezone: "Europe/Berlin"}, NotBefore: sampleTime,
	}
	p.SeriesID, p.Occurrence, p.Detached = sampleID(schedctl.SeriesPrefix), "2026-12-08T09:00", true
	return p
}

func sampleSeriesEvent() schedctl.Event {
	e := sampleEvent()
	e.SeriesID = sampleID(schedctl.SeriesPrefix)
	e.Skipped = &schedctl.SkippedOccurrences{Reason: schedctl.SkipMissed, Count: 3, First: "2026-12-08T09:00", Last: "2026-12-10T09:00"}
	return e
}

func sampleAccountWithBlackouts() schedctl.Account {
	a := sampleAccount()
	a.Blackouts = []schedctl.AccountBlackout{
		{ID: sampleID(schedctl.BlackoutPrefix), Mode: schedctl.BlackoutHold, From: sampleTime},
		{ID: sampleID(schedctl.BlackoutPrefix), Mode: schedctl.BlackoutAvoid, From: sampleTime, To: sampleTime.Add(time.Hour)},
	}
	return a
}

// sampleAccountOfCampaign has a hold of a label.
func sampleAccountOfCampaign() schedctl.Account {
	a := sampleAccountWithBlackouts()
	a.Blackouts[0].Label = "launch"
	return a
}

func sampleQueue() schedctl.Queue {
	return schedctl.Queue{
		Name: "q", Timezone: "Europe/Berlin", AccountIDs: []string{sampleID(schedctl.AccountPrefix)}, Gap: time.Minute, Default: true,
		Times:     []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 540}, {Days: 1, Minute: 1439}},
		CreatedAt: sampleTime, UpdatedAt: sampleTime, Version: 3, Managed: sampleManaged(),
	}
}

// sampleManaged returns the file of a queue, a blackout or a series.
func sampleManaged() *schedctl.Managed {
	return &schedctl.Managed{Collection: "c", Path: "p", Digest: "d", Pruned: true}
}

func sampleBlackout() schedctl.Blackout {
	return schedctl.Blackout{
		From: "2026-12-24T00:00", To: "2026-12-27T00:00", Timezone: "UTC", AccountIDs: []string{sampleID(schedctl.AccountPrefix)},
		Reason: "why", Mode: schedctl.BlackoutHold, StartsAt: sampleTime, EndsAt: sampleTime, SettledAt: sampleTime,
		CreatedAt: sampleTime, UpdatedAt: sampleTime, Version: 3, Managed: sampleManaged(), Label: "launch",
	}
}

func sampleSeries() schedctl.Series {
	template := sampleThread()
	template.WorkspaceID = "" // of the series
	return schedctl.Series{
		Name: "s", Template: template, Variants: []string{"a", "b"}, Timezone: "UTC", Start: "2026-12-08T09:00", Rule: "FREQ=DAILY",
		Exdates: []schedctl.LocalTime{"2026-12-09T09:00"}, AheadDays: 14, QueueID: sampleID(schedctl.QueuePrefix), State: schedctl.SeriesActive,
		ExternalID: "x", Managed: sampleManaged(), Cursor: "2026-12-08T09:00",
		SweepAt: sampleTime, NextAt: sampleTime, PreviousID: sampleID(schedctl.SeriesPrefix), CreatedAt: sampleTime, UpdatedAt: sampleTime, Version: 3,
	}
}

func sampleFeed() schedctl.CalendarFeed {
	return schedctl.CalendarFeed{
		Name: "f", AccountIDs: []string{sampleID(schedctl.AccountPrefix)}, TitlesOnly: true, Hash: [32]byte{1, 2},
		KeyID: sampleID(schedctl.KeyPrefix), ExpiresAt: sampleTime, CreatedAt: sampleTime,
	}
}

func sampleCollection() schedctl.Collection {
	return schedctl.Collection{
		Name: "c", Source: "s", Revision: schedctl.Revision{Commit: "abc", CommittedAt: sampleTime}, AppliedAt: sampleTime,
		AppliedBy: schedctl.KeyRef{ID: sampleID(schedctl.KeyPrefix), Name: "ci"}, CreatedAt: sampleTime,
	}
}

func sampleAlias() schedctl.Alias {
	return schedctl.Alias{
		Kind: schedctl.AliasGroup, Name: "brand", AccountIDs: []string{sampleID(schedctl.AccountPrefix)}, Text: "t", CreatedAt: sampleTime, UpdatedAt: sampleTime,
	}
}

func sampleShare() schedctl.Share {
	return schedctl.Share{
		Kind: schedctl.ShareReview, Name: "Dana", Can: schedctl.ShareDecide, Hash: [32]byte{1}, PostIDs: []string{sampleID(schedctl.PostPrefix)},
		Filter: schedctl.ShareFilter{AccountIDs: []string{sampleID(schedctl.AccountPrefix)}, Labels: []string{"launch"}, Approval: schedctl.ApprovalPending},
		KeyID:  sampleID(schedctl.KeyPrefix), ExpiresAt: sampleTime, CreatedAt: sampleTime, RevokedAt: sampleTime, LastUsedAt: sampleTime, Uses: 3,
	}
}

func sampleResults() schedctl.Results {
	metrics := schedctl.Metrics{Views: new(int64(300)), Replies: new(int64(0)), Other: map[string]int64{"poll_votes": 4, "shares": 1}}
	return schedctl.Results{
		PostID: sampleID(schedctl.PostPrefix), AccountID: sampleID(schedctl.AccountPrefix), PublishedAt: sampleTime, Latest: metrics, ReadAt: sampleTime,
		Points: []schedctl.ResultPoint{{At: sampleTime, Metrics: metrics}, {At: sampleTime}}, NextAt: sampleTime, Reason: schedctl.ResultsRefused,
		MissedAt: sampleTime, RemovedAt: sampleTime, Reported: schedctl.Metrics{Clicks: new(int64(31))}, ReportedAt: sampleTime,
		Parts: []schedctl.PartResults{{Index: 1, ID: "2", Metrics: metrics}}, Estimated: true,
	}
}

func sampleAccountResults() schedctl.AccountResults {
	return schedctl.AccountResults{
		ReadAt: sampleTime, Requests: []schedctl.HourRequests{{Hour: sampleTime, N: 3}}, Month: sampleTime, Spent: 5000, Reason: schedctl.ResultsRefused, Lacks: []string{"read:statuses"},
		Dropped: []schedctl.DroppedMetric{{Name: "post_clicks", At: sampleTime}}, Gains: []byte{1, 2, 3},
	}
}

func sampleSource() schedctl.Source {
	return schedctl.Source{
		KeyID: sampleID(schedctl.KeyPrefix), Name: "blog", State: schedctl.SourceHeld, Fault: &schedctl.SourceFault{Code: schedctl.SourceFlood, Message: "m", Since: sampleTime},
		SourceSettings: schedctl.SourceSettings{
			Kind: schedctl.SourceFeed, URL: "https://example.com/feed", Interval: time.Hour, Template: "{{.Title}}", AccountIDs: []string{sampleID(schedctl.AccountPrefix)},
			Overrides: []schedctl.SourceOverride{{AccountID: sampleID(schedctl.AccountPrefix), Template: "t"}}, QueueID: sampleID(schedctl.QueuePrefix), Mode: schedctl.SourceNextSlot,
			Filter: schedctl.SourceFilter{Include: []string{"a"}, Exclude: []string{"b"}, Categories: []string{"c"}, Authors: []string{"d"}, TitleRegex: "e", Prereleases: true},
			Delay:  time.Minute, MaxPerDay: 5, Image: schedctl.ImagePage, ImageRequired: true, Link: schedctl.SourceLink{Strip: true, Params: map[string]string{"a": "1", "b": "2"}},
			Identity: schedctl.IdentityLink, Labels: []string{"blog"}, Language: "en",
		},
		Managed: &schedctl.Managed{Collection: "site"}, Credentials: []byte("c"), Secret: []byte("s"), PreviousSecret: []byte("p"), PreviousUntil: sampleTime,
		SourceProgress: schedctl.SourceProgress{
			ETag: "e", LastModified: "l", LastFetchAt: sampleTime, LastSuccessAt: sampleTime, NextFetchAt: sampleTime, WakeAt: sampleTime, ClaimedUntil: sampleTime, Failures: 2,
			FailingSince: sampleTime, MovedTo: "u", MovedTimes: 1, BaselineAt: sampleTime, BodyHash: "b", BodyAt: sampleTime, PrunedAt: sampleTime, Take: 3, NewestAt: sampleTime, ByLink: true, Warnings: []string{"w"},
			Made: []time.Time{sampleTime}, Pictures: []string{"p"},
		},
		Inherits: []string{sampleID(schedctl.SourcePrefix)}, CreatedAt: sampleTime, UpdatedAt: sampleTime, RemovedAt: sampleTime, Version: 3,
	}
}

func sampleSourceItem() schedctl.SourceItem {
	return schedctl.SourceItem{
		SourceID: sampleID(schedctl.SourcePrefix), State: schedctl.ItemPosted, Reason: "r", Title: "t", Link: "l", Author: "a", PublishedAt: sampleTime, FirstSeenAt: sampleTime,
		SeenAt: sampleTime, GoneAt: sampleTime, DueAt: sampleTime, Keys: []string{"g1", "l2"}, Round: 1, PostID: sampleID(schedctl.PostPrefix), Content: []byte("{}"),
	}
}
