package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// maxRepeats is how often a call with files is repeated within its attempt because the
// network has lost an upload or asks for smaller files.
const maxRepeats = 3

// recheckAfter is how long a preparation takes before it is checked whether the post was
// canceled in the meantime.
const recheckAfter = 2 * time.Second

// mediaCalls returns a call for the files of each part that the request publishes and that
// has files, or is staged. With later, it also returns those of the parts of later requests.
func (c *publisherCall) mediaCalls(later bool) (calls []*publisherCall) {
	if len(c.part.Media) > 0 || c.staged() {
		calls = append(calls, c)
	}
	if !later && !c.whole {
		return calls
	}
	for _, part := range c.later {
		if len(part.Media) > 0 {
			calls = append(calls, c.forPart(part))
		}
	}
	return calls
}

// partFailure returns the failure of a file of a part, and says which part it is.
func (c *publisherCall) partFailure(failure *publish.Error) *publish.Error {
	if failure == nil || c.part.Index == 0 || failure.Code == codeStopped {
		return failure
	}
	e := *failure
	e.Message = fmt.Sprintf("part %d: %s", c.part.Index+1, e.Message)
	return &e
}

// publishMedia prepares the files of a call and makes it. The preparation ends with the
// context preparing, and the call with ctx.
func (d *Deliverer) publishMedia(ctx, preparing context.Context, c *publisherCall) (schedctl.Receipt, *publish.Error) {
	started := time.Now()
	if failure := d.prepareThread(preparing, c); failure != nil {
		return schedctl.Receipt{}, failure
	}
	parts := c.mediaCalls(false)
	jobs := make([]*mediaJob, len(parts))
	for i, part := range parts {
		job := d.media.get(part)
		if failure := job.lock(preparing); failure != nil { // waits for a preparation ahead, too
			return schedctl.Receipt{}, failure
		}
		defer job.unlock()
		jobs[i] = job
	}
	for repeats := 0; ; repeats++ {
		files, failure := d.prepareParts(preparing, c, parts, jobs)
		if failure != nil {
			return schedctl.Receipt{}, failure
		}
		if c.staged() {
			failure = jobs[0].stagePost(preparing, d, c, files[0])
		}
		if failure == nil && !c.attempt.Preparing() && time.Since(started) > recheckAfter {
			if failure := d.checkWanted(ctx, c); failure != nil {
				return schedctl.Receipt{}, failure
			}
		}
		var receipt schedctl.Receipt
		if failure == nil {
			receipt, failure = d.publishPrepared(ctx, c, jobs, files)
		}
		if failure == nil || repeats == maxRepeats || !adjustAll(jobs, failure) {
			return receipt, failure
		}
		d.log.Warn("the call is repeated with other uploads", "post", c.attempt.PostID, "target", c.attempt.TargetID,
			"account", c.attempt.AccountID, "attempt", c.attempt.ID, "code", failure.Code)
		started = time.Now()
	}
}

// publishPrepared makes the call with its files. First, the attempt stores that it does, and
// the staged post.
func (d *Deliverer) publishPrepared(ctx context.Context, c *publisherCall, jobs []*mediaJob, files [][]publish.File) (schedctl.Receipt, *publish.Error) {
	stage := ""
	if c.staged() {
		stage = jobs[0].stage.ID
	}
	if failure := d.startRequest(ctx, c, stage); failure != nil {
		return schedctl.Receipt{}, failure
	}
	receipt, failure := d.publishFiles(ctx, c, files)
	if failure != nil && c.staged() {
		jobs[0].stage.Ready = false // the next attempt asks whether this one published it
		if failure.Code == publish.CodeStageLost && c.stageBound {
			failure = boundStageLost(failure)
		}
	}
	return receipt, failure
}

// prepareThread prepares the files of all later parts before the first one is published, so
// that a file that the network refuses does not stop a thread in the middle.
func (d *Deliverer) prepareThread(ctx context.Context, c *publisherCall) *publish.Error {
	if c.part.Index > 0 || c.whole {
		return nil
	}
	for _, part := range c.mediaCalls(true) {
		if part == c {
			continue // it comes last, right before the request
		}
		job := d.media.get(part)
		if failure := job.lock(ctx); failure != nil {
			return failure
		}
		_, failure := job.prepare(ctx, d, part)
		job.unlock()
		if failure != nil {
			return part.partFailure(failure)
		}
	}
	return nil
}

// prepareParts prepares the files of the parts that a request publishes. The caller holds
// the jobs. The result has an element for each part of the request.
func (d *Deliverer) prepareParts(ctx context.Context, c *publisherCall, parts []*publisherCall, jobs []*mediaJob) ([][]publish.File, *publish.Error) {
	files := make([][]publish.File, 1+len(c.rest()))
	for i, part := range parts {
		prepared, failure := jobs[i].prepare(ctx, d, part)
		if failure != nil {
			return nil, part.partFailure(failure)
		}
		files[part.part.Index-c.part.Index] = prepared
	}
	return files, nil
}

// checkWanted returns an error if the post was canceled while its files were prepared.
func (d *Deliverer) checkWanted(ctx context.Context, c *publisherCall) *publish.Error {
	_, status, err := d.reload(ctx, c)
	if err != nil || status == schedctl.Publishing {
		return nil // without the store, the call is made as for any other post
	}
	return unwantedError()
}

// adjustAll changes the files as the network asked for when it refused the call, and
// reports whether the call can be repeated with them.
func adjustAll(jobs []*mediaJob, failure *publish.Error) bool {
	if failure.Outcome != schedctl.OutcomeNotPublished {
		return false
	}
	adjusted := false
	for _, j := range jobs {
		switch failure.Code {
		case publish.CodeUploadLost:
			j.forgetUploads()
			adjusted = true
		case publish.CodeStageLost:
			j.stage = jobStage{}
			adjusted = true
		case publish.CodeFileTooLarge:
			adjusted = j.shrinkAll(failure.MaxBytes) || adjusted
		}
	}
	return adjusted
}

// describeFiles returns the files of each part that a request publishes, as far as they are
// known without preparing them: with their uploads if the daemon still has them.
func (d *Deliverer) describeFiles(ctx context.Context, c *publisherCall) ([][]publish.File, *publish.Error) {
	parts := c.mediaCalls(false)
	if len(parts) == 0 {
		return nil, nil
	}
	files := make([][]publish.File, 1+len(c.rest()))
	for _, part := range parts {
		described, failure := d.describePart(ctx, part)
		if failure != nil {
			return nil, failure
		}
		files[part.part.Index-c.part.Index] = described
	}
	return files, nil
}

func (d *Deliverer) describePart(ctx context.Context, c *publisherCall) ([]publish.File, *publish.Error) {
	media := c.part.Media
	files := make([]publish.File, len(media))
	for i := range media {
		asset, failure := d.readAsset(ctx, c, i)
		if failure != nil && failure.Kind != schedctl.KindMedia {
			return nil, failure
		}
		files[i].Media = describeAsset(asset)
		files[i].AssetID = media[i].AssetID
	}
	job := d.media.existing(c)
	if job == nil || !sameMedia(job.media, media) {
		return files, nil
	}
	if failure := job.lock(ctx); failure != nil {
		return nil, failure
	}
	defer job.unlock()
	for i := range job.files {
		files[i].Upload = job.files[i].upload
	}
	return files, nil
}
