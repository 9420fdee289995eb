package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// adopter writes posts as files of a directory and adds them to its collection.
type adopter struct {
	*planner
	posts map[string]apiv1.Post   // of the collection, by id
	has   map[string]bool         // ids with a file
	equal map[string][]wantedPost // files without a post, by digest

	series     map[string]bool   // the ids of those that have a file, or cannot have one
	mediaPaths map[string]string // hashes of files, by the path that export gave them
}

// exportFiles writes the posts that q selects as files and returns their number.
func exportFiles(ctx context.Context, a *cli.App, c *client.Client, q client.PostQuery, dir, collection string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("write the posts: %w", err)
	}
	read, err := readPostFiles(dir, collection)
	if err != nil {
		return 0, err
	}
	p, err := newPlanner(ctx, a, read, planFlags{allowOlder: true})
	if err != nil {
		return 0, err
	}
	if err := p.checkOwner(ctx); err != nil {
		return 0, err
	}
	existing := p.all()
	if len(p.problems) > 0 {
		return 0, refuseProblems(p.App, p.sorted(), "nothing was exported")
	}
	if err := p.readQueues(ctx); err != nil {
		return 0, err
	}
	ad := &adopter{planner: p, has: map[string]bool{}, equal: map[string][]wantedPost{}, series: map[string]bool{}, mediaPaths: map[string]string{}}
	if ad.posts, err = p.collected(ctx); err != nil {
		return 0, err
	}
	for _, w := range existing {
		id := w.doc.ID
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
		return a.adoptSeries(ctx, post)
	case post.ExternalID != nil && !ours:
		return fmt.Sprintf("it has the external id %q", *post.ExternalID), nil
	case !ours:
		if files := a.equal[stateOf(post).digest()]; len(files) > 0 {
			return hasEqualFile, a.claim(ctx, post, files[0])
		}
		id = a.newID(post.Content, post.ID, post.PublishAt)
	}
	f, reason := a.describe(a.document(post, id), post, stateOf(post))
	if reason != "" {
		return reason, nil
	}
	s := step{change: change{ID: id, File: f.path}, wanted: f.wanted, post: post}
	manage := func(digest string, external *string) error {
		return a.edit(ctx, &s, apiv1.EditPost{ExternalID: external, Managed: a.managed(&s, digest)})
	}
	if err := a.save(ctx, f, ours, manage); err != nil {
		return "", err
	}
	a.posts[id] = s.post
	return "", nil
}

// save writes the file and its media, and takes the post into the collection with manage.
func (a *adopter) save(ctx context.Context, f described, ours bool, manage func(digest string, external *string) error) error {
	if err := a.saveMedia(ctx, f); err != nil {
		return err
	}
	var external *string
	if !ours {
		external = new(a.externalID(f.wanted.doc.ID))
	}
	if err := manage("v0:export", external); err != nil {
		return err
	}
	err := cli.ReplaceFile(filepath.Join(a.dir, f.path), func(w io.Writer) error {
		_, err := w.Write(f.data)
		return err
	})
	if err != nil {
		return err
	}
	a.has[f.wanted.doc.ID] = true
	return manage(f.wanted.digest(), nil)
}

// isOccurrence is the reason to write no file for a post whose series has one, or cannot
// have one.
const isOccurrence = "it is an occurrence of a series"

// adoptSeries writes the file of the series of a post, unless it was written before.
func (a *adopter) adoptSeries(ctx context.Context, occurrence apiv1.Post) (reason string, err error) {
	id := *occurrence.SeriesID
	switch {
	case occurrence.Detached || occurrence.Status != schedctl.Scheduled:
		return isOccurrence, nil
	case a.series[id]:
		return hasFile, nil
	}
	have, err := a.client.Series(ctx, id)
	if err != nil {
		return isOccurrence, nil
	}
	a.series[id] = true
	fileID, ours := strings.CutPrefix(cli.Deref(have.ExternalID), a.externalID(""))
	switch {
	case ours && a.has[fileID]:
		return hasFile, nil
	case have.ExternalID != nil && !ours:
		return fmt.Sprintf("its series has the external id %q", *have.ExternalID), nil
	case have.State == schedctl.SeriesEnded:
		return isOccurrence, nil
	case !ours:
		fileID = a.newID(have.Name, have.ID, nil)
	}
	assets, err := assetsOf(ctx, a.client, &have)
	if err != nil {
		return "", err
	}
	p := postOf(&have, assets)
	doc := a.document(p, fileID)
	addSeries(doc, &have, a.queueName)
	f, reason := a.describe(doc, p, stateOfSeries(&have, assets))
	if reason != "" {
		return "its series: " + reason, nil
	}
	return "", a.save(ctx, f, ours, func(digest string, external *string) error {
		edit := apiv1.EditSeries{ExternalID: external, Managed: a.seriesManaged(f.wanted, digest)}
		made, err := a.client.EditSeries(ctx, have.ID, edit, client.IfVersion(have.Version))
		have = made.Series
		return err
	})
}

// described is a post as a file that is not written yet.
type described struct {
	path   string
	data   []byte
	wanted wantedPost         // as apply reads the file
	media  []string           // the paths of the files that it lists, of all parts
	assets []apiv1.MediaAsset // of media
}

// describe returns a document as a file, or the reason why a file cannot express the post.
func (a *adopter) describe(doc *postfile.Document, post apiv1.Post, state postState) (f described, reason string) {
	if reason := a.nameMedia(doc, post, &f); reason != "" {
		return f, reason
	}
	f.path, f.data = a.newPath(doc.ID), doc.Encode()
	file, problems := postfile.Parse(f.path, f.data)
	check := &fileReader{
		App: a.App, postFiles: &postFiles{faults: map[string]string{}}, accounts: a.accounts, queues: a.queues, snippets: &snippet.Texts{},
		media: apiv1.MediaConfig{MaxMediaPerPost: len(f.media)}, inspected: map[string]mediaFile{}, paths: map[string]string{},
	}
	for i, name := range f.media {
		check.inspected[name] = mediaFile{FileFacts: media.FileFacts{SHA256: *f.assets[i].SHA256, Size: f.assets[i].SizeBytes, MIMEType: f.assets[i].MIMEType}} // the daemon inspected it
	}
	f.wanted = check.understand(&file)
	if f.wanted.series != nil {
		f.wanted.postState, _ = check.seriesState(f.wanted, nil)
	}
	if len(problems)+len(check.problems) > 0 || f.wanted.digest() != state.digest() && f.wanted.withoutNotes().digest() != state.digest() {
		return f, "a file cannot hold its text, its accounts, its media, or what single accounts get"
	}
	return f, ""
}

// claim adds a post to the collection as the post of an existing file that describes
// exactly this post.
func (a *adopter) claim(ctx context.Context, post apiv1.Post, w wantedPost) error {
	digest, external := w.digest(), a.externalID(w.doc.ID)
	a.equal[digest] = a.equal[digest][1:]
	s := step{change: change{ID: w.doc.ID, File: w.doc.Path}, wanted: w, post: post}
	return a.edit(ctx, &s, apiv1.EditPost{ExternalID: &external, Managed: a.managed(&s, digest)})
}

// document returns a post as a document of a file.
func (a *adopter) document(post apiv1.Post, id string) *postfile.Document {
	s := stateOf(post)
	d := newDocument(canonical(requestOf(post)), a.names)
	d.ID, d.At, d.NotBefore = id, s.At, s.NotBefore
	if s.Queue != "" {
		d.Queue = a.queueName(s.Queue)
	}
	return &d
}

// queueName returns the name of a queue, or its id.
func (a *adopter) queueName(id string) string { return queueText(id, a.names) }

// newDocument returns a request as a document with the names of its accounts, and with the
// ids of its files.
func newDocument(request apiv1.CreatePost, names AccountRefs) postfile.Document {
	d := postfile.Document{Post: fields.MapTexts(request, snippet.Escape)}
	d.To, d.Post.SocialAccountIDs = names.Names(request.SocialAccountIDs), nil
	for i := range d.Post.TargetOverrides {
		o := &d.Post.TargetOverrides[i]
		if o.SocialAccountID = names.Names([]string{o.SocialAccountID})[0]; len(o.Options) == 0 {
			o.Options = nil
		}
	}
	return d
}

// addSeries adds what only a series has to a document.
func addSeries(d *postfile.Document, s *apiv1.Series, queueName func(string) string) {
	_, clock, _ := strings.Cut(s.Start, "T")
	d.TZ, d.Repeat, d.Start, d.Name = s.Timezone, s.Rule+" at "+clock, s.Start, s.Name
	d.Variants, d.Exdates, d.AheadDays = s.Variants, s.Exdates, s.AheadDays
	if d.AheadDays == schedctl.DefaultAheadDays {
		d.AheadDays = 0
	}
	if s.QueueID != nil {
		d.Queue = queueName(*s.QueueID)
	}
}

var notInSlugs = regexp.MustCompile(`[^a-z0-9]+`)

// newID returns an id that is not used in the collection: the date of the post and
// the start of its text.
func (a *adopter) newID(text, postID string, at *apiv1.Time) string {
	const most = 40
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	slug := notInSlugs.ReplaceAllString(strings.ToLower(cli.Clip(line, most)), "-")
	slug = cli.FirstNonEmpty(strings.Trim(slug, "-"), strings.ToLower(postID))
	if at != nil {
		slug = at.UTC().Format("2006-01-02-") + slug
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
