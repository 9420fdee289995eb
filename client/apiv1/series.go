package apiv1

import (
	"strings"

	"github.com/schedctl/schedctl"
)

// Series is a recurring post.
type Series struct {
	ID            string      `json:"id" doc:"Starts with ser_."`
	WorkspaceID   string      `json:"workspace_id" doc:"The workspace that the series belongs to."`
	Name          string      `json:"name" doc:"Unique among the series of the workspace that have not ended."`
	Content       string      `json:"content" doc:"The text; empty if the posts have only media."`
	Variants      []string    `json:"variants" doc:"Texts that replace content, one after the other."`
	Media         []PostMedia `json:"media" doc:"The files of the posts, in the order in which they are shown."`
	MediaAssetIDs []string    `json:"media_asset_ids" doc:"The ids of the files in media."`
	Extras
	SocialAccountIDs []string             `json:"social_account_ids" doc:"The accounts of the posts."`
	TargetOverrides  []Override           `json:"target_overrides" doc:"Settings of single accounts that differ from the rest."`
	Labels           []string             `json:"labels" doc:"The labels of the posts, sorted, without duplicates."`
	Timezone         string               `json:"timezone" doc:"The IANA name of the zone of start, rule and exdates."`
	Start            string               `json:"start" doc:"The local time at which the rule starts, such as 2026-12-08T09:00."`
	Rule             string               `json:"rule" doc:"The RRULE, such as FREQ=WEEKLY;BYDAY=TU,TH."`
	Exdates          []string             `json:"exdates" doc:"The local times of occurrences that are skipped, in order."`
	AheadDays        int                  `json:"ahead_days" doc:"How many days before its time the post of an occurrence is made."`
	QueueID          *string              `json:"queue_id" doc:"The queue whose first free slot, at or after its local time on the same day, each occurrence takes; null for fixed times."`
	Approval         *Approval            `json:"approval" doc:"The review of the series; null if it was never submitted. Without an approval that it needs, it makes no posts."`
	State            schedctl.SeriesState `json:"state" doc:"active, paused or ended. An ended series makes no more posts and does not change." enum:"active,paused,ended"`
	NextAt           *Time                `json:"next_at" doc:"When the next occurrence is published; null for none, as before an agent's series is submitted."`
	PreviousID       *string              `json:"previous_id" doc:"The series that this one continues after an edit from an occurrence on; null for none."`
	ExternalID       *string              `json:"external_id" doc:"The client's own id for the series, unique among the series of the workspace; null for none."`
	Managed          *Managed             `json:"managed" doc:"The file that the series comes from; null for none."`
	Authors
	Version   int64 `json:"version" doc:"1 for a new series, increased with every change. The ETag is derived from it."`
	CreatedAt *Time `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt *Time `json:"updated_at" doc:"When it was last changed." nullable:"false"`
}

// Waits says, for people, what an active series waits for before it makes posts: nothing if
// the text is empty. It knows a series that was never submitted only if it is that of an
// agent; of others, the rules of the workspace decide whether they need an approval.
func (s *Series) Waits() string {
	byAgent := func(a *Author) bool { return a != nil && a.Kind == KeyAgent }
	switch {
	case s.State != schedctl.SeriesActive:
	case s.Approval == nil:
		if s.NextAt == nil && (byAgent(s.CreatedBy) || byAgent(s.UpdatedBy)) {
			return "needs an approval, not submitted"
		}
	case s.Approval.State == schedctl.ApprovalPending:
		return "waits for an approval"
	case s.Approval.State != schedctl.ApprovalApproved:
		return strings.ReplaceAll(string(s.Approval.State), "_", " ")
	}
	return ""
}

// SeriesEnvelope is the response to requests about one series. Previous is set by an
// edit from an occurrence on, which ends one series and starts another. Kept lists the
// posts that an edit left as they are.
type SeriesEnvelope struct {
	Series   Series   `json:"series" doc:"The series."`
	Previous *Series  `json:"previous" doc:"After an edit from an occurrence on: the series that ended before it. Otherwise null."`
	Kept     []string `json:"kept" doc:"The ids of posts that the edit left as they are, because they were changed alone or are no longer scheduled."`
}

// SeriesList is one page of series, newest first.
type SeriesList struct {
	Results    []Series `json:"results" doc:"The newest first."`
	Count      int      `json:"count" doc:"The number of results on this page."`
	NextCursor *string  `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// CreateSeries is the body of POST /series.
type CreateSeries struct {
	Name          string      `json:"name" doc:"1 to 80 characters, unique among the series of the workspace that have not ended." minLength:"1" maxLength:"80"`
	Content       string      `json:"content,omitempty" doc:"At most 5000 characters, not only white space. It may be empty or absent if there are media or variants." maxLength:"5000"`
	Variants      []string    `json:"variants,omitempty" doc:"Texts that replace content, one after the other: occurrence n has variant n modulo their number." maxItems:"50"`
	Media         []PostMedia `json:"media,omitempty" doc:"The files of the posts." maxItems:"100"`
	MediaAssetIDs []string    `json:"media_asset_ids,omitempty" doc:"The short form of media. Use one of both." maxItems:"100" uniqueItems:"true"`
	NewExtras
	SocialAccountIDs []string   `json:"social_account_ids" doc:"Connected accounts of the workspace." minItems:"1" maxItems:"100" uniqueItems:"true"`
	TargetOverrides  []Override `json:"target_overrides,omitempty" doc:"Settings of single accounts that differ from the rest." maxItems:"100"`
	Labels           []string   `json:"labels,omitempty" doc:"The labels of the posts." maxItems:"20" minLength:"1" maxLength:"50"`
	Timezone         string     `json:"timezone" doc:"An IANA name, such as Europe/Berlin."`
	Start            string     `json:"start" doc:"The local time at which the rule starts, such as 2026-12-08T09:00. It is an occurrence only if it fits the rule." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	Rule             string     `json:"rule" doc:"An RRULE of RFC 5545 with FREQ from DAILY to YEARLY, at most four occurrences a day, such as FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270630." minLength:"1" maxLength:"500"`
	Exdates          []string   `json:"exdates,omitempty" doc:"The local times of occurrences to skip." maxItems:"1000" uniqueItems:"true"`
	AheadDays        *int       `json:"ahead_days,omitempty" doc:"How many days before its time the post of an occurrence is made. Default: 14." minimum:"1" maximum:"60"`
	QueueID          *string    `json:"queue_id,omitempty" doc:"A queue whose first free slot, at or after its local time on the same day, each occurrence takes; null or absent for fixed times." nullable:"true"`
	ExternalID       *string    `json:"external_id,omitempty" doc:"The client's own id for the series, 1 to 200 visible ASCII characters; null or absent for none." minLength:"1" maxLength:"200" pattern:"^[!-~]+$" nullable:"true"`
	Managed          *Managed   `json:"managed,omitempty" doc:"The file that the series comes from; null or absent for none."`
}

// EditSeries is the body of PATCH /series/{id}; absent fields stay as they are.
type EditSeries struct {
	Name          *string      `json:"name,omitempty" doc:"The new name." minLength:"1" maxLength:"80"`
	Content       *string      `json:"content,omitempty" doc:"The new text." maxLength:"5000"`
	Variants      *[]string    `json:"variants,omitempty" doc:"The new list of variants; an empty list removes all." maxItems:"50"`
	Media         *[]PostMedia `json:"media,omitempty" doc:"The new list of files; an empty list removes all." maxItems:"100"`
	MediaAssetIDs *[]string    `json:"media_asset_ids,omitempty" doc:"The short form of media. Use one of both." maxItems:"100" uniqueItems:"true"`
	ExtrasChange
	SocialAccountIDs *[]string   `json:"social_account_ids,omitempty" doc:"The new list of accounts." minItems:"1" maxItems:"100" uniqueItems:"true"`
	TargetOverrides  *[]Override `json:"target_overrides,omitempty" doc:"The new list of overrides; an empty list removes all." maxItems:"100"`
	Labels           *[]string   `json:"labels,omitempty" doc:"The new list of labels; an empty list removes all." maxItems:"20" minLength:"1" maxLength:"50"`
	Timezone         *string     `json:"timezone,omitempty" doc:"The new zone."`
	Start            *string     `json:"start,omitempty" doc:"The new start." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	Rule             *string     `json:"rule,omitempty" doc:"The new rule." minLength:"1" maxLength:"500"`
	Exdates          *[]string   `json:"exdates,omitempty" doc:"The new list of occurrences to skip. Occurrences that leave it are made again." maxItems:"1000" uniqueItems:"true"`
	AheadDays        *int        `json:"ahead_days,omitempty" doc:"The new number of days." minimum:"1" maximum:"60"`
	QueueID          *string     `json:"queue_id,omitempty" doc:"The new queue; null or an empty text for fixed times." nullable:"true"`
	ExternalID       *string     `json:"external_id,omitempty" doc:"The client's own id for the series, if it has none yet." minLength:"1" maxLength:"200" pattern:"^[!-~]+$" nullable:"true"`
	Managed          *Managed    `json:"managed,omitempty" doc:"The file that the series comes from; null takes the series out of its collection."`
}

// PreviewSeries is the body of POST /series/preview.
type PreviewSeries struct {
	Timezone string   `json:"timezone" doc:"An IANA name, such as Europe/Berlin."`
	Start    string   `json:"start" doc:"The local time at which the rule starts, such as 2026-12-08T09:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	Rule     string   `json:"rule" doc:"An RRULE." minLength:"1" maxLength:"500"`
	Exdates  []string `json:"exdates,omitempty" doc:"The local times of occurrences to skip." maxItems:"1000" uniqueItems:"true"`
}

// SeriesPreview is the response of POST /series/preview.
type SeriesPreview struct {
	Results []PreviewedOccurrence `json:"results" doc:"The next ten occurrences."`
	Hints   []string              `json:"hints" doc:"What may surprise about the rule, such as months that it leaves out."`
}

// PreviewedOccurrence is one occurrence of a rule.
type PreviewedOccurrence struct {
	Occurrence string             `json:"occurrence" doc:"Its local time."`
	At         Time               `json:"at" doc:"Its instant."`
	Note       schedctl.LocalNote `json:"note" doc:"skipped: the clocks skip the local time, and at is the first instant after the gap; repeated: they show it twice, and at is the first of the two; otherwise empty." enum:",skipped,repeated"`
}

// OccurrenceState says what became or becomes of an occurrence: the status of its post,
// or one of the states of an occurrence without a post.
type OccurrenceState string

// The states of occurrences without a post.
const (
	OccurrencePlanned OccurrenceState = "planned" // its post will be made
	OccurrenceSkipped OccurrenceState = "skipped" // it is among the exdates
	OccurrenceBlocked OccurrenceState = "blocked" // by a blackout
)

// Occurrence is one occurrence of a series.
type Occurrence struct {
	Occurrence string             `json:"occurrence" doc:"Its local time."`
	At         Time               `json:"at" doc:"When it is published, or would be."`
	Note       schedctl.LocalNote `json:"note" doc:"As in the preview." enum:",skipped,repeated"`
	PostID     *string            `json:"post_id" doc:"Its post; null without one."`
	State      OccurrenceState    `json:"state" doc:"The status of its post; or planned, skipped (by an exdate) or blocked (by a blackout) without one."`
	Detached   bool               `json:"detached" doc:"Whether the post was changed alone."`
}

// OccurrenceList is one page of occurrences in order of their local times.
type OccurrenceList struct {
	Results    []Occurrence `json:"results" doc:"In order of their local times."`
	Count      int          `json:"count" doc:"The number of results on this page."`
	NextCursor *string      `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// SkipOccurrence is the body of POST /series/{id}/skip.
type SkipOccurrence struct {
	Occurrence string `json:"occurrence" doc:"The local time of the occurrence to skip, such as 2026-12-08T09:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
}

// NewSeries returns the wire form of a series.
func NewSeries(s schedctl.Series) Series {
	t := &s.Template
	out := Series{
		ID: s.ID, WorkspaceID: s.WorkspaceID, Name: s.Name, Content: t.Text, Variants: append([]string{}, s.Variants...),
		Media: postMedia(t.Media), MediaAssetIDs: make([]string, len(t.Media)),
		Extras:           newExtras(&t.Content),
		SocialAccountIDs: t.AccountIDs(), TargetOverrides: newOverrides(s.Template), Labels: append([]string{}, t.Labels...),
		Timezone: s.Timezone, Start: string(s.Start), Rule: s.Rule, Exdates: make([]string, len(s.Exdates)),
		AheadDays: s.AheadDays, QueueID: optional(s.QueueID), Approval: newApproval(&t.Review), State: s.State, NextAt: NewTime(s.NextAt), PreviousID: optional(s.PreviousID),
		ExternalID: optional(s.ExternalID), Managed: (*Managed)(s.Managed),
		Version: s.Version, CreatedAt: NewTime(s.CreatedAt), UpdatedAt: NewTime(s.UpdatedAt),
	}
	for i, local := range s.Exdates {
		out.Exdates[i] = string(local)
	}
	for i := range t.Media {
		out.MediaAssetIDs[i] = t.Media[i].AssetID
	}
	return out
}
