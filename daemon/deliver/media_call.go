package deliver

import (
	"context"
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

// publishMedia prepares the files of a call and makes it.
func (d *Deliverer) publishMedia(ctx context.Context, c *publisherCall) (schedctl.Receipt, *publish.Error) {
	job := d.media.get(c)
	started := time.Now()
	if failure := job.lock(d.preparing); failure != nil { // waits for a preparation ahead, too
		return schedctl.Receipt{}, failure
	}
	defer job.unlock()
	for repeats := 0; ; repeats++ {
		files, failure := job.prepare(d.preparing, d, c)
		if failure == nil && time.Since(started) > recheckAfter {
			failure = d.checkWanted(ctx, c)
		}
		if failure != nil {
			return schedctl.Receipt{}, failure
		}
		receipt, failure := d.publishFiles(ctx, c, files)
		if failure == nil || repeats == maxRepeats || !job.adjust(failure) {
			return receipt, failure
		}
		d.log.Warn("the call is repeated with other uploads", "post", c.attempt.PostID, "target", c.attempt.TargetID,
			"account", c.attempt.AccountID, "attempt", c.attempt.ID, "code", failure.Code)
		started = time.Now()
	}
}

// checkWanted returns an error if the post was canceled while its files were prepared.
func (d *Deliverer) checkWanted(ctx context.Context, c *publisherCall) *publish.Error {
	_, status, err := d.reload(ctx, c)
	if err != nil || status == schedctl.Publishing {
		return nil // without the store, the call is made as for any other post
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Code: codeStopped, Outcome: schedctl.OutcomeNotPublished,
		Message: "the post was canceled before its files were ready",
	}
}

// adjust changes the files as the network asked for when it refused the call, and
// reports whether the call can be repeated with them.
func (j *mediaJob) adjust(failure *publish.Error) bool {
	switch {
	case failure.Outcome != schedctl.OutcomeNotPublished:
		return false
	case failure.Code == publish.CodeUploadLost:
		j.forgetUploads()
		return true
	case failure.Code == publish.CodeFileTooLarge:
		return j.shrinkAll(failure.MaxBytes)
	}
	return false
}

// describeFiles returns the files of a call as far as they are known without preparing
// them: with their uploads if the daemon still has them.
func (d *Deliverer) describeFiles(ctx context.Context, c *publisherCall) ([]publish.File, *publish.Error) {
	if len(c.media) == 0 {
		return nil, nil
	}
	files := make([]publish.File, len(c.media))
	for i := range c.media {
		asset, failure := d.readAsset(ctx, c, i)
		if failure != nil && failure.Kind != schedctl.KindMedia {
			return nil, failure
		}
		files[i].Media = describeAsset(asset)
		files[i].AssetID = c.media[i].AssetID
	}
	job := d.media.existing(c.attempt.TargetID)
	if job == nil || !sameMedia(job.media, c.media) {
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
