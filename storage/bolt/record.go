package bolt

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// The methods below describe the records, for writing and for reading. A record has
// the fields that are not in its key. Fields are never removed or moved. A change
// needs a new layout, so that older records stay readable. It also needs a migration,
// so that an older program refuses the file.

func (c *coder) post(p *schedctl.Post) {
	c.postHead(p)
	list(c, &p.Targets, (*coder).target)
}

// postHead has the fields of a post without its targets.
func (c *coder) postHead(p *schedctl.Post) {
	c.id(schedctl.WorkspacePrefix, &p.WorkspaceID)
	c.postFields(p)
}

// postFields has the fields of a post without its workspace and its targets.
func (c *coder) postFields(p *schedctl.Post) {
	c.time(&p.CreatedAt)
	c.time(&p.UpdatedAt)
	c.time(&p.PublishAt)
	c.time(&p.CanceledAt)
	c.int64(&p.Version)
	text(c, &p.Text)
	if c.layout >= 5 {
		text(c, &p.ExternalID)
		c.managed(&p.Managed)
		list(c, &p.Labels, text)
	}
	if c.layout >= 7 {
		list(c, &p.Media, (*coder).postMedia)
	}
	if c.layout >= 8 {
		c.postParts(p)
	}
	if c.layout >= 9 {
		c.postPlan(p)
	}
	if c.layout >= 11 {
		c.review(&p.Review)
	}
	if c.layout >= 12 {
		c.trail(&p.Trail)
		c.card(&p.Card)
		c.changeRequest(&p.Changes)
	}
}

func (c *coder) postMedia(m *schedctl.PostMedia) {
	c.id(schedctl.MediaPrefix, &m.AssetID)
	c.fixed(m.SHA256[:])
	if m.HasAltText = c.present(m.HasAltText); m.HasAltText {
		text(c, &m.AltText)
	}
}

func (c *coder) managed(m **schedctl.Managed) {
	if !optional(c, m) {
		return
	}
	text(c, &(*m).Collection)
	text(c, &(*m).Path)
	text(c, &(*m).Digest)
	c.bool(&(*m).Pruned)
}

func (c *coder) target(t *schedctl.Target) {
	c.id(schedctl.TargetPrefix, &t.ID)
	c.id(schedctl.AccountPrefix, &t.AccountID)
	text(c, &t.Platform)
	status(c, &t.Status, statusCodes)
	c.time(&t.PublishAt)
	c.time(&t.NextAttemptAt)
	c.int(&t.Attempts)
	c.time(&t.RetriedAt)
	c.int(&t.AttemptsBefore)
	text(c, &t.PlatformPostID)
	text(c, &t.PlatformPostURL)
	c.time(&t.PublishedAt)
	c.targetError(&t.Error)
	if c.layout >= 2 {
		text(c, &t.Text)
		c.options(&t.Options)
	}
	if c.layout >= 4 {
		c.time(&t.AskAt)
		c.int(&t.Unreached)
	}
	if c.layout >= 7 {
		optionalList(c, &t.Media, (*coder).postMedia)
	}
	if c.layout >= 8 {
		c.targetParts(t)
	}
}

func (c *coder) targetError(e **schedctl.TargetError) {
	if !optional(c, e) {
		return
	}
	text(c, &(*e).Kind)
	text(c, &(*e).Code)
	text(c, &(*e).Message)
	c.int(&(*e).HTTPStatus)
	c.bool(&(*e).Retryable)
	text(c, &(*e).Outcome)
}

// attempt has no target and no number: they are in the key.
func (c *coder) attempt(a *schedctl.Attempt) {
	c.id(schedctl.AttemptPrefix, &a.ID)
	c.id(schedctl.WorkspacePrefix, &a.WorkspaceID)
	c.id(schedctl.PostPrefix, &a.PostID)
	c.id(schedctl.AccountPrefix, &a.AccountID)
	c.time(&a.StartedAt)
	c.time(&a.FinishedAt)
	text(c, &a.Outcome)
	c.targetError(&a.Error)
	text(c, &a.Owner)
	c.time(&a.LeaseUntil)
	text(c, &a.Key)
	if c.layout >= 4 {
		c.int(&a.Asks)
	}
	if c.layout >= 8 {
		c.int(&a.Part)
	}
	if c.layout >= 10 {
		text(c, &a.Stage)
	}
}

// account has no id and no workspace: they are in the key.
func (c *coder) account(a *schedctl.Account) {
	text(c, &a.Platform)
	text(c, &a.Name)
	text(c, &a.Username)
	text(c, &a.DisplayName)
	text(c, &a.ProfileURL)
	text(c, &a.Status)
	c.int(&a.Limits.MaxCharacters)
	text(c, &a.Limits.Unit)
	c.int(&a.Limits.URLCharacters)
	c.options(&a.Options)
	c.bytes(&a.Credentials)
	c.targetError(&a.Error)
	c.time(&a.PausedUntil)
	c.time(&a.CreatedAt)
	c.time(&a.UpdatedAt)
	if c.layout >= 4 {
		c.time(&a.DisruptedSince)
	}
	if c.layout >= 8 {
		c.optionalID(schedctl.TargetPrefix, &a.ThreadTargetID)
		c.pollLimits(&a.Limits.Polls)
	}
	if c.layout >= 9 {
		list(c, &a.Blackouts, (*coder).accountBlackout)
	}
	if c.layout >= 10 {
		c.accountExpiry(a)
	}
	if c.layout >= 11 {
		text(c, &a.Approvals)
	}
	if c.layout >= 12 {
		list(c, &a.Warnings, func(c *coder, warning *string) { text(c, warning) })
		c.fileLimits(&a.Limits.Files)
		text(c, &a.PausedBy)
		c.time(&a.ResultsAskedAt)
	}
}

// options are stored as JSON, as requests have them.
func (c *coder) options(o *schedctl.Options) {
	var doc []byte
	if !c.reading && len(*o) > 0 {
		var err error
		if doc, err = json.Marshal(*o); err != nil {
			c.fail(err)
		}
	}
	c.bytes(&doc)
	if c.reading && len(doc) > 0 {
		if err := json.Unmarshal(doc, o); err != nil {
			c.fail(err)
		}
	}
}

// mediaAsset has no id and no workspace: they are in the key.
func (c *coder) mediaAsset(a *schedctl.MediaAsset) {
	text(c, &a.FileName)
	text(c, &a.MIMEType)
	c.int64(&a.Size)
	c.fixed(a.SHA256[:])
	c.int(&a.Width)
	c.int(&a.Height)
	c.int64((*int64)(&a.Duration))
	text(c, &a.AltText)
	status(c, &a.Status, mediaCodes)
	text(c, &a.Reason)
	c.time(&a.CreatedAt)
	c.time(&a.UpdatedAt)
	c.time(&a.ExpiresAt)
	if c.layout >= 12 {
		c.optionalID(schedctl.KeyPrefix, &a.UploadedBy)
		c.int64(&a.ServedSize)
	}
}

// workspace has no id: it is in the key.
func (c *coder) workspace(w *schedctl.Workspace) {
	text(c, &w.Name)
	text(c, &w.Timezone)
	text(c, &w.Plan)
	c.time(&w.CreatedAt)
	if c.layout >= 11 {
		text(c, &w.Approvals)
	}
	if c.layout >= 12 {
		c.bool(&w.FourEyes)
		text(c, &w.Locale)
	}
}

// key is the record of an API key. It has no id and no workspace: they are in the key of
// the bucket.
func (c *coder) key(k *schedctl.APIKey) {
	text(c, &k.Name)
	c.fixed(k.Hash[:])
	list(c, &k.Scopes, text)
	list(c, &k.AccountIDs, func(c *coder, id *string) { c.id(schedctl.AccountPrefix, id) })
	c.time(&k.CreatedAt)
	c.time(&k.ExpiresAt)
	c.time(&k.RevokedAt)
	c.time(&k.LastUsedAt)
	if c.layout >= 11 {
		c.bool(&k.Agent)
		c.bool(&k.Restricted)
	}
}

// idempotencyRecord is the record of a [storage.IdempotencyRecord]. It has the time of creation
// although that is in the key, because a key cannot represent a zero time.
func (c *coder) idempotencyRecord(a *storage.IdempotencyRecord) {
	c.fixed(a.Fingerprint[:])
	c.int(&a.Status)
	c.bool(&a.Sealed)
	c.time(&a.CreatedAt)
	c.header(&a.Header)
	c.bytes(&a.Body)
}

func (c *coder) header(h *map[string]string) {
	names := slices.Sorted(maps.Keys(*h))
	list(c, &names, text)
	if c.reading && len(names) > 0 {
		*h = make(map[string]string, len(names))
	}
	for _, name := range names {
		value := (*h)[name]
		text(c, &value)
		if c.reading {
			(*h)[name] = value
		}
	}
}

// event has no id: it is in the key.
func (c *coder) event(e *schedctl.Event) {
	c.time(&e.CreatedAt)
	text(c, &e.Type)
	c.id(schedctl.WorkspacePrefix, &e.WorkspaceID)
	c.optionalID(schedctl.PostPrefix, &e.PostID)
	c.optionalID(schedctl.TargetPrefix, &e.TargetID)
	c.optionalID(schedctl.AccountPrefix, &e.AccountID)
	text(c, &e.Platform)
	status(c, &e.Status, statusCodes)
	text(c, &e.PlatformPostID)
	text(c, &e.PlatformPostURL)
	c.time(&e.PublishedAt)
	c.targetError(&e.Error)
	if c.layout >= 3 {
		c.optionalID(schedctl.WebhookPrefix, &e.WebhookID)
	}
	if c.layout >= 8 {
		list(c, &e.Parts, (*coder).publishedPart)
	}
	if c.layout >= 9 {
		c.optionalID(schedctl.SeriesPrefix, &e.SeriesID)
		c.skipped(&e.Skipped)
	}
	if c.layout >= 12 {
		c.bool(&e.Edited)
		c.reviewStep(&e.Step)
		c.optionalID(schedctl.SourcePrefix, &e.SourceID)
	}
}

// webhook has no id and no workspace: they are in the key.
func (c *coder) webhook(w *schedctl.Webhook) {
	text(c, &w.Name)
	text(c, &w.URL)
	list(c, &w.EventTypes, text)
	c.bool(&w.Enabled)
	text(c, &w.DisabledReason)
	c.bytes(&w.Secret)
	c.bytes(&w.PreviousSecret)
	c.time(&w.PreviousUntil)
	c.time(&w.CreatedAt)
	c.time(&w.UpdatedAt)
	c.optionalID(schedctl.EventPrefix, &w.Cursor)
	c.time(&w.FailingSince)
	if c.layout >= 6 {
		c.notify(&w.Notify)
	}
}

func (c *coder) notify(n **schedctl.Notify) {
	if !optional(c, n) {
		return
	}
	c.optionalID(schedctl.AccountPrefix, &(*n).AccountID)
	c.mail(&(*n).Mail)
	c.time(&(*n).NotBefore)
	c.time(&(*n).SentAt)
	c.int(&(*n).Failures)
	text(c, &(*n).LastError)
	if c.layout >= 12 {
		text(c, &(*n).About)
		c.optionalID(schedctl.KeyPrefix, &(*n).KeyID)
		text(c, &(*n).ReviewLink)
	}
}

func (c *coder) mail(m **schedctl.Mail) {
	if !optional(c, m) {
		return
	}
	text(c, &(*m).Host)
	c.int(&(*m).Port)
	text(c, &(*m).Username)
	text(c, &(*m).From)
	list(c, &(*m).To, text)
	text(c, &(*m).TLS)
}

// delivery has no id and no webhook: they are in the key.
func (c *coder) delivery(d *schedctl.Delivery) {
	c.id(schedctl.EventPrefix, &d.EventID)
	text(c, &d.EventType)
	text(c, &d.Status)
	c.int(&d.Attempt)
	c.int(&d.HTTPStatus)
	c.int64((*int64)(&d.Duration))
	text(c, &d.Response)
	text(c, &d.Error)
	c.time(&d.NextAttemptAt)
	c.int(&d.RetriesFrom)
	c.time(&d.CreatedAt)
	c.time(&d.AttemptedAt)
}

// auditEntry has no id and no workspace: they are in the key.
func (c *coder) auditEntry(a *schedctl.AuditEntry) {
	c.time(&a.At)
	c.optionalID(schedctl.KeyPrefix, &a.KeyID)
	text(c, &a.KeyName)
	text(c, &a.RemoteAddr)
	text(c, &a.Action)
	text(c, &a.ResourceID)
	text(c, &a.RequestID)
	if c.layout >= 11 {
		text(c, &a.Detail)
	}
}
