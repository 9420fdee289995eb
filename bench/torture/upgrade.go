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

// upgradePosts is how many posts the old databases have, each with three events:
// so many that an upgrade takes some time.
const upgradePosts = 5000

// upgrade starts the daemon on databases of every earlier version and kills it at
// random instants, most of them during the upgrade, again and again. Then it lets
// it start, stops it, and compares every record with what there was before.
// Quick does so 6 times for each version, else 60 times.
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
	old         string // a database of the version
	before      map[string][]byte
	undisturbed time.Duration // what an upgrade takes that nobody disturbs
}

// version tries upgrades from one version.
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

// trial upgrades a copy, and kills the daemon so often first.
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

// note counts the upgrades that a kill has interrupted between two of their
// steps, or before all of them.
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

// compare wants every record to be there as it was, and no other.
func (u *upgradeRun) compare(ctx context.Context, path string, version, kills int) error {
	if r, err := bolt.CheckFile(ctx, path); err != nil || r.Outdated {
		u.judged.violation(lostRecord, "from version %d after %d kills: version %d, %v", version, kills, r.Version, err)
	}
	after, err := recordsOf(path)
	if err != nil {
		return err
	}
	if len(after) > len(u.before) {
		u.judged.violation(doneTwice, "from version %d after %d kills: %d records, and there were %d", version, kills, len(after), len(u.before))
	}
	for name, record := range u.before { // but for the layout, which begins a record: one that is put again has the new one
		if now, ok := after[name]; !ok || !bytes.Equal(now[1:], record[1:]) {
			u.judged.violation(lostRecord, "from version %d after %d kills: %x is %x, and was %x", version, kills, name, now, record)
		}
	}
	u.counts["records"] += int64(len(after))
	return nil
}

// recordsOf returns all records of a file of any version.
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
