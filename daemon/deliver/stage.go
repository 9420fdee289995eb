package deliver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// A network with stages publishes in two steps. A staged post is prepared like a file: it
// is created before the due time if possible, kept in memory, and created again if it is
// lost or the post was edited. It is not visible, so that needs no attempt. Right before the
// request that publishes it, its id is stored in the attempt:
//
//	stage ─▶ wait until the network has processed it ─▶ store its id in the attempt ─▶ publish ─▶ record
//
// An attempt without the id has therefore published nothing. One with the id is settled by
// asking the network about that staged post, and the next attempt publishes the same one,
// unless the network can no longer publish it.

const (
	// stageProcessing is how long a network may take to process a staged post. After that
	// it is created once more.
	stageProcessing = 5 * time.Minute

	// maxStages is how often a post is staged within one attempt.
	maxStages = 2
)

// jobStage is the staged post of a job.
type jobStage struct {
	publish.Stage
	of      [32]byte         // what it shows; zero for one that an earlier attempt has staged
	account schedctl.Account // whose login it belongs to
	at      time.Time        // when it was created, or this run learned of it
}

// staged reports whether the network of a call publishes in two steps.
func (c *publisherCall) staged() bool {
	_, ok := c.publisher.(publish.Stager)
	return ok
}

// prepares reports whether something of the call is prepared before its request.
func (c *publisherCall) prepares() bool { return c.hasMedia() || c.staged() || c.showsCardImage() }

// stagesOf reports whether a platform publishes in two steps.
func (d *Deliverer) stagesOf(platform string) bool {
	_, ok := d.cfg.Publishers[platform].(publish.Stager)
	return ok
}

// stage makes sure that the network has the staged post of a call with these files, and
// has processed it. The caller holds the job.
func (j *mediaJob) stagePost(ctx context.Context, d *Deliverer, c *publisherCall, files []publish.File) *publish.Error {
	p := c.publisher.(publish.Stager)
	for stages := 0; ; {
		if !j.useStage(d, c, files) {
			if stages++; stages > maxStages {
				return publish.MediaError("processing", "the network did not process the post; check its files, then retry")
			}
			if failure := j.createStage(ctx, d, c, p, files); failure != nil {
				return failure
			}
		}
		failure := j.awaitStage(ctx, d, c, p)
		switch {
		case failure == nil:
			return nil
		case failure.Code != publish.CodeStageLost:
			return failure
		case c.stageBound:
			return boundStageLost(failure)
		}
		j.stage = jobStage{}
	}
}

// boundStageLost is the error of an attempt that must publish the staged post of an earlier
// request, which the network can no longer publish. The earlier request may have published
// it, so the network is asked before there is another one.
func boundStageLost(failure *publish.Error) *publish.Error {
	e := *failure
	e.Outcome = schedctl.OutcomeUnknown
	return &e
}

// useStage reports whether the job has a staged post that the call can publish.
func (j *mediaJob) useStage(d *Deliverer, c *publisherCall, files []publish.File) bool {
	if c.stageBound {
		if j.stage.ID != c.attempt.Stage {
			j.stage = jobStage{Stage: publish.Stage{ID: c.attempt.Stage}, at: time.Now()}
		}
		return true
	}
	s := &j.stage
	fresh := s.ExpiresAt.IsZero() || time.Until(s.ExpiresAt) > uploadMargin
	return s.ID != "" && fresh && s.of == stageDigest(c, files) && d.sameLogin(s.account, c.account)
}

// createStage creates the staged post.
func (j *mediaJob) createStage(ctx context.Context, d *Deliverer, c *publisherCall, p publish.Stager, files []publish.File) *publish.Error {
	var stage publish.Stage
	failure := d.callPublisher(ctx, c, publish.RequestTime(publish.Total(files)), func(ctx context.Context, r publish.Request) (err error) {
		r.Attempt, r.Key, r.Stage, r.Files = 0, "", "", files // the staged post belongs to no attempt
		stage, err = p.Stage(ctx, r)
		return err
	})
	if failure != nil {
		return orStopped(ctx, notPublished(failure))
	}
	j.stage = jobStage{Stage: stage, of: stageDigest(c, files), account: c.account, at: time.Now()}
	return nil
}

// awaitStage waits until the network has processed the staged post.
func (j *mediaJob) awaitStage(ctx context.Context, d *Deliverer, c *publisherCall, p publish.Stager) *publish.Error {
	known := j.stage.of != [32]byte{} // it was just created
	for pause := firstPoll; !j.stage.Ready; pause = min(pause*3/2, maxPoll) {
		if known && !sleepFor(ctx, pause) {
			return stoppedError()
		}
		known = true
		failure := d.callPublisher(ctx, c, callTimeout, func(ctx context.Context, r publish.Request) error {
			r.Attempt, r.Key, r.Stage = 0, "", ""
			s, err := p.Staged(ctx, r, j.stage.Stage)
			if err == nil {
				j.stage.Stage = s
			}
			return err
		})
		switch {
		case failure != nil && failure.Code == publish.CodeStagePublished:
			return failure
		case failure != nil && failure.Code == publish.CodeNotKnown:
			j.stage.Ready = true // the request to publish it shows whether it is
		case failure != nil:
			return orStopped(ctx, notPublished(failure))
		case !j.stage.Ready && time.Since(j.stage.at) > stageProcessing:
			return publish.StageLost(0, "the network has not processed the post")
		}
	}
	return nil
}

// stageDigest identifies what a staged post shows. Any change of it needs another one.
func stageDigest(c *publisherCall, files []publish.File) [32]byte {
	type file struct {
		Asset, Alt string
		SHA256     [32]byte
	}
	shown := struct {
		Content string
		Files   []file
		Extras  publish.Extras
		Card    [32]byte
		Options schedctl.Options
		Part    int
		Parent  *schedctl.Receipt
	}{Content: c.part.Content, Extras: c.extras, Options: c.options, Part: c.part.Index, Parent: c.receipt(c.part.Index - 1)}
	for i := range files {
		shown.Files = append(shown.Files, file{files[i].AssetID, files[i].AltText, files[i].SHA256})
	}
	if c.cardImage != nil {
		shown.Card = c.cardImage.SHA256
	}
	doc, err := json.Marshal(shown)
	if err != nil {
		doc = fmt.Appendf(nil, "%+v", shown)
	}
	return sha256.Sum256(doc)
}

// inheritedStage returns the staged post that the next attempt for a part must publish
// because an earlier attempt may still do so, or an empty string.
func inheritedStage(attempts []schedctl.Attempt, part int) string {
	for i := len(attempts) - 1; i >= 0; i-- {
		a := &attempts[i]
		if a.Part != part || a.Stage == "" {
			continue
		}
		settled := a.Outcome == schedctl.OutcomeNotPublished && a.Error != nil && a.Error.Code == publish.CodeStageLost
		if settled {
			return "" // the network was asked, and does not have the post
		}
		return a.Stage
	}
	return ""
}
