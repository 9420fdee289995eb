package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// upgradePosts is the number of posts in the old databases, each with three events. It
// makes an upgrade take some time.
const upgradePosts = 5000

// upgrade starts the daemon on databases of every earlier version and kills it
// repeatedly at random instants, mostly during the upgrade. Then it lets the daemon
// start, stops it, and compares every record with the original. It makes 60 trials for
// each version, or 6 in the quick run.
func upgrade(ctx context.Context, h *harness) (result, error) {
	u := &upgradeRun{harness: h, random: h.random("upgrade"), counts: map[string]int64{}, judged: new(verdictCollector)}
	trials := 60
	if h.quick {
		trials = 6
	}
	for version := 1; version < bolt.Version(); version++ {
		if err := u.version(ctx, version, trials); err != nil {
			return result{}, fmt.Errorf("version %d: %w", version, err)
		}
	}
	r := u.judged.result(u.counts)
	return r, nil
}

type upgradeRun struct {
	*harness
	random      *rand.Rand
	counts      map[string]int64
	judged      *verdictCollector
	old         string // path of a database of the version
	before      map[string][]byte
	undisturbed time.Duration // duration of an undisturbed upgrade
}

// version runs the trials for one version.
func (u *upgradeRun) version(ctx context.Context, version, trials int) (err error) {
	dir, err := u.newDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if u.old, err = makeOldDatabase(ctx, dir, version); err != nil {
		return err
	}
	if u.before, err = recordsOf(u.old); err != nil {
		return err
	}
	if err := u.trial(ctx, version, 0); err != nil {
		return err
	}
	for range trials {
		if err := u.trial(ctx, version, 1+u.random.IntN(3)); err != nil {
			return err
		}
	}
	return nil
}

// trial upgrades a copy after killing the daemon the given number of times.
func (u *upgradeRun) trial(ctx context.Context, version, kills int) error {
	dir, err := u.newDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config := child.Config{Binary: u.binary, Dir: dir}
	path := filepath.Join(dir, "schedctl.db")
	if err := errors.Join(
		os.CopyFS(dir, os.DirFS(filepath.Dir(u.old))),
		os.WriteFile(filepath.Join(dir, "secret.key"), make([]byte, 32), 0o600),
		os.WriteFile(filepath.Join(dir, "admin.key"), []byte("none\n"), 0o600),
	); err != nil {
		return err
	}
	for range kills {
		d, err := child.Launch(config)
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(u.random.Int64N(int64(u.undisturbed)))):
		case <-ctx.Done():
		}
		d.Kill()
		u.counts["kills"]++
		if err := u.note(path, version); err != nil {
			return err
		}
	}
	d, err := child.Start(ctx, config)
	if err != nil {
		u.judged.violation(lostRecord, "from version %d after %d kills: %v", version, kills, err)
		return errors.Join(ctx.Err(), err)
	}
	if kills == 0 {
		u.undisturbed = d.Ready
	}
	if err := d.Stop(); err != nil {
		return err
	}
	u.counts["upgrades"]++
	return u.compare(ctx, path, version, kills)
}

// note counts the upgrades that a kill has interrupted between two steps, or before the
// first one.
func (u *upgradeRun) note(path string, version int) error {
	r, err := bolt.CheckFile(context.Background(), path)
	if errors.Is(err, fs.ErrNotExist) || r.Version == 0 {
		return err
	}
	switch {
	case r.Version == version:
		u.counts["killed_before"]++
	case r.Outdated:
		u.counts["killed_between"]++
	default:
		u.counts["killed_after"]++
	}
	return nil
}

// compare checks that every record is unchanged and none was added.
func (u *upgradeRun) compare(ctx context.Context, path string, version, kills int) error {
	if r, err := bolt.CheckFile(ctx, path); err != nil || r.Outdated {
		u.judged.violation(lostRecord, "from version %d after %d kills: version %d, %v", version, kills, r.Version, err)
	}
	after, err := recordsOf(path)
	if err != nil {
		return err
	}
	if len(after) > len(u.before) {
		u.judged.violation(doneTwice, "from version %d after %d kills: %d records, want %d", version, kills, len(after), len(u.before))
	}
	for name, record := range u.before { // a rewritten record may start with a newer layout number
		if now, ok := after[name]; !ok || !bytes.Equal(now[1:], record[1:]) {
			u.judged.violation(lostRecord, "from version %d after %d kills: %x is %x, want %x", version, kills, name, now, record)
		}
	}
	u.counts["records"] += int64(len(after))
	return nil
}

// recordsOf returns all records of a database of any version.
func recordsOf(path string) (map[string][]byte, error) {
	f, err := mutant.Read(path)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(f.Rows))
	for _, row := range f.Rows {
		out[row.Bucket+" "+row.Key] = row.Record
	}
	return out, nil
}
