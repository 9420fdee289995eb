package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage/failpoint"
)

const (
	// uploadMargin is how long before its end an upload counts as stale.
	uploadMargin = 30 * time.Second

	// firstPoll and maxPoll bound the time between two questions whether a network has
	// processed an upload.
	firstPoll = time.Second
	maxPoll   = 15 * time.Second

	// notKnownWait is how long after an upload it is used if the network does not say
	// whether it has processed it.
	notKnownWait = 30 * time.Second

	// imageProcessing and videoProcessing are how long a network may take to process an
	// upload before an attempt is given up for now.
	imageProcessing = 2 * time.Minute
	videoProcessing = 15 * time.Minute
)

// uploadAll uploads the files that the network does not have, and waits until it has
// processed all of them.
func (j *mediaJob) uploadAll(ctx context.Context, d *Deliverer, c *publisherCall, p publish.Uploader, rules publish.MediaRules) *publish.Error {
	for lost := 0; ; lost++ {
		for i := range j.files {
			if failure := j.upload(ctx, d, c, p, rules, i); failure != nil {
				return failure
			}
		}
		again := false
		for i := range j.files {
			failure := j.awaitProcessing(ctx, d, c, p, i)
			switch {
			case failure == nil:
			case failure.Code == publish.CodeUploadLost && lost == 0:
				j.files[i].upload, again = publish.Upload{}, true
			default:
				return failure
			}
		}
		if !again {
			return asFailure(failpoint.Hit(failpoint.DeliverUploaded))
		}
	}
}

func asFailure(err error) *publish.Error {
	if err == nil {
		return nil
	}
	e := *publish.AsError(err)
	e.Kind, e.Outcome = schedctl.KindPlatform, schedctl.OutcomeNotPublished
	return &e
}

// upload uploads the nth file unless the network has it. It sends a smaller picture if
// the network asks for one.
func (j *mediaJob) upload(ctx context.Context, d *Deliverer, c *publisherCall, p publish.Uploader, rules publish.MediaRules, n int) *publish.Error {
	f := &j.files[n]
	for shrinks := 0; !f.uploaded(rules); shrinks++ {
		started := time.Now()
		file := j.result(rules)[n]
		file.Upload = publish.Upload{}
		var upload publish.Upload
		failure := d.callPublisher(ctx, c, publish.RequestTime(file.Size), func(ctx context.Context, r publish.Request) (err error) {
			r.Attempt, r.Key = 0, "" // the upload belongs to no attempt
			upload, err = p.Upload(ctx, r, file)
			return err
		})
		switch {
		case failure == nil:
			if rules.UploadLife > 0 && upload.ExpiresAt.IsZero() {
				upload.ExpiresAt = started.Add(rules.UploadLife)
			}
			f.upload, f.uploadedAt, f.uploadAlt = upload, time.Now(), file.AltText
			return nil
		case failure.Code == publish.CodeFileTooLarge && shrinks < maxShrinks && f.shrink(failure.MaxBytes):
			if failure := j.fit(ctx, d, c, rules, n); failure != nil {
				return failure
			}
		default:
			return notPublished(failure)
		}
	}
	return nil
}

// uploaded reports whether the network has the file and will keep it for a while.
func (f *jobFile) uploaded(rules publish.MediaRules) bool {
	u := f.upload
	switch {
	case u.ID == "", f.uploadAlt != f.asset.AltText && !rules.NoAlt:
		return false
	case u.ExpiresAt.IsZero():
		return true
	}
	return time.Until(u.ExpiresAt) > uploadMargin
}

// awaitProcessing waits until the network has processed the nth file.
func (j *mediaJob) awaitProcessing(ctx context.Context, d *Deliverer, c *publisherCall, p publish.Uploader, n int) *publish.Error {
	f := &j.files[n]
	limit := imageProcessing
	if class := f.asset.Class(); class == schedctl.MediaVideo || class == schedctl.MediaGIF {
		limit = videoProcessing
	}
	for pause := firstPoll; !f.upload.Ready; pause = min(pause*3/2, maxPoll) {
		if at := f.upload.ReadyAt; !at.IsZero() {
			pause = time.Until(at)
		}
		if !sleepFor(ctx, pause) {
			return stoppedError()
		}
		if !f.upload.ReadyAt.IsZero() {
			f.upload.Ready = true
			continue
		}
		failure := d.callPublisher(ctx, c, callTimeout, func(ctx context.Context, r publish.Request) error {
			r.Attempt, r.Key = 0, ""
			u, err := p.Processed(ctx, r, f.upload)
			if err == nil {
				f.upload = u
			}
			return err
		})
		switch {
		case failure != nil && failure.Code == publish.CodeNotKnown:
			f.upload.ReadyAt = f.uploadedAt.Add(notKnownWait)
		case failure != nil:
			return notPublished(failure)
		case !f.upload.Ready && time.Since(f.uploadedAt) > limit:
			return &publish.Error{
				Kind: schedctl.KindPlatform, Code: "processing", Outcome: schedctl.OutcomeNotPublished,
				Message: "the network has not processed the files of the post yet; schedctl will ask again",
			}
		}
	}
	return nil
}

// notPublished returns the failure with the outcome not_published, because an upload
// publishes nothing.
func notPublished(failure *publish.Error) *publish.Error {
	e := *failure
	e.Outcome = schedctl.OutcomeNotPublished
	return &e
}

// sleepFor reports whether the time passed before ctx ended.
func sleepFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
