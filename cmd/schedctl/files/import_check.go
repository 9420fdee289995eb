package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// importCheck checks every line before one is sent.
type importCheck struct {
	*importOptions
	client *client.Client
	reader *fileReader // interprets lines as it interprets post files

	key      schedctl.APIKey // of the client
	accounts post.Accounts   // by id
	ids      map[string]int  // the lines of ids
	lines    map[string]int  // the number of equal lines
	posts    map[string]int  // the number of equal posts

	uploads  sync.Mutex // guards uploader
	uploader *media.Uploader
}

// importLine is a line with the post or the series that it describes.
type importLine struct {
	result imported
	want   wantedPost
	post   apiv1.CreatePost // want.request with its times and, after attach, its files
	key    string           // idempotency key of a line without an id
	nth    int              // of equal posts in the file
	late   bool             // files of the line are not uploaded yet
	csv    bool             // it has no media of parts
	stop   error            // ends the import: all other lines would fail as well
	denied error            // of stop: the rights of the API key or a missing approval

	// The changes of an existing post or series, with --update, and its version.
	edit       *apiv1.EditPost
	editSeries *apiv1.EditSeries
	version    int64
	creator    string // the id of the key that created the series; may be empty
}

// all checks all lines.
func (i *importCheck) all(ctx context.Context, in *postfile.Reader) (checked []importLine, err error) {
	list, err := i.client.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return nil, err
	}
	if i.key, err = readKey(ctx, i.client); err != nil {
		return nil, err
	}
	i.accounts, i.reader.accounts = post.Accounts{}, append([]apiv1.Account{}, list...)
	i.reader.groups, i.reader.snippets = account.GroupsOf(ctx, i.client), snippet.NewTexts(ctx, i.client)
	for _, acct := range list {
		i.accounts[acct.ID] = acct
	}
	i.ids, i.lines, i.posts = map[string]int{}, map[string]int{}, map[string]int{}
	i.uploader = media.NewUploader(i.App, i.client)
	i.uploader.Silent, i.uploader.Dry, i.uploader.Folder = true, i.dry, i.mediaFolder()
	bar := i.NewProgress("checking", 0)
	defer bar.Clear()
	err = cli.RunInOrder(ctx, i.readAll(ctx, in), i.check, func(l importLine) error {
		bar.Step()
		checked = append(checked, l)
		return l.stop
	})
	return checked, err
}

// readAll reads the lines. For a line that cannot be read the result has the
// reason.
func (i *importCheck) readAll(ctx context.Context, in *postfile.Reader) iter.Seq2[importLine, error] {
	return func(yield func(importLine, error) bool) {
		for {
			d, err := in.Next()
			var at *postfile.Error
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
				l, err := i.understand(ctx, &d)
				l.csv = in.Format() == postfile.CSV
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}
}

// understand returns the post of a line, or a refused line. Its error ends the import.
func (i *importCheck) understand(ctx context.Context, d *postfile.Document) (l importLine, err error) {
	l.result = imported{Line: d.First, ID: d.ID, Result: resultOK}
	r := i.reader
	if d.Queue != "" && r.queues == nil {
		if r.queues, err = i.client.Queues(ctx); err != nil {
			return l, err
		}
		r.queues = append([]apiv1.Queue{}, r.queues...)
	}
	r.problems, r.faults = nil, map[string]string{}
	i.readTimes(d)
	l.want = r.understand(d)
	if before := i.ids[d.ID]; before > 0 {
		r.problemf(d, d.First, "line %d has the same id %q", before, cli.Clip(d.ID, 60))
	} else if d.ID != "" {
		i.ids[d.ID] = d.First
	}
	switch {
	case l.want.series != nil && l.want.series.name == "":
		r.problemf(d, d.First, "a series needs a name in \"name\"")
	case l.want.series != nil && d.Notes != "":
		r.problemf(d, d.Line("notes"), "a series has no notes; remove them")
	}
	if len(r.problems) > 0 {
		l.result = l.result.refusedWith(r.faults[""])
		return l, nil
	}
	if l.want.At != "" {
		l.result.PublishAt = apiv1.NewTime(l.want.moment.Time)
		l.result = l.result.remarked(l.want.moment.Note)
	}
	l.post = l.want.request
	l.post.AllowDuplicate = i.allowDuplicate
	switch w := &l.want; {
	case w.Queue != "":
		l.post.PublishAt, l.post.QueueID, l.post.NotBefore = apiv1.NextSlot(), &w.Queue, w.notBefore()
	case w.nextSlot:
		l.post.PublishAt = apiv1.NextSlot()
	case w.At != "":
		l.post.PublishAt = apiv1.At(w.moment.Time.UTC())
	default:
		l.post.ProposedAt = w.proposed
	}
	i.identify(&l)
	return l, nil
}

// identify gives a line its idempotency key, and its number among equal posts. A line with
// nothing but a text, accounts and a time keeps its key when documents get more fields.
func (i *importCheck) identify(l *importLine) {
	d := l.want.doc
	parts := append([]string{"import", d.Post.Content, d.At, d.TZ}, d.To...)
	for _, m := range d.Post.Media {
		parts = append(parts, "media", m.ID, cli.Deref(m.AltText))
	}
	rest := *d
	rest.ID, rest.Post.Content, rest.At, rest.TZ, rest.To, rest.Post.Media = "", "", "", "", nil, nil
	if text := rest.Row(); text != new(postfile.Document).Row() {
		parts = append(parts, text)
	}
	line := post.DeriveKey(parts...)
	i.lines[line]++
	l.key = post.DeriveKey("import line", line, strconv.Itoa(i.lines[line]))
	same := fingerprintOf(l.post, l.at()) + cli.Deref(l.post.QueueID)
	i.posts[same]++
	l.nth = i.posts[same]
}

// at returns the time of a line, zero for a draft and for a post with a slot.
func (l *importLine) at() (at time.Time) {
	if l.want.At != "" {
		at = l.want.moment.Time.UTC()
	}
	return at
}

// check compares a line with its post, or checks that the post can be created.
func (i *importCheck) check(ctx context.Context, l importLine) importLine {
	if l.result.Result != resultOK {
		return l
	}
	err := i.attach(ctx, &l)
	if err == nil && l.want.series != nil {
		err = i.checkSeries(ctx, &l)
	} else if err == nil {
		err = i.checkPost(ctx, &l)
	}
	if err == nil && l.result.Result == resultOK {
		err = i.validate(ctx, &l)
	}
	var past *when.Error
	switch {
	case err == nil:
	case l.denied != nil && !i.dry:
		l.stop = fmt.Errorf("line %d: %w; no post was sent", l.result.Line, err)
	case l.denied != nil || errors.As(err, &past) || post.IsLineError(err):
		l.result = l.result.refusedWith(cli.ErrorLine(err))
	default:
		l.stop = err
	}
	return l
}

// attach uploads the files of a line, one after another. A file that cannot be read is
// an error of its line.
func (i *importCheck) attach(ctx context.Context, l *importLine) (err error) {
	i.uploads.Lock()
	defer i.uploads.Unlock()
	l.post = postfile.MapMedia(l.post, func(_ string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		if err != nil {
			return m, true
		}
		if m, err = i.uploader.Attach(ctx, m.ID, cli.Deref(m.AltText)); err == nil {
			l.late = l.late || media.Missing(m)
			return m, true
		}
		var failed *cli.Failure
		if errors.As(err, &failed) && (failed.Status == cli.ExitOther || failed.Status == cli.ExitUsage) {
			err = cli.InvalidError(schedctl.MediaInvalid, "%v", err)
		}
		return m, true
	})
	return err
}

// checkPost compares a line with its post, if that exists.
func (i *importCheck) checkPost(ctx context.Context, l *importLine) error {
	found, err := i.find(ctx, l)
	if err == nil && found != nil {
		err = i.compare(l, *found)
	}
	if err != nil || l.result.Result != resultOK {
		return err
	}
	if l.want.At != "" && (found == nil || l.edit.PublishAt != nil) {
		return l.want.moment.Check(i.Now())
	}
	return nil
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
	at := l.at()
	q := client.PostQuery{After: at, Before: at.Add(time.Millisecond), Sort: "publish_at"}
	switch {
	case l.post.ExternalID != nil:
		q = client.PostQuery{ExternalID: *l.post.ExternalID}
	case l.want.nextSlot && l.post.QueueID == nil:
		q = client.PostQuery{Search: searchText(l.post.Content), Sort: "created_at"}
	case l.post.QueueID != nil:
		q = client.PostQuery{QueueID: *l.post.QueueID, Search: searchText(l.post.Content), Sort: "created_at"}
	case at.IsZero():
		q = client.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Canceled}, Search: searchText(l.post.Content), Sort: "created_at"}
	}
	q.Limit, q.Archived = post.PageSize, "all"
	want := fingerprintOf(l.post, at)
	var open, canceled []apiv1.Post
	for p, err := range i.client.EachPost(ctx, q) {
		switch {
		case err != nil:
			return nil, err
		case l.post.ExternalID == nil && fingerprintOf(requestOf(p), l.timeOf(p)) != want:
		case p.Status == schedctl.Canceled:
			canceled = append(canceled, p)
		default:
			open = append(open, p)
		}
	}
	return append(open, canceled...), nil
}

// timeOf returns the time of a post that the line is compared with. A slot is no part of a
// line.
func (l *importLine) timeOf(p apiv1.Post) (at time.Time) {
	if p.PublishAt != nil && l.post.QueueID == nil && !l.want.nextSlot {
		at = p.PublishAt.Time
	}
	return at
}

// searchText returns the start of a text, short enough for the text search of the API.
func searchText(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// fingerprintOf returns a fingerprint of the texts, the media, the poll, the accounts and
// the time of a post.
func fingerprintOf(p apiv1.CreatePost, at time.Time) string {
	extras := cli.Map(p.Media, func(m apiv1.PostMedia) string { return m.ID })
	for _, part := range p.Thread {
		extras = append(extras, "part", part.Content)
	}
	if p.Poll != nil {
		extras = append(append(extras, "poll"), p.Poll.Options...)
	}
	return ContentFingerprint(p.Content, at, p.SocialAccountIDs, extras...)
}

// ContentFingerprint returns a fingerprint of a post. The order of accounts does not
// matter, the order of media does.
func ContentFingerprint(content string, at time.Time, accounts []string, media ...string) string {
	parts := append([]string{content, apiv1.Time{Time: at}.String()}, slices.Sorted(slices.Values(accounts))...)
	for _, m := range media {
		parts = append(parts, "media", m)
	}
	return post.DeriveKey(parts...)
}
