package apiv1

import "github.com/schedctl/schedctl"

// Timeline is what happened to a post, oldest first: the answer of
// GET /posts/{id}/timeline.
type Timeline struct {
	PostID  string           `json:"post_id"`
	Status  schedctl.Status  `json:"status"`
	Events  []TimelineEvent  `json:"events"`
	Targets []TargetTimeline `json:"targets"`
}

// TimelineEvent is an event of the post.
type TimelineEvent struct {
	ID              string             `json:"id"`
	Type            schedctl.EventType `json:"type"`
	CreatedAt       *Time              `json:"created_at"`
	TargetID        *string            `json:"target_id"`
	SocialAccountID *string            `json:"social_account_id"`
	Status          schedctl.Status    `json:"status"`
	Error           *TargetError       `json:"error"`
}

// TargetTimeline is a target with all its attempts in place of their number.
type TargetTimeline struct {
	Target
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one call to a network.
type Attempt struct {
	ID         string           `json:"id"`
	Number     int              `json:"number"`
	StartedAt  *Time            `json:"started_at"`
	FinishedAt *Time            `json:"finished_at"`
	Outcome    schedctl.Outcome `json:"outcome"`
	HTTPStatus *int             `json:"http_status"`
	Error      *TargetError     `json:"error"`
}
