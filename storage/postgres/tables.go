package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// The tables. Each function describes one row, for writing and for reading.

var (
	workspaces = newLayout("workspaces", []string{"id"}, func(r *row, w *schedctl.Workspace) {
		r.id("id", schedctl.WorkspacePrefix, &w.ID)
		text(r, "name", &w.Name)
		text(r, "timezone", &w.Timezone)
		text(r, "plan", &w.Plan)
		text(r, "approvals", &w.Approvals)
		r.bool("four_eyes", &w.FourEyes)
		text(r, "locale", &w.Locale)
		r.time("created_at", &w.CreatedAt)
	})
	apiKeys            = newLayout("api_keys", []string{"id"}, describeKey)
	accounts           = newLayout("accounts", []string{"id"}, describeAccount)
	posts              = newLayout("posts", []string{"id"}, describePost)
	targets            = newLayout("targets", []string{"id"}, describeTarget)
	attempts           = newLayout("attempts", []string{"target_id", "number"}, describeAttempt)
	idempotencyRecords = newLayout("answers", []string{"hash"}, describeIdempotency)
	events             = newLayout("events", []string{"id"}, describeEvent)
	webhooks           = newLayout("webhooks", []string{"id"}, describeWebhook)
	deliveries         = newLayout("deliveries", []string{"webhook_id", "id"}, describeDelivery)
	auditEntries       = newLayout("audit_entries", []string{"workspace_id", "id"}, describeAudit)
	queues             = newLayout("queues", []string{"id"}, describeQueue)
	blackouts          = newLayout("blackouts", []string{"id"}, describeBlackout)
	seriesRows         = newLayout("series", []string{"id"}, describeSeries)
	calendarFeeds      = newLayout("calendar_feeds", []string{"id"}, describeCalendarFeed)
	collections        = newLayout("collections", []string{"id"}, describeCollection)
	aliases            = newLayout("aliases", []string{"id"}, describeAlias)
	shares             = newLayout("shares", []string{"id"}, describeShare)
	resultRows         = newLayout("results", []string{"id"}, describeResults)
	accountResultRows  = newLayout("account_results", []string{"id"}, describeAccountResults)
	sourceRows         = newLayout("sources", []string{"id"}, describeSource)
	sourceItemRows     = newLayout("source_items", []string{"id"}, describeSourceItem)
	mediaAssets        = newLayout("media_assets", []string{"workspace_id", "id"}, describeMediaAsset)
)

func describeKey(r *row, k *schedctl.APIKey) {
	r.id("id", schedctl.KeyPrefix, &k.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &k.WorkspaceID)
	text(r, "name", &k.Name)
	r.hash("hash", &k.Hash)
	list(r, "scopes", &k.Scopes)
	r.ids("account_ids", schedctl.AccountPrefix, &k.AccountIDs)
	r.time("created_at", &k.CreatedAt)
	r.time("expires_at", &k.ExpiresAt)
	r.time("revoked_at", &k.RevokedAt)
	r.time("last_used_at", &k.LastUsedAt)
	r.bool("agent", &k.Agent)
	r.bool("restricted", &k.Restricted)
}

func describeAccount(r *row, a *schedctl.Account) {
	r.id("id", schedctl.AccountPrefix, &a.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	text(r, "platform", &a.Platform)
	text(r, "name", &a.Name)
	text(r, "username", &a.Username)
	text(r, "display_name", &a.DisplayName)
	text(r, "profile_url", &a.ProfileURL)
	text(r, "status", &a.Status)
	number(r, "max_characters", &a.Limits.MaxCharacters)
	text(r, "unit", &a.Limits.Unit)
	number(r, "url_characters", &a.Limits.URLCharacters)
	r.options("options", &a.Options)
	r.bytes("credentials", &a.Credentials)
	r.error("error", &a.Error)
	r.time("paused_until", &a.PausedUntil)
	text(r, "paused_by", &a.PausedBy)
	r.time("results_asked_at", &a.ResultsAskedAt)
	r.time("disrupted_since", &a.DisruptedSince)
	r.optionalID("thread_target_id", schedctl.TargetPrefix, &a.ThreadTargetID)
	r.add("blackouts", "jsonb", blackoutsField{&a.Blackouts})
	r.add("poll_limits", "jsonb", pollLimitsField(&a.Limits.Polls))
	number(r, "window_posts", &a.Limits.Posts)
	number(r, "window_ns", &a.Limits.Window)
	r.add("expiry", "jsonb", expiryField(&a.Expiry))
	text(r, "approvals", &a.Approvals)
	r.add("file_limits", "jsonb", fileLimitsField(&a.Limits.Files))
	r.add("warnings", "text[]", listField[string]{&a.Warnings})
	r.time("created_at", &a.CreatedAt)
	r.time("updated_at", &a.UpdatedAt)
}

func (r *row) options(name string, o *schedctl.Options) {
	r.add(name, "jsonb", jsonField[schedctl.Options]{o, func(o schedctl.Options) bool { return len(o) == 0 }})
}

// postRow is a post without its targets, with the columns that lists select by.
type postRow struct {
	post     schedctl.Post
	status   string                 // see listStatus
	approval schedctl.ApprovalState // empty for none
	proposed time.Time              // of a draft; zero for none
	assetIDs []string               // of the post and of its targets
}

func newPostRow(p *schedctl.Post) *postRow {
	r := &postRow{post: *p, status: listStatus(p), proposed: p.Proposed.At, assetIDs: p.AssetIDs()}
	if p.Approval != nil {
		r.approval = p.Approval.State
	}
	return r
}

func describePost(r *row, p *postRow) {
	r.id("id", schedctl.PostPrefix, &p.post.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &p.post.WorkspaceID)
	text(r, "content", &p.post.Text)
	text(r, "status", &p.status)
	r.time("publish_at", &p.post.PublishAt)
	r.time("canceled_at", &p.post.CanceledAt)
	text(r, "external_id", &p.post.ExternalID)
	r.managed("managed", &p.post.Managed)
	r.add("labels", "jsonb", jsonField[[]string]{&p.post.Labels, func(l []string) bool { return len(l) == 0 }})
	r.add("media", "jsonb", mediaField(&p.post.Media, false))
	r.add("extra", "jsonb", extraFieldOf(&p.post))
	r.optionalID("queue_id", schedctl.QueuePrefix, &p.post.QueueID)
	r.optionalID("series_id", schedctl.SeriesPrefix, &p.post.SeriesID)
	r.add("plan", "jsonb", planField{&p.post})
	r.optionalID("editor_id", schedctl.KeyPrefix, &p.post.EditorID)
	text(r, "approval", &p.approval)
	r.time("proposed_at", &p.proposed)
	r.add("review", "jsonb", reviewField{&p.post.Review})
	r.optionalID("created_by", schedctl.KeyPrefix, &p.post.CreatedBy)
	r.optionalID("updated_by", schedctl.KeyPrefix, &p.post.UpdatedBy)
	r.time("archived_at", &p.post.ArchivedAt)
	r.optionalID("resend_of", schedctl.PostPrefix, &p.post.ResendOf)
	r.optionalID("resent_as", schedctl.PostPrefix, &p.post.ResentAs)
	r.optionalID("source_id", schedctl.SourcePrefix, &p.post.SourceID)
	r.optionalID("source_item_id", schedctl.SourceItemPrefix, &p.post.ItemID)
	r.add("asset_ids", "jsonb", jsonField[[]string]{&p.assetIDs, func(ids []string) bool { return len(ids) == 0 }})
	r.time("created_at", &p.post.CreatedAt)
	r.time("updated_at", &p.post.UpdatedAt)
	number(r, "version", &p.post.Version)
}

func describeAttempt(r *row, a *schedctl.Attempt) {
	r.id("target_id", schedctl.TargetPrefix, &a.TargetID)
	number(r, "number", &a.Number)
	r.id("id", schedctl.AttemptPrefix, &a.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	r.id("post_id", schedctl.PostPrefix, &a.PostID)
	r.id("account_id", schedctl.AccountPrefix, &a.AccountID)
	r.time("started_at", &a.StartedAt)
	r.time("finished_at", &a.FinishedAt)
	text(r, "outcome", &a.Outcome)
	r.error("error", &a.Error)
	text(r, "owner", &a.Owner)
	r.time("lease_until", &a.LeaseUntil)
	text(r, "key", &a.Key)
	number(r, "asks", &a.Asks)
	number(r, "part", &a.Part)
	text(r, "stage", &a.Stage)
}

// idempotencyRow is an idempotency record with the request that it belongs to.
type idempotencyRow struct {
	hash   [32]byte
	key    storage.IdempotencyScope
	record storage.IdempotencyRecord
}

func describeIdempotency(r *row, a *idempotencyRow) {
	r.hash("hash", &a.hash)
	text(r, "workspace", &a.key.WorkspaceID)
	text(r, "method", &a.key.Method)
	text(r, "path", &a.key.Path)
	text(r, "idempotency_key", &a.key.IdempotencyKey)
	r.hash("fingerprint", &a.record.Fingerprint)
	number(r, "status", &a.record.Status)
	r.add("header", "jsonb", jsonField[map[string]string]{&a.record.Header, func(h map[string]string) bool { return len(h) == 0 }})
	r.bytes("body", &a.record.Body)
	r.bool("sealed", &a.record.Sealed)
	r.time("created_at", &a.record.CreatedAt)
}

func describeEvent(r *row, e *schedctl.Event) {
	r.id("id", schedctl.EventPrefix, &e.ID)
	text(r, "type", &e.Type)
	r.time("created_at", &e.CreatedAt)
	r.id("workspace_id", schedctl.WorkspacePrefix, &e.WorkspaceID)
	r.optionalID("post_id", schedctl.PostPrefix, &e.PostID)
	r.optionalID("target_id", schedctl.TargetPrefix, &e.TargetID)
	r.optionalID("account_id", schedctl.AccountPrefix, &e.AccountID)
	r.optionalID("webhook_id", schedctl.WebhookPrefix, &e.WebhookID)
	text(r, "platform", &e.Platform)
	text(r, "status", &e.Status)
	text(r, "platform_post_id", &e.PlatformPostID)
	text(r, "platform_post_url", &e.PlatformPostURL)
	r.time("published_at", &e.PublishedAt)
	r.error("error", &e.Error)
	r.add("parts", "jsonb", publishedPartsField(&e.Parts))
	r.optionalID("series_id", schedctl.SeriesPrefix, &e.SeriesID)
	r.add("skipped", "jsonb", skippedField{&e.Skipped})
	r.bool("edited", &e.Edited)
	r.add("step", "jsonb", reviewStepField(&e.Step))
	r.optionalID("source_id", schedctl.SourcePrefix, &e.SourceID)
}

func describeWebhook(r *row, w *schedctl.Webhook) {
	r.id("id", schedctl.WebhookPrefix, &w.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &w.WorkspaceID)
	text(r, "name", &w.Name)
	text(r, "url", &w.URL)
	list(r, "event_types", &w.EventTypes)
	r.bool("enabled", &w.Enabled)
	text(r, "disabled_reason", &w.DisabledReason)
	r.bytes("secret", &w.Secret)
	r.bytes("previous_secret", &w.PreviousSecret)
	r.time("previous_until", &w.PreviousUntil)
	r.time("created_at", &w.CreatedAt)
	r.time("updated_at", &w.UpdatedAt)
	r.optionalID("cursor", schedctl.EventPrefix, &w.Cursor)
	r.time("failing_since", &w.FailingSince)
	r.add("notify", "jsonb", jsonField[*schedctl.Notify]{&w.Notify, func(n *schedctl.Notify) bool { return n == nil }})
}

func describeDelivery(r *row, d *schedctl.Delivery) {
	r.id("webhook_id", schedctl.WebhookPrefix, &d.WebhookID)
	r.id("id", schedctl.DeliveryPrefix, &d.ID)
	r.id("event_id", schedctl.EventPrefix, &d.EventID)
	text(r, "event_type", &d.EventType)
	text(r, "status", &d.Status)
	number(r, "attempt", &d.Attempt)
	number(r, "http_status", &d.HTTPStatus)
	number(r, "duration_ns", &d.Duration)
	text(r, "response", &d.Response)
	text(r, "error", &d.Error)
	r.time("next_attempt_at", &d.NextAttemptAt)
	number(r, "retries_from", &d.RetriesFrom)
	r.time("created_at", &d.CreatedAt)
	r.time("attempted_at", &d.AttemptedAt)
}

func describeAudit(r *row, a *schedctl.AuditEntry) {
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	r.id("id", schedctl.AuditPrefix, &a.ID)
	r.time("at", &a.At)
	r.optionalID("key_id", schedctl.KeyPrefix, &a.KeyID)
	text(r, "key_name", &a.KeyName)
	text(r, "remote_addr", &a.RemoteAddr)
	text(r, "action", &a.Action)
	text(r, "resource_id", &a.ResourceID)
	text(r, "request_id", &a.RequestID)
	text(r, "detail", &a.Detail)
}

func describeMediaAsset(r *row, a *schedctl.MediaAsset) {
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	r.id("id", schedctl.MediaPrefix, &a.ID)
	text(r, "file_name", &a.FileName)
	text(r, "mime_type", &a.MIMEType)
	number(r, "size_bytes", &a.Size)
	r.add("sha256", "bytea", optionalHashField{&a.SHA256})
	number(r, "width", &a.Width)
	number(r, "height", &a.Height)
	number(r, "duration_ns", &a.Duration)
	text(r, "alt_text", &a.AltText)
	text(r, "status", &a.Status)
	text(r, "reason", &a.Reason)
	r.time("created_at", &a.CreatedAt)
	r.time("updated_at", &a.UpdatedAt)
	r.time("expires_at", &a.ExpiresAt)
	r.optionalID("uploaded_by", schedctl.KeyPrefix, &a.UploadedBy)
	number(r, "served_size", &a.ServedSize)
}
