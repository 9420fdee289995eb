package deliver

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// maxShrinks is how often a picture is made smaller because the network reported that
// it is too large.
const maxShrinks = 3

// mediaJob prepares the files of one part of a target: it makes them fit, uploads them and waits
// until the network has processed them. It keeps its progress until it is dropped, so the
// call at the due time only does the remaining steps. Only the holder of the job uses its
// fields; see lock.
type mediaJob struct {
	turn    chan struct{} // has an element while the job is not held
	dropped atomic.Bool   // the files are released when the holder unlocks the job

	media   []schedctl.PostMedia
	account schedctl.Account // whose login the uploads belong to
	files   []jobFile
	stage   jobStage // of a network with stages
}

// jobFile is the state of one file.
type jobFile struct {
	asset      schedctl.MediaAsset // with the alt text of the post
	limits     publish.ClassRules  // for which fitted was made
	fitted     *FittedFile
	url        string // if the network fetches files
	maxBytes   int64  // the limit that the network reported, or 0
	upload     publish.Upload
	uploadedAt time.Time
	uploadAlt  string // the alt text that was sent with the upload
}

func sameMedia(a, b []schedctl.PostMedia) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].AssetID != b[i].AssetID || a[i].SHA256 != b[i].SHA256 {
			return false
		}
	}
	return true // alt texts are compared when the files are used
}

// lock waits until the job is free and holds it.
func (j *mediaJob) lock(ctx context.Context) *publish.Error {
	select {
	case <-j.turn:
		return nil
	case <-ctx.Done():
		return orStopped(ctx, stoppedError())
	}
}

// unlock ends the use of the job and of the files it returned.
func (j *mediaJob) unlock() {
	j.turn <- struct{}{}
	if j.dropped.Load() {
		j.release()
	}
}

// drop releases the files of the job as soon as it is free.
func (j *mediaJob) drop() {
	j.dropped.Store(true)
	j.release()
}

// release closes the files unless the job is held.
func (j *mediaJob) release() {
	select {
	case <-j.turn:
	default:
		return
	}
	for i := range j.files {
		j.files[i].close()
	}
	j.turn <- struct{}{}
}

func (f *jobFile) close() {
	if f.fitted != nil && f.fitted.Close != nil {
		f.fitted.Close()
	}
	f.fitted = nil
}

// prepare runs the remaining steps and returns the files, ready to be published. The
// caller holds the job, and uses the files before it unlocks the job.
func (j *mediaJob) prepare(ctx context.Context, d *Deliverer, c *publisherCall) ([]publish.File, *publish.Error) {
	if len(j.files) == 0 {
		return nil, nil // there is only a post to stage
	}
	rules, failure := mediaRules(c)
	if failure != nil {
		return nil, failure
	}
	if !d.sameLogin(j.account, c.account) {
		j.forgetUploads()
	}
	j.account = c.account
	for i := range j.files {
		if failure := j.fit(ctx, d, c, rules, i); failure != nil {
			return nil, orStopped(ctx, failure)
		}
	}
	if failure := j.check(c); failure != nil {
		return nil, failure
	}
	if uploader, ok := c.publisher.(publish.Uploader); ok {
		if failure := j.uploadAll(ctx, d, c, uploader, rules); failure != nil {
			return nil, orStopped(ctx, failure)
		}
	}
	return j.result(rules), nil
}

// fit makes the nth file fit the rules.
func (j *mediaJob) fit(ctx context.Context, d *Deliverer, c *publisherCall, rules publish.MediaRules, n int) *publish.Error {
	f := &j.files[n]
	asset, failure := d.readAsset(ctx, c, n)
	if failure != nil {
		return failure
	}
	f.asset = asset
	limits, takes := rules.Classes[asset.Class()]
	if !takes {
		return publish.MediaError("unsupported", "the network takes no files of type %s; remove file %d and retry", asset.MIMEType, n+1)
	}
	if f.maxBytes > 0 && (limits.MaxBytes == 0 || f.maxBytes < limits.MaxBytes) {
		limits.MaxBytes = f.maxBytes
	}
	if rules.Fetched {
		url, err := d.cfg.Media.Link(ctx, asset, variantOf(c, asset, limits))
		if err != nil {
			return sourceError(n+1, err)
		}
		f.url = url
	}
	if f.fitted != nil && limits.Equal(f.limits) {
		return nil
	}
	f.close()
	fitted, err := d.cfg.Media.Fit(ctx, asset, limits)
	if err != nil {
		return sourceError(n+1, err)
	}
	if rules.Fetched {
		fitted.release() // only its facts are needed
	}
	f.fitted, f.limits, f.upload = &fitted, limits, publish.Upload{}
	return nil
}

// variantOf returns the platform to whose limits a file has to be converted before its
// network fetches it, or the empty string if it fits as it is.
func variantOf(c *publisherCall, asset schedctl.MediaAsset, limits publish.ClassRules) string {
	m := describeAsset(asset)
	if limits.Fits(&m) {
		return ""
	}
	return c.account.Platform
}

// check checks the fitted files against the rules.
func (j *mediaJob) check(c *publisherCall) *publish.Error {
	var check publish.Check
	media := make([]publish.Media, len(j.files))
	for i := range j.files {
		media[i] = j.files[i].describe()
	}
	never := func(publish.Media, publish.ClassRules) bool { return false }
	publish.CheckMedia(&check, c.publisher, c.accountWithOptions(), media, never)
	if len(check.Problems) == 0 {
		return nil
	}
	e := *check.Problems[0]
	e.Kind = schedctl.KindMedia
	return &e
}

// describe returns the description of the file as it is sent.
func (f *jobFile) describe() publish.Media {
	m := describeAsset(f.asset)
	if f.fitted != nil {
		m = f.fitted.Media
		m.AssetID, m.FileName, m.AltText = f.asset.ID, f.asset.FileName, f.asset.AltText
	}
	return m
}

// result returns the files for the publisher.
func (j *mediaJob) result(rules publish.MediaRules) []publish.File {
	files := make([]publish.File, len(j.files))
	for i := range j.files {
		f := &j.files[i]
		files[i] = publish.File{Media: f.describe(), URL: f.url, Upload: f.upload}
		if f.fitted != nil {
			files[i].Open = f.fitted.Open
		}
		if rules.NoAlt {
			files[i].AltText = ""
		}
	}
	return files
}

// forgetUploads makes the job upload all files again.
func (j *mediaJob) forgetUploads() {
	for i := range j.files {
		j.files[i].upload = publish.Upload{}
	}
}

// shrink makes a picture smaller because the network said that it is too large. It
// reports whether that is possible.
func (f *jobFile) shrink(limit int64) bool {
	if f.fitted == nil || f.asset.Class() != schedctl.MediaImage {
		return false
	}
	if size := f.fitted.Size; limit <= 0 || limit >= size {
		limit = size / 2
	}
	f.maxBytes = limit
	return limit > 0
}

// shrinkAll is shrink for every picture, for a network that did not say which file is
// too large. It reports whether any picture gets smaller.
func (j *mediaJob) shrinkAll(limit int64) bool {
	some := false
	for i := range j.files {
		f := &j.files[i]
		if f.fitted != nil && (limit == 0 || f.fitted.Size > limit) && f.shrink(limit) {
			some = true
		}
	}
	return some
}
