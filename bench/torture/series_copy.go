package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// backUp starts the daemon and makes a backup of it, while the clients work. It returns
// the path of the file.
func (x *seriesWorld) backUp(ctx context.Context) (path string, err error) {
	x.launched.Load().Kill()
	if err := x.start(ctx); err != nil {
		return "", err
	}
	dir, err := x.newDir()
	if err != nil {
		return "", err
	}
	d := x.daemon()
	path = filepath.Join(dir, "backup.db")
	return path, x.command(ctx, "backup", path, "--no-media", "--url", "http://"+d.Address, "--api-key-file", filepath.Join(d.Dir, "admin.key"))
}

// command runs a command of the program, with the clock of the daemon.
func (x *seriesWorld) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, x.config.Binary, args...)
	cmd.Env = append(os.Environ(), x.config.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("schedctl %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// outliveBackup lets the original publish until a backup has no post that is not due.
func (x *seriesWorld) outliveBackup(ctx context.Context) error {
	for range seriesAhead + 1 {
		x.launched.Load().Kill()
		if err := x.clock.sleep(18 * time.Hour); err != nil { // less than a post may be late
			return err
		}
		if err := errors.Join(x.restart(ctx), x.settleSeries(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// judgeCopy ends the original, restores the backup, lets the copy make and publish
// occurrences of some days, and checks that it leaves out all that the original may have
// published. Then the original runs again, so that its database can be checked.
func (x *seriesWorld) judgeCopy(ctx context.Context, backup string, kills int, total *tally) error {
	if err := x.outliveBackup(ctx); err != nil {
		return err
	}
	x.daemon().Kill()
	original := x.config
	dir, err := x.newDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	target := filepath.Join(dir, "data")
	if err := x.command(ctx, "restore", backup, "--data-dir", target,
		"--secret-key", filepath.Join(original.Dir, "secret.key"), "--admin-key", filepath.Join(original.Dir, "admin.key")); err != nil {
		return err
	}
	restored, before := x.now(), x.network.seen()
	x.config.Dir = target
	err = errors.Join(x.runCopy(ctx, kills, total), x.compareCopy(ctx, restored, before, total))
	x.launched.Load().Kill()
	x.config = original
	return errors.Join(err, x.start(ctx))
}

// runCopy kills the copy again and again while days pass.
func (x *seriesWorld) runCopy(ctx context.Context, kills int, total *tally) error {
	random := x.random("series/copy")
	for range kills {
		if err := x.round(ctx, random); err != nil {
			return err
		}
		if err := x.clock.sleep(time.Duration(3+random.IntN(5)) * time.Hour); err != nil {
			return err
		}
		total.count("copy_kills", 1)
	}
	if err := x.restart(ctx); err != nil {
		return err
	}
	return x.settleSeries(ctx)
}

// compareCopy compares the copy with what the networks had received when it was restored.
func (x *seriesWorld) compareCopy(ctx context.Context, restored time.Time, before map[string]delivery, total *tally) error {
	posts, err := x.posts(ctx)
	if err != nil {
		return err
	}
	published := judgeCopy(x.judged, copyObservation{restored: restored, posts: posts, before: before, seen: x.network.seen()})
	total.count("published_by_copy", published)
	if published == 0 {
		return errors.New("the restored copy has published nothing")
	}
	return nil
}

// copyObservation is everything known about a restored copy once it is idle.
type copyObservation struct {
	restored     time.Time
	posts        map[string]apiv1.Post // of the copy, by id
	before, seen map[string]delivery   // what the networks had received before the restore and have now, by target
}

// judgeCopy checks that the copy made and published only occurrences after the time of the
// restore. It returns the number of posts that the copy published.
func judgeCopy(v *verdictCollector, o copyObservation) (published int) {
	times := map[string]time.Time{}
	for id, p := range o.posts {
		if p.PublishAt == nil {
			continue // a draft
		}
		for _, t := range p.Targets {
			times[t.ID] = p.PublishAt.Time
		}
		if p.CreatedAt.After(o.restored) && !p.PublishAt.After(o.restored) {
			v.violation(doneTwice, "the copy was restored at %s and made post %s for %s", o.restored, id, p.PublishAt)
		}
	}
	for id, d := range o.seen {
		had := o.before[id]
		published += d.posts - had.posts
		at, found := times[id]
		switch {
		case d.calls == had.calls:
		case had.calls > 0:
			v.violation(doneTwice, "the copy called a network for target %s, which the original had called", id)
		case !found || !at.After(o.restored):
			v.violation(doneTwice, "the copy was restored at %s and published target %s for %s", o.restored, id, at)
		}
	}
	return published
}
