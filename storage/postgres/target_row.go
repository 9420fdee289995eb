package postgres

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// targetRow is a target with its position in the post, and the fields of its post that
// lists by account select by.
type targetRow struct {
	target              schedctl.Target
	workspaceID, postID string
	place               int
	dueAt               time.Time
	listed              bool
	postStatus          string // see listStatus
	postPublishAt       time.Time
	slotAt              time.Time
	fingerprint         []byte   // nil unless the content counts as present on the account
	partIDs             []string // of the published parts of a target with several; see partID
}

func describeTarget(r *row, t *targetRow) {
	r.id("id", schedctl.TargetPrefix, &t.target.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &t.workspaceID)
	r.id("post_id", schedctl.PostPrefix, &t.postID)
	number(r, "place", &t.place)
	r.id("account_id", schedctl.AccountPrefix, &t.target.AccountID)
	text(r, "platform", &t.target.Platform)
	text(r, "status", &t.target.Status)
	r.time("publish_at", &t.target.PublishAt)
	r.time("next_attempt_at", &t.target.NextAttemptAt)
	r.time("due_at", &t.dueAt)
	number(r, "attempts", &t.target.Attempts)
	r.time("retried_at", &t.target.RetriedAt)
	number(r, "attempts_before", &t.target.AttemptsBefore)
	r.time("ask_at", &t.target.AskAt)
	number(r, "unreached", &t.target.Unreached)
	text(r, "content", &t.target.Text)
	r.options("options", &t.target.Options)
	r.add("media", "jsonb", mediaField(&t.target.Media, true))
	r.add("extra", "jsonb", overrideFieldOf(&t.target))
	r.add("done", "jsonb", publishedPartsField(&t.target.Done))
	r.add("part_ids", "jsonb", jsonField[[]string]{&t.partIDs, func(ids []string) bool { return len(ids) == 0 }})
	text(r, "comment_status", &t.target.CommentStatus)
	text(r, "platform_post_id", &t.target.PlatformPostID)
	text(r, "platform_post_url", &t.target.PlatformPostURL)
	r.time("published_at", &t.target.PublishedAt)
	r.error("error", &t.target.Error)
	r.bool("listed", &t.listed)
	text(r, "post_status", &t.postStatus)
	r.time("post_publish_at", &t.postPublishAt)
	r.time("slot_at", &t.slotAt)
	r.bytes("fingerprint", &t.fingerprint)
}

// targetRows returns the rows of a post's targets.
func targetRows(p *schedctl.Post) []targetRow {
	rows := make([]targetRow, len(p.Targets))
	seen := make(map[string]bool, len(p.Targets))
	status, ofPost := listStatus(p), p.Fingerprint(&schedctl.Target{})
	for i := range p.Targets {
		t := &p.Targets[i]
		rows[i] = targetRow{
			target: *t, workspaceID: p.WorkspaceID, postID: p.ID, place: i,
			listed: !seen[t.AccountID], postStatus: status, postPublishAt: p.PublishAt,
		}
		for j := range t.Done {
			rows[i].partIDs = append(rows[i].partIDs, partID(t.AccountID, t.Done[j].ID))
		}
		if at, waiting := t.Due(); waiting {
			rows[i].dueAt = at
		}
		if t.HoldsSlot(p) && !holdsSlot(rows[:i], t.AccountID) {
			rows[i].slotAt = p.PublishAt
		}
		if t.Occupies() {
			f := ofPost
			if !t.SharesContent() {
				f = p.Fingerprint(t)
			}
			rows[i].fingerprint = f[:]
		}
		seen[t.AccountID] = true
	}
	return rows
}

// holdsSlot reports whether one of the rows holds a slot on an account.
func holdsSlot(rows []targetRow, accountID string) bool {
	return slices.ContainsFunc(rows, func(r targetRow) bool { return r.target.AccountID == accountID && !r.slotAt.IsZero() })
}

// errorDoc is a [schedctl.TargetError] as a document.
type errorDoc struct {
	Kind       schedctl.ErrorKind `json:"kind"`
	Code       string             `json:"code,omitempty"`
	Message    string             `json:"message"`
	HTTPStatus int                `json:"http_status,omitempty"`
	Retryable  bool               `json:"retryable"`
	Outcome    schedctl.Outcome   `json:"outcome"`
}

// error is the error of a target; null for none.
func (r *row) error(name string, e **schedctl.TargetError) {
	r.add(name, "jsonb", recordField(e,
		func(e *schedctl.TargetError) *errorDoc { return (*errorDoc)(e) },
		func(doc *errorDoc) *schedctl.TargetError { return (*schedctl.TargetError)(doc) }))
}
