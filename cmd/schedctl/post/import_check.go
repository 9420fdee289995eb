package post

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// importCheck checks every line before one is sent.
type importCheck struct {
	*importOptions
	client *client.Client
	zone   *time.Location // of times without one

	accounts Accounts // by id
	listed   []apiv1.Account
	queues   func() ([]apiv1.Queue, error) // of the workspace, read when a line names one
	ids      map[string]int                // the lines of ids
	lines    map[string]int                // the number of equal lines
	posts    map[string]int                // the number of equal posts

	uploads  sync.Mutex // guards uploader
	uploader *media.Uploader
}

// importLine is a line with the post that it describes.
type importLine struct {
	result   imported
	post     apiv1.CreatePost
	key      string          // idempotency key of a line without an id
	edit     *apiv1.EditPost // of an existing post, with --update
	version  int64           // of that post
	at       time.Time
	moment   when.Result
	relative bool // the time depends on the time of the import
	nth      int  // of equal posts in the file
	late     bool // files of the line are not uploaded yet
	row      bulk.Row
	stop     error // ends the import: all other lines would fail as well
}

// all checks all lines.
func (i *importCheck) all(ctx context.Context, in *bulk.Reader) (checked []importLine, err error) {
	i.listed, err = i.client.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return nil, err
	}
	i.accounts = Accounts{}
	for _, acct := range i.listed {
		i.accounts[acct.ID] = acct
	}
	i.ids, i.lines, i.posts = map[string]int{}, map[string]int{}, map[string]int{}
	i.queues = sync.OnceValues(func() ([]apiv1.Queue, error) { return i.client.Queues(ctx) })
	i.uploader = media.NewUploader(i.App, i.client)
	i.uploader.Silent, i.uploader.Dry, i.uploader.Folder = true, i.dry, i.mediaFolder()
	bar := i.NewProgress("checking", 0)
	defer bar.Clear()
	err = cli.RunInOrder(ctx, i.readAll(in), i.check, func(l importLine) error {
		bar.Step()
		checked = append(checked, l)
		return l.stop
	})
	return checked, err
}

// readAll reads the lines. For a line that cannot be read the result has the
// reason.
func (i *importCheck) readAll(in *bulk.Reader) iter.Seq2[importLine, error] {
	return func(yield func(importLine, error) bool) {
		for {
			row, err := in.Next()
			var at *bulk.Error
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.As(err, &at):
				i.broken = i.broken || at.Final
				refused := imported{Line: at.Line}.refusedWith(at.Message)
				if !yield(importLine{result: refused}, nil) || at.Final {
					return
				}
			case err != nil:
				yield(importLine{}, err)
				return
			default:
				l := importLine{result: imported{Line: row.Line, ID: row.ID, Result: resultOK}}
				if err := i.understand(row, &l); err != nil {
					l.result = l.result.refusedWith(cli.OneLine(err.Error()))
				}
				if !yield(l, nil) {
					return
				}
			}
		}
	}
}

// understand fills in the post of a line, without the daemon.
func (i *importCheck) understand(row bulk.Row, l *importLine) (err error) {
	l.row = row
	if row.Content != "" || len(row.Media) == 0 {
		if err := cli.CheckText(row.Content, "the text"); err != nil {
			return err
		}
	}
	if len(row.Alt) > len(row.Media) {
		return cli.InvalidError(schedctl.ValidationFailed, "the line has %s and %s; write \\; for a semicolon in a text",
			cli.Plural(len(row.Alt), "alt text"), cli.Plural(len(row.Media), "file"))
	}
	if before := i.ids[row.ID]; before > 0 {
		return cli.InvalidError(schedctl.ValidationFailed, "line %d has the same id %q", before, cli.Clip(row.ID, 60))
	}
	if row.ID != "" {
		i.ids[row.ID] = row.Line
	}
	l.post = apiv1.CreatePost{Content: row.Content, AllowDuplicate: i.allowDuplicate}
	if l.post.SocialAccountIDs, err = account.PickIDs(i.App, i.listed, row.To); err != nil {
		if slices.ContainsFunc(row.To, func(ref string) bool { return strings.Contains(ref, ",") }) {
			err = cli.InvalidError(schedctl.InvalidSocialAccounts, "%v; separate accounts with \";\"", err)
		}
		return err
	}
	if err := readParts(row, &l.post); err != nil {
		return err
	}
	if err := errors.Join(readNotes(row, &l.post), i.readOverrides(row, &l.post), i.readTime(row, l)); err != nil {
		return err
	}
	parts := append([]string{"import", row.Content, row.At, row.TZ}, row.To...)
	parts = append(append(parts, labeledParts("media", row.Media)...), labeledParts("alt", row.Alt)...)
	if text := partsText(l.post); text != partsText(apiv1.CreatePost{}) {
		parts = append(parts, "parts", text)
	}
	if text := planText(row); text != "" {
		parts = append(parts, "plan", text)
	}
	line := DeriveKey(parts...)
	i.lines[line]++
	l.key = DeriveKey("import line", line, strconv.Itoa(i.lines[line]))
	print := ContentFingerprint(row.Content, l.at, l.post.SocialAccountIDs, append(slices.Clone(row.Media), fingerprintExtras(nil, l.post.Thread, l.post.Poll)...)...) + cli.Deref(l.post.QueueID)
	i.posts[print]++
	l.nth = i.posts[print]
	return nil
}

func (i *importCheck) readTime(row bulk.Row, l *importLine) (err error) {
	zone := i.zone
	if row.TZ != "" {
		if zone, err = when.LoadZone(row.TZ); err != nil {
			return err
		}
	}
	if row.At == "" || row.Queue != "" {
		return i.readQueue(row, l, zone)
	}
	if len(row.To) == 0 {
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "a post with a time needs an account in \"to\"")
	}
	now := i.Now()
	if l.moment, err = when.Parse(row.At, now, zone); err != nil {
		return err
	}
	l.relative = cli.DependsOnNow(row.At, l.moment, now, zone)
	l.at = l.moment.Time.UTC().Truncate(time.Millisecond)
	l.result.PublishAt = apiv1.NewTime(l.at)
	l.result = l.result.remarked(l.moment.Note)
	l.post.PublishAt = apiv1.At(l.at)
	return nil
}

// check compares a line with its post, or checks that the post can be created.
func (i *importCheck) check(ctx context.Context, l importLine) importLine {
	if l.result.Result != resultOK {
		return l
	}
	var found *apiv1.Post
	err := i.attach(ctx, &l)
	if err == nil {
		found, err = i.find(ctx, &l)
	}
	if err == nil && found != nil {
		err = i.compare(&l, *found)
	}
	if err == nil && l.result.Result == resultOK {
		if l.post.PublishAt != nil && !l.post.PublishAt.NextSlot && (found == nil || l.edit.PublishAt != nil) {
			err = l.moment.Check(i.Now())
		}
		if err == nil {
			err = i.validate(ctx, &l)
		}
	}
	var past *when.Error
	switch {
	case err == nil:
	case errors.As(err, &past) || IsLineError(err):
		l.result = l.result.refusedWith(cli.OneLine(err.Error()))
	default:
		l.stop = err
	}
	return l
}

// find returns the existing post of a line, or nil. It sets the external id of a
// line with an id.
func (i *importCheck) find(ctx context.Context, l *importLine) (*apiv1.Post, error) {
	if id := l.result.ID; id != "" {
		if _, isPost := schedctl.ParseID(schedctl.PostPrefix, id); isPost {
			p, err := i.client.Post(ctx, id)
			if schedctl.CodeOf(err) != schedctl.NotFound {
				return &p, err
			}
		}
		external, err := i.externalID(id)
		if err != nil {
			return nil, err
		}
		l.post.ExternalID, l.nth = &external, 1
	}
	list, err := i.existing(ctx, l)
	if err != nil || len(list) < l.nth {
		return nil, err
	}
	return &list[l.nth-1], nil
}

// existing returns the post with the external id of a line or, for a line without
// an id, the posts with its text, time and accounts, canceled ones last.
func (i *importCheck) existing(ctx context.Context, l *importLine) ([]apiv1.Post, error) {
	q := client.PostQuery{After: l.at, Before: l.at.Add(time.Millisecond), Sort: "publish_at"}
	switch {
	case l.post.ExternalID != nil:
		q = client.PostQuery{ExternalID: *l.post.ExternalID}
	case l.post.QueueID != nil:
		q = client.PostQuery{QueueID: *l.post.QueueID, Search: searchText(l.post.Content), Sort: "created_at"}
	case l.at.IsZero():
		q = client.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Canceled}, Search: searchText(l.post.Content), Sort: "created_at"}
	}
	q.Limit = PageSize
	want := ContentFingerprint(l.post.Content, l.at, l.post.SocialAccountIDs, fingerprintExtras(l.post.Media, l.post.Thread, l.post.Poll)...)
	var open, canceled []apiv1.Post
	for p, err := range i.client.EachPost(ctx, q) {
		switch {
		case err != nil:
			return nil, err
		case l.post.ExternalID == nil && ContentFingerprint(p.Content, l.timeOf(p), p.SocialAccountIDs, fingerprintExtras(p.Media, p.Thread, p.Poll)...) != want:
		case p.Status == schedctl.Canceled:
			canceled = append(canceled, p)
		default:
			open = append(open, p)
		}
	}
	return append(open, canceled...), nil
}

func timeOf(p apiv1.Post) (at time.Time) {
	if p.PublishAt != nil {
		at = p.PublishAt.Time
	}
	return at
}

// ContentFingerprint returns a fingerprint of a post. The order of accounts does not
// matter, the order of media does.
func ContentFingerprint(content string, at time.Time, accounts []string, media ...string) string {
	accounts = slices.Sorted(slices.Values(accounts))
	parts := append([]string{content, apiv1.Time{Time: at}.String()}, accounts...)
	return DeriveKey(append(parts, labeledParts("media", media)...)...)
}

// compare decides about a line whose post exists. An empty column matches any post,
// and so does a time that depends on the time of the import.
func (i *importCheck) compare(l *importLine, p apiv1.Post) error {
	edit := fields.Changes(l.post, p)
	if !l.at.IsZero() && !l.relative && !timeOf(p).Equal(l.at) {
		edit.PublishAt = apiv1.At(l.at)
	}
	compareQueue(l.post, p, &edit)
	l.result.PostID, l.result.PublishAt, l.result.Message = p.ID, p.PublishAt, ""
	same := edit == apiv1.EditPost{}
	switch {
	case p.Status == schedctl.Canceled:
		l.result.Result, l.result.Message = resultExists, "canceled; not created again"
	case p.Status != schedctl.Draft && p.Status != schedctl.Scheduled && !same:
		l.result.Result, l.result.Message = resultExists, "already "+string(p.Status)+"; not changed"
	case same:
		l.result.Result = resultExists
	case !i.update:
		return cli.InvalidError(schedctl.ValidationFailed, "%s has another text, time, media, parts, accounts or settings; change it with --update", p.ID)
	default:
		edit.AllowDuplicate = i.allowDuplicate
		l.edit, l.version = &edit, p.Version
	}
	return nil
}
