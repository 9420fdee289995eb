package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// adopter writes posts as files of a directory and adds them to its collection.
type adopter struct {
	*planner
	posts map[string]apiv1.Post   // of the collection, by id
	has   map[string]bool         // ids with a file
	equal map[string][]wantedPost // files without a post, by digest

	mediaPaths map[string]string // hashes of files, by the path that export gave them
}

// ExportFiles writes the posts that q selects as files and returns their number.
// It is a [post.filesExporter].
func ExportFiles(ctx context.Context, a *cli.App, c *client.Client, q client.PostQuery, dir, collection string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("write the posts: %w", err)
	}
	read, err := readPostFiles(dir, collection)
	if err != nil {
		return 0, err
	}
	p, err := newPlanner(ctx, a, read, planFlags{})
	if err != nil {
		return 0, err
	}
	existing := p.all()
	if len(p.problems) > 0 {
		return 0, refuseProblems(p.App, p.sorted(), "nothing was exported")
	}
	if err := p.readQueues(ctx); err != nil {
		return 0, err
	}
	ad := &adopter{planner: p, has: map[string]bool{}, equal: map[string][]wantedPost{}, mediaPaths: map[string]string{}}
	if ad.posts, err = p.collected(ctx); err != nil {
		return 0, err
	}
	for _, w := range existing {
		id := w.file.ID.Text
		if ad.has[id] = true; ad.posts[id].ID == "" {
			ad.equal[w.digest()] = append(ad.equal[w.digest()], w)
		}
	}
	if err := read.writeConfig(); err != nil {
		return 0, err
	}
	claimed := 0
	bar := a.NewProgress("exporting", 0)
	defer bar.Clear()
	for post, err := range c.EachPost(ctx, q) {
		if err != nil {
			return written, err
		}
		reason, err := ad.adopt(ctx, post)
		switch {
		case err != nil:
			return written, fmt.Errorf("%s: %w", post.ID, err)
		case reason == "":
			written++
			bar.Step()
		case reason == hasEqualFile:
			claimed++
		case reason != hasFile:
			a.Messagef("left out: %s: %s", post.ID, reason)
		}
	}
	if claimed > 0 && !a.Quiet {
		a.Messagef("%s with the same content as an existing file; the file controls the post now", cli.Plural(claimed, "post"))
	}
	return written, nil
}

// The reasons to write no file for a post.
const (
	hasFile      = "it has a file"
	hasEqualFile = "an equal file exists, and is its file now"
)

// adopt writes the file of a post, or returns the reason to leave it out. Until
// the file is complete, the digest is one that no post has: an interrupted export
// is no reason to cancel the post or to create it again.
func (a *adopter) adopt(ctx context.Context, post apiv1.Post) (reason string, err error) {
	id, ours := strings.CutPrefix(cli.Deref(post.ExternalID), a.externalID(""))
	switch {
	case ours && a.has[id]:
		return hasFile, nil
	case post.SeriesID != nil:
		return "it is an occurrence of a series", nil
	case post.ExternalID != nil && !ours:
		return fmt.Sprintf("it has the external id %q", *post.ExternalID), nil
	case !ours:
		if files := a.equal[stateOf(post).digest()]; len(files) > 0 {
			return hasEqualFile, a.claim(ctx, post, files[0])
		}
		id = a.newID(post)
	}
	f, reason := a.describe(post, id)
	if reason != "" {
		return reason, nil
	}
	if err := a.saveMedia(ctx, f); err != nil {
		return "", err
	}
	s := step{change: change{ID: id, File: f.path}, wanted: f.wanted, post: post}
	edit := apiv1.EditPost{Managed: a.managed(&s, "v0:export")}
	if !ours {
		edit.ExternalID = new(a.externalID(id))
	}
	if err := a.edit(ctx, &s, edit); err != nil {
		return "", err
	}
	err = cli.ReplaceFile(filepath.Join(a.dir, f.path), func(w io.Writer) error {
		_, err := w.Write(f.data)
		return err
	})
	if err != nil {
		return "", err
	}
	a.has[id], a.posts[id] = true, s.post
	return "", a.edit(ctx, &s, apiv1.EditPost{Managed: a.managed(&s, s.wanted.digest())})
}

// described is a post as a file that is not written yet.
type described struct {
	path   string
	data   []byte
	wanted wantedPost         // as apply reads the file
	media  []postfile.Media   // the files that it lists, of all parts
	assets []apiv1.MediaAsset // of media
}

// describe returns a post as a file, or the reason why a file cannot express it.
func (a *adopter) describe(post apiv1.Post, id string) (f described, reason string) {
	state := stateOf(post)
	if hasUnknownBytes(state.allMedia()) {
		return f, "the upload of a file is not confirmed"
	}
	text := a.fileOf(post, id)
	f.assets = a.addMedia(text, post)
	f.path, f.media, f.data = a.newPath(id), text.AllMedia(), text.Encode()
	file, problems := postfile.Parse(f.path, f.data)
	check := &fileReader{
		App: a.App, postFiles: &postFiles{faults: map[string]string{}}, accounts: a.accounts, queues: a.queues,
		media: apiv1.MediaConfig{MaxMediaPerPost: len(f.media)}, inspected: map[string]mediaFile{}, paths: map[string]string{},
	}
	for i, m := range f.media {
		check.inspected[m.Path] = mediaFile{FileFacts: media.FileFacts{SHA256: *f.assets[i].SHA256, Size: f.assets[i].SizeBytes, MIMEType: f.assets[i].MIMEType}} // the daemon inspected it
	}
	f.wanted = check.understand(&file)
	if len(problems)+len(check.problems) > 0 || f.wanted.digest() != state.digest() {
		return f, "a file cannot hold its text, its accounts, its media, or what single accounts get"
	}
	return f, ""
}

// claim adds a post to the collection as the post of an existing file that describes
// exactly this post.
func (a *adopter) claim(ctx context.Context, post apiv1.Post, w wantedPost) error {
	digest, external := w.digest(), a.externalID(w.file.ID.Text)
	a.equal[digest] = a.equal[digest][1:]
	s := step{change: change{ID: w.file.ID.Text, File: w.file.Path}, wanted: w, post: post}
	return a.edit(ctx, &s, apiv1.EditPost{ExternalID: &external, Managed: a.managed(&s, digest)})
}

// fileOf returns a post as a file.
func (a *adopter) fileOf(post apiv1.Post, id string) *postfile.File {
	s := stateOf(post)
	f := &postfile.File{ID: postfile.Value{Text: id}, At: postfile.Value{Text: s.At}, NotBefore: postfile.Value{Text: s.NotBefore}, Content: postfile.Value{Text: s.Content}}
	if s.Queue != "" {
		f.Queue = postfile.Value{Text: queueText(s.Queue, a.names)}
	}
	for _, ref := range a.names.Names(s.Accounts) {
		f.To = append(f.To, postfile.Value{Text: ref})
	}
	for _, label := range s.Labels {
		f.Labels = append(f.Labels, postfile.Value{Text: label})
	}
	for _, o := range s.Overrides {
		f.Overrides = append(f.Overrides, fileOverride(cli.FirstNonEmpty(a.names[o.Account], o.Account), o))
	}
	addParts(f, s)
	return f
}

// addParts adds what a post has besides its first part to a file, without media.
func addParts(f *postfile.File, s postState) {
	text := func(text string) postfile.Value { return postfile.Value{Text: text} }
	for _, part := range s.Thread {
		f.Thread = append(f.Thread, postfile.Part{Content: text(part.Content)})
	}
	if s.FirstComment != nil {
		f.FirstComment = &postfile.Part{Content: text(s.FirstComment.Content)}
	}
	f.Poll = filePoll(s.Poll)
	if s.NoPreview {
		f.LinkPreview.Mode = text(apiv1.PreviewNone)
	}
	if card := s.Card; card != nil {
		f.LinkPreview.Card = &postfile.LinkCard{URL: text(card.URL), Title: text(card.Title), Description: text(card.Description)}
	}
	f.ContentWarning, f.Visibility, f.Language = text(s.ContentWarning), text(s.Visibility), text(s.Language)
}

// filePoll returns a poll for a file.
func filePoll(p *pollState) *postfile.Poll {
	switch {
	case p == nil:
		return nil
	case len(p.Options) == 0:
		return &postfile.Poll{}
	}
	text := func(text string) postfile.Value { return postfile.Value{Text: text} }
	return &postfile.Poll{Options: cli.Map(p.Options, text), For: text(fields.PollTime(*p.api())), Multiple: p.Multiple, HideTotals: p.HideTotals}
}

// fileOverride returns what an account gets for a file, without media.
func fileOverride(account string, o overrideState) postfile.Override {
	text := func(text string) postfile.Value { return postfile.Value{Text: text} }
	out := postfile.Override{
		Account: text(account), Text: text(o.Content), Options: o.Options, Poll: filePoll(o.Poll),
		ContentWarning: text(o.ContentWarning), Visibility: text(o.Visibility), Language: text(o.Language),
	}
	if o.Media != nil {
		out.Media = &[]postfile.Media{}
	}
	if o.Thread != nil {
		parts := []postfile.Part{}
		for _, part := range *o.Thread {
			parts = append(parts, postfile.Part{Content: text(part.Content)})
		}
		out.Thread = &parts
	}
	return out
}

var notInSlugs = regexp.MustCompile(`[^a-z0-9]+`)

// newID returns an id that is not used in the collection: the date of the post and
// the start of its text.
func (a *adopter) newID(post apiv1.Post) string {
	const most = 40
	line, _, _ := strings.Cut(strings.TrimSpace(post.Content), "\n")
	slug := notInSlugs.ReplaceAllString(strings.ToLower(cli.Clip(line, most)), "-")
	slug = cli.FirstNonEmpty(strings.Trim(slug, "-"), strings.ToLower(post.ID))
	if post.PublishAt != nil {
		slug = post.PublishAt.UTC().Format("2006-01-02-") + slug
	}
	id := slug
	for n := 2; a.has[id] || a.posts[id].ID != ""; n++ {
		id = fmt.Sprintf("%s-%d", slug, n)
	}
	return id
}

// newPath returns the path of a new file for an id.
func (a *adopter) newPath(id string) string {
	name := strings.Trim(notInNames.ReplaceAllString(id, "-"), "-._")
	if name == "" || strings.EqualFold(name, "readme") {
		name = "post-" + name
	}
	path := name + ".md"
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(a.dir, path)); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d.md", name, n)
	}
}
