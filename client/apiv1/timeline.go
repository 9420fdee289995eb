package apiv1

import "github.com/schedctl/schedctl"

// Timeline is the response of GET /posts/{id}/timeline: the history of a post,
// oldest first.
type Timeline struct {
	PostID  string           `json:"post_id" doc:"The post."`
	Status  schedctl.Status  `json:"status" doc:"The status of the post."`
	Events  []TimelineEvent  `json:"events" doc:"The oldest first."`
	Targets []TargetTimeline `json:"targets" doc:"In the order of the post's accounts."`
}

// TimelineEvent is an event of the post.
type TimelineEvent struct {
	ID              string             `json:"id" doc:"Starts with evt_."`
	Type            schedctl.EventType `json:"type" doc:"What happened."`
	CreatedAt       *Time              `json:"created_at" doc:"When it happened." nullable:"false"`
	TargetID        *string            `json:"target_id" doc:"The target of the event; null for the whole post."`
	SocialAccountID *string            `json:"social_account_id" doc:"The account of the target; null for the whole post."`
	Status          schedctl.Status    `json:"status" doc:"The status after the event: of the target, or of the post."`
	Error           *TargetError       `json:"error" doc:"Why publishing failed; null otherwise. On post.published, with kind degraded: the changes that the network made."`
}

// TargetTimeline is a target with all its attempts in place of their number.
type TargetTimeline struct {
	Target
	Attempts []Attempt `json:"attempts" doc:"The oldest first."`
}

// Attempt is one call to a network.
type Attempt struct {
	ID         string           `json:"id" doc:"Starts with att_."`
	Number     int              `json:"number" doc:"1 for the first attempt of the target."`
	Part       int              `json:"part" doc:"The index of the first part that the attempt publishes."`
	StartedAt  *Time            `json:"started_at" doc:"When the attempt started." nullable:"false"`
	FinishedAt *Time            `json:"finished_at" doc:"When the attempt ended; null while it runs."`
	Outcome    schedctl.Outcome `json:"outcome" doc:"running while it runs; unknown when the network may have published the post although no success was reported."`
	Preparing  bool             `json:"preparing" doc:"Whether the daemon still prepares the files of the post: it converts, uploads or stages them. Until that is done, no request to publish is sent."`
	HTTPStatus *int             `json:"http_status" doc:"The HTTP status of the network's response, or null."`
	Error      *TargetError     `json:"error" doc:"Why the attempt failed; null otherwise. On a published attempt, with kind degraded: the changes that the network made."`
}
