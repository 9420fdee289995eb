package browse

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/tui/screen"
)

// daemonOf is a [screen.Client] over HTTP.
type daemonOf struct{ http *client.Client }

// unanswered is the error for a daemon that did not respond.
type unanswered struct{ error }

func (u unanswered) Unwrap() error        { return u.error }
func (u unanswered) Is(target error) bool { return target == screen.ErrUnreachable }

// tuiError returns an error of the client as the errors that package tui recognizes.
func tuiError(err error) error {
	var unreachable *client.UnreachableError
	if errors.As(err, &unreachable) {
		return unanswered{err}
	}
	var refused *client.Error
	if errors.As(err, &refused) && len(refused.API.Details) > 1 {
		return worded{err}
	}
	return err
}

// worded is a refusal for several reasons, in the words of the command line.
type worded struct{ error }

func (w worded) Error() string { return cli.ErrorText(w.error) }
func (w worded) Unwrap() error { return w.error }

func convertResult[T any](v T, err error) (T, error) { return v, tuiError(err) }

func (d daemonOf) Accounts(ctx context.Context) ([]apiv1.Account, error) {
	return convertResult(d.http.Accounts(ctx, client.AccountQuery{Status: "all"}))
}

func (d daemonOf) VerifyAccount(ctx context.Context, id string) (apiv1.Account, error) {
	return convertResult(d.http.VerifyAccount(ctx, id))
}

func (d daemonOf) Platforms(ctx context.Context) (map[string]apiv1.PlatformEntry, error) {
	c, err := d.http.Capabilities(ctx)
	return c.Platforms, tuiError(err)
}

func (d daemonOf) AddAccount(ctx context.Context, a apiv1.AddAccount) (apiv1.Account, error) {
	a.Options = typedOptions(a.Options)
	return convertResult(d.http.AddAccount(ctx, a))
}

func (d daemonOf) EditAccount(ctx context.Context, id string, a apiv1.EditAccount) (apiv1.Account, error) {
	a.Options = typedOptions(a.Options)
	return convertResult(d.http.EditAccount(ctx, id, a))
}

// typedOptions returns typed texts as options of the API.
func typedOptions(typed map[string]any) map[string]any {
	if typed == nil {
		return nil
	}
	out := make(map[string]any, len(typed))
	for name, value := range typed {
		if text, ok := value.(string); ok {
			value = apiv1.OptionValue(name, text)
		}
		out[name] = value
	}
	return out
}

func (d daemonOf) Webhooks(ctx context.Context) ([]apiv1.Webhook, error) {
	return convertResult(d.http.Webhooks(ctx))
}

func (d daemonOf) Deliveries(ctx context.Context, webhookID, cursor string) (apiv1.DeliveryList, error) {
	return convertResult(d.http.Deliveries(ctx, webhookID, client.DeliveryQuery{Limit: post.PageSize, Cursor: cursor}))
}

func (d daemonOf) ReplayDelivery(ctx context.Context, webhookID, id string) (apiv1.Delivery, error) {
	return convertResult(d.http.ReplayDelivery(ctx, webhookID, id))
}

func (d daemonOf) Posts(ctx context.Context, q screen.Query) (apiv1.PostList, error) {
	query := client.PostQuery{
		Statuses: q.Statuses, AccountID: q.AccountID, After: q.After, Before: q.Before,
		Search: q.Search, QueueID: q.QueueID, Approval: q.Approval, Sort: q.Sort, Limit: q.Limit, Cursor: q.Cursor, Proposed: q.WithProposals(),
	}
	if q.Label != "" {
		query.Labels = []string{q.Label}
	}
	return convertResult(d.http.Posts(ctx, query))
}

func (d daemonOf) Post(ctx context.Context, id string) (apiv1.Post, error) {
	return convertResult(d.http.Post(ctx, id))
}

func (d daemonOf) Timeline(ctx context.Context, id string) (apiv1.Timeline, error) {
	return convertResult(d.http.PostTimeline(ctx, id))
}

func (d daemonOf) Validate(ctx context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error) {
	return convertResult(d.http.ValidateChange(ctx, id, p))
}

func (d daemonOf) Create(ctx context.Context, p apiv1.CreatePost, key string) (apiv1.Post, error) {
	return convertResult(d.http.CreatePost(ctx, p, client.IdempotencyKey(key)))
}

func (d daemonOf) Edit(ctx context.Context, at screen.Version, p apiv1.EditPost) (apiv1.Post, error) {
	return convertResult(d.http.EditPost(ctx, at.ID, p, client.IfVersion(at.Number)))
}

func (d daemonOf) Schedule(ctx context.Context, at screen.Version, p apiv1.SchedulePost) (apiv1.Post, error) {
	return convertResult(d.http.SchedulePost(ctx, at.ID, p, client.IfVersion(at.Number)))
}

func (d daemonOf) Publish(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.PublishPost(ctx, at.ID, apiv1.PublishPost{}, client.IfVersion(at.Number)))
}

func (d daemonOf) Unschedule(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.UnschedulePost(ctx, at.ID, client.IfVersion(at.Number)))
}

func (d daemonOf) Cancel(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.CancelPost(ctx, at.ID, client.IfVersion(at.Number)))
}

func (d daemonOf) Archive(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.ArchivePost(ctx, at.ID, client.IfVersion(at.Number)))
}

func (d daemonOf) Unarchive(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.UnarchivePost(ctx, at.ID, client.IfVersion(at.Number)))
}

func (d daemonOf) Delete(ctx context.Context, id string) error {
	return tuiError(d.http.DeletePost(ctx, id))
}

func (d daemonOf) Resend(ctx context.Context, at screen.Version, p apiv1.EditPost) (apiv1.Post, error) {
	return convertResult(d.http.ResendPost(ctx, at.ID, apiv1.ResendPost{EditPost: p}, client.IfVersion(at.Number)))
}

func (d daemonOf) Retry(ctx context.Context, id string, p apiv1.RetryPost) (apiv1.Post, error) {
	return convertResult(d.http.RetryPost(ctx, id, p))
}

func (d daemonOf) Submit(ctx context.Context, at screen.Version, p apiv1.SubmitPost, key string) (apiv1.Post, error) {
	return convertResult(d.http.SubmitPost(ctx, at.ID, p, client.IfVersion(at.Number), client.IdempotencyKey(key)))
}

func (d daemonOf) Approve(ctx context.Context, at screen.Version, p apiv1.ApprovePost, key string) (apiv1.Post, error) {
	return convertResult(d.http.ApprovePost(ctx, at.ID, p, client.IfVersion(at.Number), client.IdempotencyKey(key)))
}

func (d daemonOf) RequestChanges(ctx context.Context, at screen.Version, note, key string) (apiv1.Post, error) {
	return convertResult(d.http.RequestChanges(ctx, at.ID, apiv1.RequestChanges{Note: note}, client.IfVersion(at.Number), client.IdempotencyKey(key)))
}

func (d daemonOf) Withdraw(ctx context.Context, at screen.Version) (apiv1.Post, error) {
	return convertResult(d.http.WithdrawPost(ctx, at.ID, client.IfVersion(at.Number)))
}

func (d daemonOf) Notes(ctx context.Context, id string) ([]apiv1.PostNote, error) {
	return convertResult(d.http.PostNotes(ctx, id))
}

func (d daemonOf) AddNote(ctx context.Context, id, text, key string) (apiv1.PostNote, error) {
	return convertResult(d.http.AddNote(ctx, id, text, client.IdempotencyKey(key)))
}

func (d daemonOf) CreateShare(ctx context.Context, s apiv1.CreateShare) (apiv1.ShareAddress, error) {
	return convertResult(d.http.CreateShare(ctx, s))
}

func (d daemonOf) RevokeShare(ctx context.Context, id string) error {
	return tuiError(d.http.RevokeShare(ctx, id))
}

func (d daemonOf) APIKeys(ctx context.Context) ([]apiv1.APIKey, error) {
	return convertResult(d.http.APIKeys(ctx))
}

func (d daemonOf) Queues(ctx context.Context) ([]apiv1.Queue, error) {
	return convertResult(d.http.Queues(ctx))
}

func (d daemonOf) Queue(ctx context.Context, id string) (apiv1.QueueEnvelope, error) {
	return convertResult(d.http.Queue(ctx, id))
}

func (d daemonOf) QueueSlots(ctx context.Context, id string, q screen.SlotQuery) ([]apiv1.QueueSlot, error) {
	return convertResult(d.http.QueueSlots(ctx, id, client.SlotQuery(q)))
}

func (d daemonOf) OrderQueue(ctx context.Context, id string, postIDs []string) (apiv1.QueueMoves, error) {
	return convertResult(d.http.OrderQueue(ctx, id, postIDs))
}

func (d daemonOf) PreviewReflow(ctx context.Context, id string) (apiv1.QueueMoves, error) {
	return convertResult(d.http.PreviewReflow(ctx, id))
}

func (d daemonOf) ReflowQueue(ctx context.Context, id, digest string) (apiv1.QueueMoves, error) {
	return convertResult(d.http.ReflowQueue(ctx, id, digest))
}

func (d daemonOf) Forecast(ctx context.Context) (apiv1.ForecastList, error) {
	return convertResult(d.http.Forecast(ctx, 0))
}

func (d daemonOf) Blackouts(ctx context.Context) ([]apiv1.Blackout, error) {
	return convertResult(d.http.Blackouts(ctx))
}

func (d daemonOf) AccountGroups(ctx context.Context) ([]apiv1.AccountGroup, error) {
	return convertResult(d.http.AccountGroups(ctx))
}

func (d daemonOf) Snippets(ctx context.Context) ([]apiv1.Snippet, error) {
	return convertResult(d.http.Snippets(ctx))
}

func (d daemonOf) CreateSeries(ctx context.Context, s apiv1.CreateSeries, key string) (apiv1.Series, error) {
	return convertResult(d.http.CreateSeries(ctx, s, client.IdempotencyKey(key)))
}

func (d daemonOf) Series(ctx context.Context, id string) (apiv1.Series, error) {
	return convertResult(d.http.Series(ctx, id))
}

func (d daemonOf) PendingSeries(ctx context.Context) (pending []apiv1.Series, err error) {
	for s, err := range d.http.EachSeries(ctx, client.SeriesQuery{Approval: schedctl.ApprovalPending, Limit: 100}) {
		if err != nil {
			return nil, tuiError(err)
		}
		if s.State != schedctl.SeriesEnded {
			pending = append(pending, s)
		}
	}
	return pending, nil
}

func (d daemonOf) ApproveSeries(ctx context.Context, at screen.Version, note *string, key string) (apiv1.Series, error) {
	e, err := d.http.ApproveSeries(ctx, at.ID, apiv1.ApproveSeries{Note: note}, client.IfVersion(at.Number), client.IdempotencyKey(key))
	return convertResult(e.Series, err)
}

func (d daemonOf) RequestSeriesChanges(ctx context.Context, at screen.Version, note, key string) (apiv1.Series, error) {
	e, err := d.http.RequestSeriesChanges(ctx, at.ID, apiv1.RequestChanges{Note: note}, client.IfVersion(at.Number), client.IdempotencyKey(key))
	return convertResult(e.Series, err)
}

func (d daemonOf) WithdrawSeries(ctx context.Context, at screen.Version) (apiv1.Series, error) {
	e, err := d.http.WithdrawSeries(ctx, at.ID, client.IfVersion(at.Number))
	return convertResult(e.Series, err)
}

func (d daemonOf) Occurrences(ctx context.Context, seriesID string, after time.Time, limit int) ([]apiv1.Occurrence, error) {
	list, err := d.http.Occurrences(ctx, seriesID, client.OccurrenceQuery{After: after, Limit: limit})
	return convertResult(list.Results, err)
}

func (d daemonOf) SkipOccurrence(ctx context.Context, seriesID, occurrence string) error {
	_, err := d.http.SkipOccurrence(ctx, seriesID, occurrence)
	return tuiError(err)
}

func (d daemonOf) EditSeries(ctx context.Context, at screen.Version, s apiv1.EditSeries) error {
	_, err := d.http.EditSeries(ctx, at.ID, s, client.IfVersion(at.Number))
	return tuiError(err)
}

func (d daemonOf) Follow(ctx context.Context, after string, tell func(apiv1.Event)) error {
	began := func(position string) { tell(apiv1.Event{ID: position}) }
	return tuiError(d.http.EventStream(ctx, after, began, tell))
}

func (d daemonOf) Upload(ctx context.Context, path string, progress func(sent, size int64)) (apiv1.MediaAsset, error) {
	f, err := os.Open(expandHome(path))
	if err != nil {
		return apiv1.MediaAsset{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return apiv1.MediaAsset{}, err
	}
	done, err := d.http.UploadMedia(ctx, client.UploadFile{
		Name: schedctl.CleanFileName(path), Size: info.Size(),
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, info.Size())), nil },
		Progress: func(sent int64) { progress(sent, info.Size()) },
	})
	return convertResult(done.MediaAsset, err)
}
