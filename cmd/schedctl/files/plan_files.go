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
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// postFiles is a directory of post files.
type postFiles struct {
	dir        string
	files      []postfile.File
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
		d.faults[p.Path] = strings.TrimPrefix(d.faults[p.Path]+"; "+cli.OneLine(p.Message), "; ")
	}
}

// problemf adds a problem of a file.
func (d *postFiles) problemf(f *postfile.File, line int, format string, args ...any) {
	d.addProblems(f.Problemf(line, format, args...))
}

// sorted returns the problems in the order of files and lines.
func (d *postFiles) sorted() []postfile.Problem {
	slices.SortStableFunc(d.problems, func(a, b postfile.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return d.problems
}

// wantedPost is the post that a file describes.
type wantedPost struct {
	postState
	file   *postfile.File
	moment when.Result // of a post with a time
	first  when.Result // with not_before: the earliest time of its slot
	series *wantedSeries
}

// fileReader interprets files.
type fileReader struct {
	*cli.App
	*postFiles
	zone     *time.Location  // of times without one, nil for none
	accounts []apiv1.Account // nil when they are not known
	queues   []apiv1.Queue   // of the daemon, if files name queues
	wanted   wantedSettings  // of schedctl.yaml

	media     apiv1.MediaConfig    // the limits of files
	inspected map[string]mediaFile // by path
	paths     map[string]string    // of inspected files, by hash
}

// all interprets every file that has no problem. Files with problems have no state.
func (r *fileReader) all() []wantedPost {
	r.understandConfig()
	list := make([]wantedPost, len(r.files))
	for i := range r.files {
		f := &r.files[i]
		if list[i].file = f; r.faults[f.Path] == "" {
			list[i] = r.understand(f)
		}
	}
	return list
}

// understand returns the post that a file describes, and adds the errors of the file
// to the problems.
func (r *fileReader) understand(f *postfile.File) wantedPost {
	w := wantedPost{file: f, postState: postState{Content: f.Content.Text}}
	if err := cli.CheckText(w.Content, "the text"); err != nil && (w.Content != "" || len(f.Media) == 0) {
		r.problemf(f, f.Content.Line, "%v", err)
	}
	w.Media = r.readMedia(f, f.Media)
	r.readParts(f, &w)
	if n := utf8.RuneCountInString(f.Path); n > schedctl.MaxManagedPath {
		r.problemf(f, 1, "the path has %d characters; the limit is %d", n, schedctl.MaxManagedPath)
	}
	r.readTime(f, &w)
	r.readRepeat(f, &w)
	r.readLabels(f, &w)
	if line := max(f.At.Line, f.Queue.Line, f.Repeat.Line); (f.At.Text != "" || f.Queue.Text != "" || f.Repeat.Text != "") && len(f.To) == 0 {
		r.problemf(f, line, "a post with a time needs an account; add to: [ACCOUNT]")
	}
	r.readQueue(f, &w)
	if r.accounts == nil {
		for _, o := range f.Overrides {
			r.overrideState(f, o)
		}
		return w
	}
	for _, to := range f.To {
		ids, err := account.PickIDs(r.App, r.accounts, []string{to.Text})
		if err != nil {
			r.problemf(f, to.Line, "%v", err)
		}
		w.Accounts = append(w.Accounts, ids...)
	}
	for _, o := range f.Overrides {
		r.readOverride(f, o, &w)
	}
	w.postState = w.sorted()
	return w
}

func (r *fileReader) readLabels(f *postfile.File, w *wantedPost) {
	for _, label := range f.Labels {
		if err := schedctl.CheckLabel(fmt.Sprintf("the label %q", cli.Clip(label.Text, 40)), label.Text); err != nil {
			r.problemf(f, label.Line, "%s", post.RuleText(err))
		}
		w.Labels = append(w.Labels, label.Text)
	}
	if n := len(w.Labels); n > schedctl.MaxLabels {
		r.problemf(f, f.Labels[0].Line, "the post has %d labels; the limit is %d", n, schedctl.MaxLabels)
	}
}

// readTime reads the time of a file. The time must not depend on when and where
// the file is read.
func (r *fileReader) readTime(f *postfile.File, w *wantedPost) {
	zone, named := r.zone, f.TZ.Text != ""
	if named {
		var err error
		if zone, err = when.LoadZone(f.TZ.Text); err != nil {
			r.problemf(f, f.TZ.Line, "%v", err)
			return
		}
	}
	if f.At.Text == "" && f.NotBefore.Text == "" && f.Repeat.Text == "" && named {
		r.problemf(f, f.TZ.Line, "tz has no effect without a time; add at, not_before or repeat")
	}
	if m, read := r.readFixed(f, f.At, zone); read {
		w.moment, w.At = m, formatTime(m.Time.UTC())
	}
	first := f.NotBefore
	if _, err := time.Parse(time.DateOnly, first.Text); err == nil {
		first.Text += " 00:00"
	}
	if m, read := r.readFixed(f, first, zone); read {
		w.first, w.NotBefore = m, formatTime(m.Time.UTC())
	}
}

// readFixed reads a time in a zone, nil for none. It adds the errors of the time to the
// problems.
func (r *fileReader) readFixed(f *postfile.File, v postfile.Value, zone *time.Location) (m when.Result, read bool) {
	if v.Text == "" {
		return m, false
	}
	somewhere := zone
	if zone == nil {
		somewhere = time.UTC
	}
	now := r.Now()
	m, err := when.Parse(v.Text, now, somewhere)
	switch {
	case err != nil:
		r.problemf(f, v.Line, "%s", fixedAdvice(err))
	case cli.DependsOnNow(v.Text, m, now, somewhere):
		r.problemf(f, v.Line, "%q changes its meaning from day to day; write the date, such as %s", v.Text, m.Time.Format("2006-01-02 15:04"))
	case zone == nil && dependsOnZone(v.Text, m, now):
		r.problemf(f, v.Line, "%q means another time in each time zone; add tz, such as tz: Europe/Berlin, or give --tz for all files", v.Text)
	default:
		m.Time = m.Time.Truncate(time.Millisecond)
		return m, true
	}
	return m, false
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
