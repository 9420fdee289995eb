package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// altTexts is the flag --alt. A value may be empty, for a file without an alt text.
type altTexts []string

// String implements the interface of pflag for values.
func (t *altTexts) String() string { return strings.Join(*t, ", ") }

// Set adds a value.
func (t *altTexts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// Type implements the interface of pflag for values.
func (t *altTexts) Type() string { return "texts" }

func (t *altTexts) add(cmd *cobra.Command) {
	cmd.Flags().Var(t, "alt", "alt `text` for people who cannot see the file; the n-th belongs to the n-th file (repeatable)")
}

// check refuses texts that belong to no file.
func (t altTexts) check(files int, noun string) error {
	if len(t) > files {
		return cli.UsageError("--alt is given %d times for %s", len(t), cli.Plural(files, noun)).WithHint("give one for each, in the same order")
	}
	for _, text := range t {
		if err := schedctl.CheckAltText("--alt", text); err != nil {
			return cli.InvalidError(schedctl.ValidationFailed, "--alt: %v", err)
		}
	}
	return nil
}

// at returns the text of the n-th file, from 0.
func (t altTexts) at(n int) string {
	if n < len(t) {
		return t[n]
	}
	return ""
}

// Flags are --media and --alt, the files of a post.
type Flags struct {
	files []string
	alts  altTexts
	none  bool
}

// Add defines the flags.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "media", nil, "a picture, video or document to show: a `file`, a URL, or the id of an asset (repeatable)")
	f.alts.add(cmd)
}

// AddNone defines --no-media, for posts that may have media.
func (f *Flags) AddNone(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.none, "no-media", false, "remove all media")
}

// Given reports whether the media of the post are given.
func (f *Flags) Given() bool { return len(f.files) > 0 || f.none }

// Attached reports whether the post gets media.
func (f *Flags) Attached() bool { return len(f.files) > 0 }

// Check returns an error for flags that contradict each other and for files that
// cannot be uploaded, as far as this can be said without the daemon.
func (f *Flags) Check() error {
	if len(f.alts) > 0 && len(f.files) == 0 {
		return cli.UsageError("--alt needs --media").WithHint("to change the alt text of an asset: schedctl media edit ID --alt TEXT")
	}
	if err := f.alts.check(len(f.files), "--media"); err != nil {
		return err
	}
	for _, ref := range f.files {
		if err := CheckRef(ref); err != nil {
			return err
		}
	}
	return nil
}

// CheckRef returns an error for a file that cannot be uploaded. An id and a URL are not
// checked.
func CheckRef(ref string) error {
	if IsID(ref) || isURL(ref) {
		return nil
	}
	return checkFile(ref)
}

// IsID reports whether a value of --media can be an id, whole or abbreviated, and not
// only a path.
func IsID(ref string) bool {
	return ref == cli.LastRef || strings.HasPrefix(ref, string(schedctl.MediaPrefix)+"_")
}

// Upload uploads the files and returns the media of the post. If one upload fails,
// there is no post: the error says so.
func (f *Flags) Upload(ctx context.Context, a *cli.App, c *client.Client) ([]apiv1.PostMedia, error) {
	u := NewUploader(a, c)
	list := []apiv1.PostMedia{}
	for i, ref := range f.files {
		m, err := u.Attach(ctx, ref, f.alts.at(i))
		if err != nil {
			return nil, err
		}
		for j, other := range list {
			if other.ID == m.ID {
				return nil, cli.InvalidError(schedctl.ValidationFailed, "%s and %s are the same file: a post can show a file once", f.files[j], ref)
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// Attach returns the media of a post for a file, which it uploads, for a URL, which the
// daemon fetches, or for an asset. With an empty alt text, the post gets that of the asset.
func (u *Uploader) Attach(ctx context.Context, ref, alt string) (m apiv1.PostMedia, err error) {
	if m.ID, err = u.refID(ctx, ref); err != nil {
		return m, err
	}
	if alt != "" {
		m.AltText = &alt
	}
	if m.ID != "" {
		return m, nil
	}
	add := u.Upload
	switch {
	case isURL(ref):
		if m.ID = u.fetched[ref]; m.ID != "" {
			return m, nil
		}
		add = u.fetch
		if u.Dry {
			m.ID = missingURL(ref)
			return m, nil
		}
	case u.Dry:
		m.ID, err = u.known(ctx, ref)
		return m, err
	}
	done, err := add(ctx, ref, alt)
	if err != nil {
		return m, err
	}
	asset := done.MediaAsset
	m.ID = asset.ID
	if u.app.ErrTerminal && !u.Silent && !u.app.Quiet && !u.app.JSON.Given {
		verb := "uploaded"
		if done.Existing {
			verb = "exists:"
		}
		u.app.Messagef("%s %s (%s), sha256 %s", verb, asset.ID, describeAsset(asset), cli.Deref(asset.SHA256))
	}
	return m, nil
}

// Parts describes the flags, for the idempotency key of a command in a CI job.
func (f *Flags) Parts() (parts []string) {
	for i, ref := range f.files {
		parts = append(parts, "media", ref, f.alts.at(i))
	}
	if f.none {
		parts = append(parts, "no-media")
	}
	return parts
}

// Lines describes the media of a post, a line each: the facts of the asset and the alt
// text. Assets that were deleted after publishing have an id only.
func Lines(a *cli.App, list []apiv1.PostMedia, assets []apiv1.MediaAsset) []string {
	return cli.Map(list, func(m apiv1.PostMedia) string {
		text := Described(m.ID, assets)
		if cli.Deref(m.AltText) == "" {
			return text + ": " + a.Paint(cli.StatusColors["warning"], "no alt text")
		}
		return text + ": " + cli.OneLine(*m.AltText)
	})
}

// Described returns the id of an asset with its facts, if it is one of assets.
func Described(id string, assets []apiv1.MediaAsset) string {
	if asset, found := assetByID(assets, id); found {
		return id + " (" + describeAsset(asset) + ")"
	}
	return id
}

// Fields describes one file of a post for programs: its id, type, size in bytes, SHA-256,
// file name and alt text.
func Fields(m apiv1.PostMedia, assets []apiv1.MediaAsset) []string {
	asset, found := assetByID(assets, m.ID)
	size := ""
	if found {
		size = fmt.Sprint(asset.SizeBytes)
	}
	return []string{m.ID, asset.MIMEType, size, cli.Deref(asset.SHA256), cli.OneLine(asset.FileName), cli.OneLine(cli.Deref(m.AltText))}
}

func assetByID(assets []apiv1.MediaAsset, id string) (apiv1.MediaAsset, bool) {
	for _, asset := range assets {
		if asset.ID == id {
			return asset, true
		}
	}
	return apiv1.MediaAsset{}, false
}

// Names lists the names of the files of a post, in brackets.
func Names(list []apiv1.PostMedia, assets []apiv1.MediaAsset) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(cli.Map(list, func(m apiv1.PostMedia) string {
		asset, _ := assetByID(assets, m.ID)
		return cli.FirstNonEmpty(cli.OneLine(asset.FileName), m.ID)
	}), ", ") + "]"
}
