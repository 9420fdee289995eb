package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// MediaSource gives access to the files of posts. Its methods may be called from any
// goroutine.
type MediaSource interface {
	// InUse reports whether any workspace has assets. If it is false, the deliverer does
	// not look for posts with files.
	InUse(ctx context.Context) (bool, error)

	// Asset returns an asset. Errors: [schedctl.NotFound].
	Asset(ctx context.Context, workspaceID, assetID string) (schedctl.MediaAsset, error)

	// Fit returns the file of an asset without metadata, and within the limits: scaled or
	// converted if the original is not. It has checked that the stored bytes have the
	// asset's SHA-256. The result is the same for the same asset and limits. The error is
	// a [*publish.Error] of kind media if the bytes are missing or damaged, or cannot be
	// made to fit; any other error may be temporary.
	Fit(ctx context.Context, asset schedctl.MediaAsset, limits publish.ClassRules) (FittedFile, error)

	// Link returns the URL at which anyone can fetch the file for some days, as Fit returns
	// it for the limits of a platform, or without limits if platform is empty. Errors are
	// those of Fit.
	Link(ctx context.Context, asset schedctl.MediaAsset, platform string) (string, error)
}

// FittedFile is a file as a network takes it. Its alt text is not set.
type FittedFile struct {
	publish.Media

	// Open returns the bytes. It may be called several times.
	Open func(ctx context.Context) (io.ReadCloser, error)

	// Close releases the file. It is nil if there is nothing to release.
	Close func()
}

// release releases the file and keeps its facts.
func (f *FittedFile) release() {
	if f.Close != nil {
		f.Close()
	}
	f.Open, f.Close = nil, nil
}

// codeStopped is the code of an error of kind network and outcome not_published: the
// daemon stopped while it prepared the files of a post.
const codeStopped = "stopped"

// stoppedError is the error of a preparation that ended because the daemon stops.
func stoppedError() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindNetwork, Code: codeStopped, Outcome: schedctl.OutcomeNotPublished,
		Message: "the daemon stopped while it prepared the files of the post; it will retry",
	}
}

// sourceError is the error of a file that cannot be read or converted.
func sourceError(n int, err error) *publish.Error {
	if known, ok := errors.AsType[*publish.Error](err); ok {
		e := *known
		e.Outcome = schedctl.OutcomeNotPublished
		return &e
	}
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: publish.CodeUnreadable, Outcome: schedctl.OutcomeNotPublished, Err: err,
		Message: fmt.Sprintf("the daemon cannot read file %d of the post at the moment; see its log", n),
	}
}

// mediaRules returns the rules for the account of a call, or why it takes no media.
func mediaRules(c *publisherCall) (publish.MediaRules, *publish.Error) {
	p, ok := c.publisher.(publish.MediaPublisher)
	if !ok {
		return publish.MediaRules{}, publish.MediaError("unsupported", "%s takes no media here; remove them and retry", c.account.Platform)
	}
	rules := p.MediaRules(c.accountWithOptions())
	if rules.Refused != "" {
		return rules, publish.MediaError("unsupported", "%s", rules.Refused)
	}
	return rules, nil
}

// accountWithOptions returns the account of a call as publishers get it: without
// credentials and with the options of the post.
func (c *publisherCall) accountWithOptions() schedctl.Account {
	account := c.account
	account.Credentials, account.Options = nil, c.options
	return account
}

// readAsset returns the asset of the nth file of a call with its alt text on this post.
func (d *Deliverer) readAsset(ctx context.Context, c *publisherCall, n int) (schedctl.MediaAsset, *publish.Error) {
	if d.cfg.Media == nil {
		return schedctl.MediaAsset{}, publish.MediaError("unsupported", "this daemon has no media store; remove the media and retry")
	}
	m := c.part.Media[n]
	asset, err := d.cfg.Media.Asset(ctx, c.attempt.WorkspaceID, m.AssetID)
	switch {
	case notFound(err):
		return asset, publish.MediaError("media_missing", "file %d of the post (%s) no longer exists; attach another one and retry", n+1, m.AssetID)
	case err != nil:
		return asset, sourceError(n+1, err)
	case asset.Status != schedctl.MediaReady:
		return asset, publish.MediaError("media_not_ready", "file %d of the post (%s) was never uploaded completely; upload it and retry", n+1, m.AssetID)
	case !m.Matches(&asset):
		return asset, publish.MediaError("media_changed", "file %d of the post (%s) has changed since it was attached; attach it again and retry", n+1, m.AssetID)
	}
	if asset.AltText = m.AltText; asset.AltText == "" && c.account.Options.Bool(schedctl.OptionRequireAlt) {
		return asset, publish.MediaError("alt_missing", "file %d of the post (%s) has no alt text, and the option %s of the account demands one; add an alt text and retry", n+1, m.AssetID, schedctl.OptionRequireAlt)
	}
	return asset, nil
}

// describeAsset returns what is known about the file of an asset without reading it.
func describeAsset(a schedctl.MediaAsset) publish.Media {
	return publish.Media{
		AssetID: a.ID, FileName: a.FileName, MIMEType: a.MIMEType, Size: a.Size, SHA256: a.SHA256,
		Width: a.Width, Height: a.Height, Duration: a.Duration, AltText: a.AltText,
	}
}
