package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
)

// postFiles is a directory of post files as it was read.
type postFiles struct {
	dir      string
	files    []postfile.File
	problems []postfile.Problem
	lock     *postfile.Lock
}

func readPostFiles(dir string) (*postFiles, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("read the posts: %w", err)
	} else if !info.IsDir() {
		return nil, usage("%s is no directory; give the one that holds the files of posts", dir)
	}
	d := &postFiles{dir: dir}
	data, err := os.ReadFile(d.lockPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the posts: %w", err)
	}
	if d.lock, err = postfile.ParseLock(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", d.lockPath(), err)
	}
	if d.files, d.problems, err = postfile.ReadDir(os.DirFS(dir)); err != nil {
		return nil, fmt.Errorf("read the posts: %w", err)
	}
	return d, nil
}

func (d *postFiles) lockPath() string { return filepath.Join(d.dir, postfile.LockName) }

// save writes the lock.
func (d *postFiles) save() error {
	data, err := d.lock.Encode()
	if err != nil {
		return fmt.Errorf("write %s: %w", d.lockPath(), err)
	}
	return replaceFile(d.lockPath(), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// problemf adds a problem of a file.
func (d *postFiles) problemf(f *postfile.File, line int, format string, args ...any) {
	d.problems = append(d.problems, f.Problemf(line, format, args...))
}

// sorted returns the problems in the order of files and lines.
func (d *postFiles) sorted() []postfile.Problem {
	slices.SortStableFunc(d.problems, func(a, b postfile.Problem) int {
		switch {
		case a.Path < b.Path:
			return -1
		case a.Path > b.Path:
			return 1
		}
		return a.Line - b.Line
	})
	return d.problems
}

// wanted is the post that a file asks for.
type wanted struct {
	postState
	file   *postfile.File
	moment when.Moment // of a post with a time
}

// fileReader understands what files say.
type fileReader struct {
	*app
	*postFiles
	zone     *time.Location  // of times without one, nil for none
	accounts []apiv1.Account // nil when they are not known
}

// all understands every file that could be read.
func (r *fileReader) all() (list []wanted) {
	bad := map[string]bool{}
	for _, p := range r.problems {
		bad[p.Path] = true
	}
	for i := range r.files {
		if f := &r.files[i]; !bad[f.Path] {
			list = append(list, r.understand(f))
		}
	}
	return list
}

// understand returns the post that a file asks for, and adds what is wrong with
// it to the problems.
func (r *fileReader) understand(f *postfile.File) wanted {
	w := wanted{file: f, postState: postState{content: f.Content.Text, texts: map[string]string{}}}
	if err := checkText(w.content, "the text"); err != nil {
		r.problemf(f, f.Content.Line, "%v", err)
	}
	r.readTime(f, &w)
	if f.At.Text != "" && len(f.To) == 0 {
		r.problemf(f, f.At.Line, "a post that goes out needs an account; give to: [ACCOUNT]")
	}
	if r.accounts == nil {
		return w
	}
	for _, to := range f.To {
		ids, err := r.pick(r.accounts, []string{to.Text})
		if err != nil {
			r.problemf(f, to.Line, "%v", err)
		}
		w.accounts = append(w.accounts, ids...)
	}
	slices.Sort(w.accounts)
	w.accounts = slices.Compact(w.accounts)
	for _, o := range f.Overrides {
		r.readOverride(f, o, &w)
	}
	return w
}

func (r *fileReader) readOverride(f *postfile.File, o postfile.Override, w *wanted) {
	ids, err := r.pick(r.accounts, []string{o.Account.Text})
	if err == nil {
		err = checkText(o.Text.Text, "the text for "+o.Account.Text)
	}
	if err != nil {
		r.problemf(f, o.Account.Line, "%v", err)
		return
	}
	for _, id := range ids {
		switch _, twice := w.texts[id]; {
		case !slices.Contains(w.accounts, id):
			r.problemf(f, o.Account.Line, "the post does not go to %s; add it to \"to\"", o.Account.Text)
		case twice:
			r.problemf(f, o.Account.Line, "%s has a text already", o.Account.Text)
		}
		w.texts[id] = o.Text.Text
	}
}

// readTime reads the time of a file. It must be the same whenever and wherever
// the file is read.
func (r *fileReader) readTime(f *postfile.File, w *wanted) {
	zone, named := r.zone, f.TZ.Text != ""
	if named {
		var err error
		if zone, err = when.LoadZone(f.TZ.Text); err != nil {
			r.problemf(f, f.TZ.Line, "%v", err)
			return
		}
	}
	if f.At.Text == "" {
		if named {
			r.problemf(f, f.TZ.Line, "there is a zone and no time; give at")
		}
		return
	}
	somewhere := zone
	if zone == nil {
		somewhere = time.UTC
	}
	now := r.now()
	m, err := when.Parse(f.At.Text, now, somewhere)
	switch {
	case err != nil:
		r.problemf(f, f.At.Line, "%s", fixedAdvice(err))
	case dependsOnNow(f.At.Text, m, now, somewhere):
		r.problemf(f, f.At.Line, "%q means another time on another day; write the day, such as %s", f.At.Text, m.Time.Format("2006-01-02 15:04"))
	case zone == nil && dependsOnZone(f.At.Text, m, now):
		r.problemf(f, f.At.Line, "%q means another time on a machine in another zone; give tz, such as tz: Europe/Berlin, or --tz for all files", f.At.Text)
	default:
		w.moment, w.at = m, m.Time.UTC().Truncate(time.Millisecond)
	}
}

// fixedAdvice returns why a text is no time, without the advice to write one
// that moves.
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

// dependsOnZone reports whether a text means another time elsewhere.
func dependsOnZone(text string, m when.Moment, now time.Time) bool {
	again, err := when.Parse(text, now, time.FixedZone("elsewhere", 5*3600+1234))
	return err != nil || !again.Time.Equal(m.Time)
}
