package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// postFiles is a directory of post files.
type postFiles struct {
	dir        string
	files      []postfile.Document
	problems   []postfile.Problem
	faults     map[string]string // the messages of the problems, by path
	config     postfile.Config   // of schedctl.yaml
	collection string
	lock       map[string]map[string]postfile.Entry // of an earlier version, by workspace and id
}

// readPostFiles reads a directory. collection is the value of --collection.
func readPostFiles(dir, collection string) (*postFiles, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("read the posts: %w", err)
	} else if !info.IsDir() {
		return nil, cli.UsageError("%s is not a directory; give the directory of the post files", dir)
	}
	d := &postFiles{dir: dir, faults: map[string]string{}}
	config, problems, err := postfile.ReadConfig(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("read the posts: %w", err)
	}
	d.config = config
	if err := d.nameCollection(collection); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(d.lockPath())
	if err == nil {
		if d.lock, err = postfile.ParseLock(data); err != nil {
			return nil, fmt.Errorf("read %s: %w", d.lockPath(), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the posts: %w", err)
	}
	var found []postfile.Problem
	if d.files, found, err = postfile.ReadDir(os.DirFS(dir)); err != nil {
		return nil, fmt.Errorf("read the posts: %w", err)
	}
	d.addProblems(append(problems, found...)...)
	return d, nil
}

func (d *postFiles) lockPath() string { return filepath.Join(d.dir, postfile.LockName) }

// addProblems adds problems.
func (d *postFiles) addProblems(problems ...postfile.Problem) {
	d.problems = append(d.problems, problems...)
	for _, p := range problems {
		d.faults[p.Path] = strings.TrimPrefix(d.faults[p.Path]+"; "+cli.MessageLine(p.Message), "; ")
	}
}

// problemf adds a problem of a document.
func (d *postFiles) problemf(of *postfile.Document, line int, format string, args ...any) {
	d.addProblems(of.Problemf(line, format, args...))
}

// sorted returns the problems in the order of files and lines.
func (d *postFiles) sorted() []postfile.Problem {
	slices.SortStableFunc(d.problems, func(a, b postfile.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return d.problems
}

// wantedPost is the post that a document describes.
type wantedPost struct {
	postState
	doc       *postfile.Document
	request   apiv1.CreatePost     // with the ids of accounts, and the files as in doc
	inspected map[string]mediaFile // by path
	moment    when.Result          // of a post with a time
	relative  bool                 // the time depends on now
	nextSlot  bool                 // the time is the next free slot
	first     when.Result          // with not_before: the earliest time of its slot
	proposed  *apiv1.ProposedTime  // of a draft
	series    *wantedSeries
	variants  []string // of a series
}

// fileReader interprets documents.
type fileReader struct {
	*cli.App
	*postFiles
	rows     bool            // the documents are rows, which may have relative times
	zone     *time.Location  // of times without one, nil for none
	accounts []apiv1.Account // nil when they are not known
	groups   func() ([]apiv1.AccountGroup, error)
	snippets *snippet.Texts // nil when they are not known
	queues   []apiv1.Queue  // of the daemon, if files name queues
	wanted   wantedSettings // of schedctl.yaml

	media     apiv1.MediaConfig    // the limits of files
	inspected map[string]mediaFile // by path
	paths     map[string]string    // of inspected files, by hash
}

// all interprets every file that has no problem. Files with problems have no state.
func (r *fileReader) all() []wantedPost {
	r.understandConfig()
	list := make([]wantedPost, len(r.files))
	for i := range r.files {
		d := &r.files[i]
		if list[i].doc = d; r.faults[d.Path] == "" {
			list[i] = r.understand(d)
		}
	}
	return list
}

// understand returns the post that a document describes, and adds the errors of the
// document to the problems.
func (r *fileReader) understand(d *postfile.Document) wantedPost {
	w := wantedPost{doc: d, request: fields.Tidy(d.Post), variants: fields.TidyTexts(d.Variants), inspected: r.inspected}
	r.addProblems(d.Faults...)
	r.checkContent(d)
	if r.snippets != nil {
		expanded, err := r.snippets.ExpandAll(w.request)
		variants, err2 := r.snippets.ExpandList(w.variants)
		if err := cmp.Or(err, err2); err != nil {
			r.problemf(d, d.First, "%v", err)
		}
		w.request, w.variants = fields.Tidy(expanded), fields.TidyTexts(variants)
	}
	if !r.rows {
		r.readMedia(d)
	}
	if n := utf8.RuneCountInString(d.Path); n > schedctl.MaxManagedPath {
		r.problemf(d, 1, "the path has %d characters; the limit is %d", n, schedctl.MaxManagedPath)
	}
	r.readTime(d, &w)
	r.readRepeat(d, &w)
	if line := max(d.Where("at").Line, d.Where("queue").Line, d.Where("repeat").Line); (d.At != "" || d.Queue != "" || d.Repeat != "") && len(d.To) == 0 {
		r.problemf(d, line, "a post with a time needs an account in \"to\"")
	}
	r.readQueue(d, &w)
	if r.accounts != nil {
		r.readAccounts(d, &w)
	}
	times := w.postState
	if !r.rows {
		w.request = canonical(w.request)
	}
	w.postState = newState(w.request, w.files)
	w.At, w.Queue, w.NotBefore = times.At, times.Queue, times.NotBefore
	return w
}

// readTime reads the times of a document. Those of a post file must not depend on when and
// where the file is read.
func (r *fileReader) readTime(d *postfile.Document, w *wantedPost) {
	zone, named := r.zone, d.TZ != ""
	if named {
		var err error
		if zone, err = when.LoadZone(d.TZ); err != nil {
			r.problemf(d, d.Line("tz"), "%v", err)
			return
		}
	}
	if d.At == "" && d.NotBefore == "" && d.Repeat == "" && named && !r.rows {
		r.problemf(d, d.Line("tz"), "tz has no effect without a time; add at, not_before or repeat")
	}
	if w.nextSlot = r.rows && isNextSlot(d.At); w.nextSlot {
		// a slot of "queue", or of the default queue
	} else if m, relative, read := r.readFixed(d, "at", d.At, zone); read {
		w.moment, w.relative, w.At = m, relative, formatTime(m.Time.UTC())
	}
	first := d.NotBefore
	if _, err := time.Parse(time.DateOnly, first); err == nil {
		first += " 00:00"
	}
	if m, _, read := r.readFixed(d, "not_before", first, zone); read {
		w.first, w.NotBefore = m, formatTime(m.Time.UTC())
	}
	if d.ProposedAt == apiv1.PublishNextSlot {
		w.proposed = &apiv1.ProposedTime{NextSlot: true}
	} else if m, _, read := r.readFixed(d, "proposed_at", d.ProposedAt, zone); read {
		w.proposed = &apiv1.ProposedTime{Time: m.Time.UTC()}
	}
	if d.ProposedAt != "" && (d.At != "" || d.Queue != "" || d.Repeat != "") {
		r.problemf(d, d.Line("proposed_at"), "proposed_at is for a draft; remove at, queue and repeat")
	}
}

// readFixed reads a time in a zone, nil for none. It adds the errors of the time to the
// problems.
func (r *fileReader) readFixed(d *postfile.Document, key, text string, zone *time.Location) (m when.Result, relative, read bool) {
	if text == "" {
		return m, false, false
	}
	somewhere := zone
	if zone == nil {
		somewhere = time.UTC
	}
	now := r.Now()
	m, err := when.Parse(text, now, somewhere)
	relative = err == nil && cli.DependsOnNow(text, m, now, somewhere)
	switch {
	case err != nil && r.rows:
		r.problemf(d, d.Line(key), "%v%s", err, orderAdvice(text, err))
	case err != nil:
		r.problemf(d, d.Line(key), "%s", fixedAdvice(err))
	case relative && !r.rows:
		r.problemf(d, d.Line(key), "%q changes its meaning from day to day; write the date, such as %s", text, m.Time.Format("2006-01-02 15:04"))
	case zone == nil && dependsOnZone(text, m, now):
		r.problemf(d, d.Line(key), "%q means another time in each time zone; add tz, such as tz: Europe/Berlin, or give --tz for all files", text)
	default:
		m.Time = m.Time.Truncate(time.Millisecond)
		return m, relative, true
	}
	return m, relative, false
}

// fixedAdvice returns why a text is not a valid time, without the advice to write a
// relative one.
func fixedAdvice(err error) string {
	var e *when.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Reason == when.Past {
		return e.Message
	}
	if strings.Contains(e.Hint, "tomorrow") {
		return e.Message + "; write the day and the time of day, such as 2026-12-08 09:00"
	}
	return e.Error()
}

// dependsOnZone reports whether the meaning of a text depends on the zone.
func dependsOnZone(text string, m when.Result, now time.Time) bool {
	again, err := when.Parse(text, now, time.FixedZone("elsewhere", 5*3600+1234))
	return err != nil || !again.Time.Equal(m.Time)
}
