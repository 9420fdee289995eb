package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/client/when"
)

// importCheck looks at every line before one is sent.
type importCheck struct {
	*postImport
	client *client.Client
	zone   *time.Location // of times without one
	twins  *twins

	accounts accounts // by id
	listed   []apiv1.Account
	ids      map[string]int // the lines of ids
	lines    map[string]int // how often each line is there
	posts    map[string]int // how often each post is
}

// candidate is a line that can be read.
type candidate struct {
	readyLine
	result imported
	at     time.Time
	moment when.Moment
	nth    int   // of the same posts in the file
	stop   error // what ends the import: the other lines would meet it as well
}

// all checks all lines. Those that are good are put into the spool, in their
// order.
func (i *importCheck) all(ctx context.Context, in *bulk.Reader, kept *spool) ([]imported, error) {
	list, err := patiently(ctx, i.app, func() ([]apiv1.Account, error) { return i.client.Accounts(ctx, client.AccountQuery{}) })
	if err != nil {
		return nil, err
	}
	i.listed, i.accounts = list, accounts{}
	for _, acct := range list {
		i.accounts[acct.ID] = acct
	}
	i.ids, i.lines, i.posts = map[string]int{}, map[string]int{}, map[string]int{}
	bar := i.newProgress("checking", 0)
	defer bar.clear()
	var results []imported
	err = inOrder(ctx, i.candidates(in), i.check, func(c candidate) error {
		if c.stop != nil {
			return c.stop
		}
		bar.step()
		results = append(results, c.result)
		if c.result.Result == resultOK {
			return kept.put(c.readyLine)
		}
		return nil
	})
	return results, err
}

// candidates reads the lines. Of a line that cannot be read the result says why.
func (i *importCheck) candidates(in *bulk.Reader) iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		for {
			row, err := in.Next()
			var at *bulk.Error
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.As(err, &at):
				i.broken = i.broken || at.Final
				refused := imported{Line: at.Line}.refusedWith(at.Message)
				if !yield(candidate{result: refused}, nil) || at.Final {
					return
				}
			case err != nil:
				yield(candidate{}, err)
				return
			default:
				if !yield(i.read(row), nil) {
					return
				}
			}
		}
	}
}

// read understands a line, without asking the daemon.
func (i *importCheck) read(row bulk.Row) candidate {
	c := candidate{result: imported{Line: row.Line, ID: row.ID}}
	if err := i.understand(row, &c); err != nil {
		c.result = c.result.refusedWith(oneLine(err.Error()))
		return c
	}
	c.result.Result = resultOK
	line := keyOf(append([]string{"import", row.Content, row.At, row.TZ}, row.To...)...)
	i.lines[line]++
	c.Key = keyOf("import line", line, strconv.Itoa(i.lines[line]))
	if row.ID != "" {
		c.Key = keyOf("import id", row.ID)
	}
	print := printOf(row.Content, c.at, c.Post.SocialAccountIDs)
	i.posts[print]++
	c.nth = i.posts[print]
	return c
}

// understand fills in the post of a line.
func (i *importCheck) understand(row bulk.Row, c *candidate) (err error) {
	if err := checkText(row.Content, "the text"); err != nil {
		return err
	}
	if before := i.ids[row.ID]; before > 0 {
		return invalid(schedctl.ValidationFailed, "the id %q is that of line %d already", clip(row.ID, 60), before)
	}
	if row.ID != "" {
		i.ids[row.ID] = row.Line
	}
	c.Post = apiv1.CreatePost{Content: row.Content, AllowDuplicate: i.allowDuplicate}
	if c.Post.SocialAccountIDs, err = i.pick(i.listed, row.To); err != nil {
		return err
	}
	zone := i.zone
	if row.TZ != "" {
		if zone, err = when.LoadZone(row.TZ); err != nil {
			return err
		}
	}
	if row.At == "" {
		return nil
	}
	if len(row.To) == 0 {
		return invalid(schedctl.InvalidSocialAccounts, "a post that goes out needs an account in \"to\"")
	}
	now := i.now()
	if c.moment, err = when.Parse(row.At, now, zone); err != nil {
		return err
	}
	c.Relative = dependsOnNow(row.At, c.moment, now, zone)
	c.at = c.moment.Time.UTC().Truncate(time.Millisecond)
	c.result.PublishAt = apiv1.NewTime(c.at)
	c.result = c.result.remarked(c.moment.Note)
	c.Post.PublishAt = apiv1.At(c.at)
	return nil
}

// dependsOnNow reports whether a text means another time when it is read at
// another time, as "tomorrow 9am" does.
func dependsOnNow(text string, m when.Moment, now time.Time, zone *time.Location) bool {
	for _, later := range []time.Duration{53 * time.Hour, 400 * 24 * time.Hour} {
		again, err := when.Parse(text, now.Add(later), zone)
		if err != nil || !again.Time.Equal(m.Time) {
			return true
		}
	}
	return false
}

// check asks the daemon about a line.
func (i *importCheck) check(ctx context.Context, c candidate) candidate {
	if c.result.Result != resultOK {
		return c
	}
	found, err := i.find(ctx, c)
	switch {
	case err == nil && found != nil:
		c.result.Result, c.result.PostID, c.result.PublishAt = resultExists, found.ID, found.PublishAt
		return c
	case err == nil && !c.at.IsZero():
		err = c.moment.Check(i.now())
	}
	if err == nil {
		c.result, err = i.validate(ctx, c)
	}
	var past *when.Error
	switch {
	case err == nil:
	case errors.As(err, &past) || ofLine(err):
		c.result = c.result.refusedWith(oneLine(words.Replace(err.Error())))
	default:
		c.stop = err
	}
	return c
}

// find returns the post that a line has already, or nil.
func (i *importCheck) find(ctx context.Context, c candidate) (*apiv1.Post, error) {
	if _, isPost := schedctl.ParseID(schedctl.PostPrefix, c.result.ID); isPost {
		p, err := patiently(ctx, i.app, func() (apiv1.Post, error) { return i.client.Post(ctx, c.result.ID) })
		switch {
		case err == nil && samePost(p, c):
			return &p, nil
		case err == nil:
			return nil, invalid(schedctl.ValidationFailed, "%s has another text, time or accounts; change it with: schedctl post edit", p.ID)
		case schedctl.CodeOf(err) != schedctl.NotFound:
			return nil, err
		}
	}
	list, err := i.twins.like(ctx, i.app, c.Post.Content, c.at, c.Post.SocialAccountIDs)
	if err != nil || len(list) < c.nth {
		return nil, err
	}
	return &list[c.nth-1], nil
}

func samePost(p apiv1.Post, c candidate) bool {
	var at time.Time
	if p.PublishAt != nil {
		at = p.PublishAt.Time
	}
	return printOf(p.Content, at, p.SocialAccountIDs) == printOf(c.Post.Content, c.at, c.Post.SocialAccountIDs)
}

// validate asks whether the networks would take a line.
func (i *importCheck) validate(ctx context.Context, c candidate) (imported, error) {
	v, err := patiently(ctx, i.app, func() (apiv1.Validation, error) { return i.client.ValidatePost(ctx, c.Post) })
	if err != nil {
		return c.result, err
	}
	if !v.Allowed {
		return c.result.refusedWith(problemText(v, i.accounts)), nil
	}
	return c.result.remarked(strings.Join(warnings(v, i.accounts), "; ")), nil
}

// problemText returns all problems of a post in one line.
func problemText(v apiv1.Validation, names accounts) string {
	texts := messages(v.Problems)
	for _, acct := range v.Accounts {
		for _, text := range messages(acct.Problems) {
			if name := nameOf(names, acct.SocialAccountID); !strings.Contains(text, name) {
				text = name + ": " + text
			}
			texts = append(texts, text)
		}
	}
	return oneLine(words.Replace(strings.Join(texts, "; ")))
}
