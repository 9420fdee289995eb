package apiv1

import (
	"encoding/json"

	"github.com/schedctl/schedctl"
)

// Blackout is a period in which accounts do not publish.
type Blackout struct {
	ID               string                `json:"id" doc:"Starts with blk_."`
	From             string                `json:"from" doc:"The local time at which it starts, such as 2026-12-24T00:00."`
	To               *string               `json:"to" doc:"The local time at which it ends; null for a hold with an open end."`
	Timezone         string                `json:"timezone" doc:"The IANA name of the zone of from and to."`
	SocialAccountIDs []string              `json:"social_account_ids" doc:"The accounts; empty for all."`
	Reason           *string               `json:"reason" doc:"Why; null for none."`
	Mode             schedctl.BlackoutMode `json:"mode" doc:"avoid: slots and occurrences step around it. hold: nothing is published until it ends; then posts that wait get new slots, or are published late, one after the other." enum:"avoid,hold"`
	Label            *string               `json:"label" doc:"The hold is about posts with this label alone, and blocks no slots; null for all posts."`
	StartsAt         Time                  `json:"starts_at" doc:"The instant of from."`
	EndsAt           *Time                 `json:"ends_at" doc:"The instant of to; null for an open end."`
	SettledAt        *Time                 `json:"settled_at" doc:"When the posts that it held got new times after its end; null before."`
	Managed          *Managed              `json:"managed" doc:"The file that describes the blackout; null for none."`
	Version          int64                 `json:"version" doc:"1 for a new blackout, increased with every change. The ETag is derived from it."`
	CreatedAt        *Time                 `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt        *Time                 `json:"updated_at" doc:"When it was last changed." nullable:"false"`
}

// BlackoutEnvelope is the response to requests about one blackout.
type BlackoutEnvelope struct {
	Blackout  Blackout `json:"blackout" doc:"The blackout."`
	Scheduled []string `json:"scheduled" doc:"The ids of posts that are scheduled in the period, the first 100 of them. With mode avoid they keep their times and are published."`
}

// BlackoutList is all blackouts in order of creation.
type BlackoutList struct {
	Results []Blackout `json:"results" doc:"The blackouts in order of creation."`
	Count   int        `json:"count" doc:"The number of results."`
}

// CreateBlackout is the body of POST /blackouts.
type CreateBlackout struct {
	From             string                `json:"from" doc:"The local time at which it starts, such as 2026-12-24T00:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	To               *string               `json:"to,omitempty" doc:"The local time at which it ends. Null or absent for an open end, which only a hold can have." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$" nullable:"true"`
	Timezone         string                `json:"timezone" doc:"An IANA name, such as Europe/Berlin."`
	SocialAccountIDs []string              `json:"social_account_ids,omitempty" doc:"The accounts; null, empty or absent for all." maxItems:"100" uniqueItems:"true" nullable:"true"`
	Reason           *string               `json:"reason,omitempty" doc:"Why, at most 200 characters; null or absent for none." maxLength:"200" nullable:"true"`
	Mode             schedctl.BlackoutMode `json:"mode" doc:"avoid or hold." enum:"avoid,hold"`
	Label            *string               `json:"label,omitempty" doc:"Hold posts with this label alone; null or absent for all posts. Only with mode hold." minLength:"1" maxLength:"50" nullable:"true"`
	Managed          *Managed              `json:"managed,omitempty" doc:"The file that describes the blackout; null or absent for none."`
	DryRun           bool                  `json:"dry_run,omitempty" doc:"Only check the request: nothing is stored, and the response is as it would be."`
}

// EditBlackout is the body of PATCH /blackouts/{id}; absent fields stay as they are, an
// empty To is an open end, and an empty Label stands for all posts.
type EditBlackout struct {
	From             *string                `json:"from,omitempty" doc:"The new start." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	To               *string                `json:"to,omitempty" doc:"The new end; null for an open end, which only a hold can have." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$" nullable:"true"`
	Timezone         *string                `json:"timezone,omitempty" doc:"The new zone."`
	SocialAccountIDs *[]string              `json:"social_account_ids,omitempty" doc:"The new list of accounts; null or empty for all." maxItems:"100" uniqueItems:"true" nullable:"true"`
	Reason           *string                `json:"reason,omitempty" doc:"The new reason; null removes it." maxLength:"200" nullable:"true"`
	Mode             *schedctl.BlackoutMode `json:"mode,omitempty" doc:"The new mode." enum:"avoid,hold"`
	Label            *string                `json:"label,omitempty" doc:"The new label; null for all posts." minLength:"1" maxLength:"50" nullable:"true"`
	Managed          *Managed               `json:"managed,omitempty" doc:"The file that describes the blackout; null takes the blackout out of its collection."`
	DryRun           bool                   `json:"dry_run,omitempty" doc:"Only check the request: nothing is stored, and the response is as it would be."`
}

// NewBlackout returns the wire form of a blackout.
func NewBlackout(b schedctl.Blackout) Blackout {
	return Blackout{
		ID: b.ID, From: string(b.From), To: optional(string(b.To)), Timezone: b.Timezone, SocialAccountIDs: append([]string{}, b.AccountIDs...),
		Reason: optional(b.Reason), Mode: b.Mode, Label: optional(b.Label), StartsAt: Time{b.StartsAt}, EndsAt: NewTime(b.EndsAt), SettledAt: NewTime(b.SettledAt), Managed: (*Managed)(b.Managed),
		Version: b.Version, CreatedAt: NewTime(b.CreatedAt), UpdatedAt: NewTime(b.UpdatedAt),
	}
}

// MarshalJSON returns the wire form, in which an empty To and an empty Label are null.
func (b EditBlackout) MarshalJSON() ([]byte, error) {
	type plain EditBlackout
	return json.Marshal(struct {
		plain
		To    *nullable `json:"to,omitempty"`
		Label *nullable `json:"label,omitempty"`
	}{plain(b), (*nullable)(b.To), (*nullable)(b.Label)})
}

// nullable is a text that is null in JSON if it is empty.
type nullable string

// MarshalJSON returns the wire form.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(n))
}
