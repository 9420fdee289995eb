package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/storage"
)

const (
	// firstPause and lastPause are the pauses after fetches that failed.
	firstPause, lastPause = 5 * time.Minute, 6 * time.Hour

	// failingAfter is how long fetches fail before the source has an error.
	failingAfter = 24 * time.Hour

	// movedAfter is how many fetches have to be redirected to the same address for good
	// before it is taken over.
	movedAfter = 3
)

var (
	errorsJoin = errors.Join
	errTaken   = errors.New("a person or another node has the source now")
)

// messageOf returns the message of an error for people.
func messageOf(err error) string {
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// document is a feed that was fetched.
type document struct {
	result *fetch.Result
	feed   *feed.Feed // nil if the document has not changed
	hash   string
}

// get fetches the feed of a source. The sources of agents reach public addresses only.
func (r *Runner) get(ctx context.Context, s *schedctl.Source, key *schedctl.APIKey) (d document, err error) {
	c, err := r.cfg.Open(s)
	if err != nil {
		return d, &fetch.Failure{Kind: fetch.Refused, Message: "the stored secrets of the source cannot be opened; set them again"}
	}
	if key.Agent {
		ctx = publish.FetchPublic(ctx)
	}
	d.result, err = r.cfg.Fetcher.Fetch(ctx, fetch.Request{
		URL: s.URL, ETag: s.ETag, LastModified: s.LastModified,
		Username: c.Username, Password: c.Password, HeaderName: c.HeaderName, HeaderValue: c.HeaderValue,
	})
	if err != nil || d.result.NotModified {
		return d, err
	}
	sum := sha256.Sum256(d.result.Body)
	if d.hash = hex.EncodeToString(sum[:16]); d.hash == s.BodyHash {
		return d, nil
	}
	d.feed, err = feed.Parse(d.result.Body, d.result.ContentType, d.result.URL)
	return d, err
}

// fetch reads the feed, and stores what came of it.
func (j *job) fetch(ctx context.Context) error {
	d, failure := j.get(ctx, &j.source, &j.key)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	now := schedctl.Millis(j.cfg.Now())
	var after schedctl.Source
	err := j.cfg.Store.Update(ctx, func(tx storage.Tx) error { // may run again
		s, err := j.mine(tx)
		if err != nil {
			return err
		}
		j.result, j.counted = Result{Outcome: "unchanged"}, nil
		s.LastFetchAt = now
		if failure != nil {
			j.result.Outcome = "failed"
			err = j.failed(tx, &s, failure, now)
		} else {
			err = j.succeeded(tx, &s, d, now)
		}
		if err == nil {
			err = tx.PutSource(s)
		}
		after = s
		return err
	})
	if err == nil {
		j.source = after
		j.cfg.Fetched(j.result.Outcome)
		for _, state := range j.counted {
			j.cfg.Counted(state)
		}
	}
	return err
}

// failed stores that a fetch failed. After a day the source has an error; it is tried on.
func (j *job) failed(tx storage.Tx, s *schedctl.Source, failure error, now time.Time) error {
	fault := schedctl.SourceFault{Code: "not_a_feed", Message: failure.Error(), Since: now}
	var wait time.Duration
	if f, ok := errors.AsType[*fetch.Failure](failure); ok {
		fault.Code, wait = string(f.Kind), f.Wait
	}
	if s.FailingSince.IsZero() {
		s.FailingSince = now
	}
	pause := min(firstPause<<min(s.Failures, 10), lastPause)
	s.Failures++
	s.NextFetchAt = schedctl.Millis(now.Add(max(spread(pause), wait)))
	was := s.State
	switch {
	case fault.Code == string(fetch.Gone):
		s.State, s.NextFetchAt = schedctl.SourceError, time.Time{}
		fault.Code = schedctl.SourceGone
	case now.Sub(s.FailingSince) >= failingAfter:
		s.State, s.NextFetchAt = schedctl.SourceError, schedctl.Millis(now.Add(max(spread(lastPause), wait)))
	default:
		return nil
	}
	fault.Since = s.FailingSince
	s.Fault = &fault
	if was == schedctl.SourceError {
		return nil
	}
	return tx.AddEvents(schedctl.SourceEvent(schedctl.EventSourceFailed, s, now))
}

// succeeded stores a fetch that worked, and the items of a document that differs.
func (j *job) succeeded(tx storage.Tx, s *schedctl.Source, d document, now time.Time) error {
	lastSuccess := s.LastSuccessAt
	if s.State == schedctl.SourceError {
		s.State, s.Fault = schedctl.SourceActive, nil
		if err := tx.AddEvents(schedctl.SourceEvent(schedctl.EventSourceRecovered, s, now)); err != nil {
			return err
		}
	}
	s.LastSuccessAt, s.Failures, s.FailingSince = now, 0, time.Time{}
	s.NextFetchAt = schedctl.Millis(now.Add(min(max(spread(s.Interval), d.result.Wait), schedctl.MaxSourceInterval)))
	if held, err := j.moved(tx, s, d.result, now); err != nil || held {
		return err
	}
	if d.result.NotModified {
		return nil
	}
	s.ETag, s.LastModified = d.result.ETag, d.result.LastModified
	if d.feed == nil {
		return nil
	}
	s.NextFetchAt = now.Add(min(max(s.NextFetchAt.Sub(now), d.feed.Lengthen), schedctl.MaxSourceInterval))
	s.Warnings = bounded(d.feed.Warnings)
	j.result.Items = len(d.feed.Items)
	if len(d.feed.Items) == 0 && !s.BaselineAt.IsZero() { // a feed that became empty changes nothing
		return nil
	}
	s.BodyHash = d.hash
	return j.record(tx, s, d.feed, lastSuccess, now)
}

func bounded(warnings []string) []string {
	return warnings[:min(len(warnings), schedctl.MaxSourceWarnings)]
}

// moved counts redirects for good. An address of the same site is taken over after some
// equal ones; another site holds the source.
func (j *job) moved(tx storage.Tx, s *schedctl.Source, r *fetch.Result, now time.Time) (held bool, err error) {
	if r.MovedTo == "" {
		s.MovedTo, s.MovedTimes = "", 0
		return false, nil
	}
	if s.MovedTo != r.MovedTo {
		s.MovedTo, s.MovedTimes = r.MovedTo, 0
	}
	s.MovedTimes++
	if !r.SameSite {
		j.result.Outcome = "held"
		return true, hold(tx, s, schedctl.SourceMoved, fmt.Sprintf("the feed was moved to another site, %s; resume to read it there", hostOf(r.MovedTo)), now)
	}
	if s.MovedTimes >= movedAfter && (len(s.Credentials) == 0 || hostOf(r.MovedTo) == hostOf(s.URL)) { // another host does not get them
		j.cfg.Logger.Info("a feed was moved", "source", s.ID)
		s.URL, s.MovedTo, s.MovedTimes = r.MovedTo, "", 0
	}
	return false, nil
}
