package schedctl_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/schedctl/schedctl"
)

func TestIDsAreULIDs(t *testing.T) {
	t.Parallel()
	now := time.Date(2126, 3, 10, 9, 0, 0, 123456789, time.UTC)
	id := schedctl.NewID(schedctl.PostPrefix, now)
	reference, err := ulid.ParseStrict(strings.TrimPrefix(id, "post_"))
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	u, ok := schedctl.ParseID(schedctl.PostPrefix, id)
	if !ok || u != schedctl.ULID(reference) || u.String() != reference.String() || u.ID(schedctl.PostPrefix) != id {
		t.Errorf("%s parses to %s (%v), want %s", id, u, ok, reference)
	}
	if u.Time().Before(now.Truncate(time.Millisecond)) {
		t.Errorf("time %s of an id made at %s", u.Time(), now)
	}
}

func TestIDsIncreaseAlsoWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	now, last := time.Now(), ""
	for i := range 10_000 {
		id := schedctl.NewID(schedctl.EventPrefix, now.Add(-time.Duration(i)*time.Millisecond/4))
		if id <= last {
			t.Fatalf("%s came after %s", id, last)
		}
		last = id
	}
}

func TestParseIDRefusesWhatNewIDCannotMake(t *testing.T) {
	t.Parallel()
	good := schedctl.NewID(schedctl.PostPrefix, t0)
	for _, id := range []string{
		"", "post_", good + "0", good[:len(good)-1], strings.ToLower(good), strings.Replace(good, "post_", "pt_", 1),
		"post_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "post_0000000000000000000000000U", "post_0000000000000000000000000é",
	} {
		if u, ok := schedctl.ParseID(schedctl.PostPrefix, id); ok {
			t.Errorf("ParseID(%q) = %s", id, u)
		}
	}
}

func TestKeySecrets(t *testing.T) {
	t.Parallel()
	secret, hash := schedctl.NewKeySecret()
	if got, ok := schedctl.HashKeySecret(secret); !ok || got != hash || !strings.HasPrefix(secret, "sctl_") {
		t.Errorf("%d characters, hash equal %v, ok %v", len(secret), got == hash, ok)
	}
	for i := range secret {
		changed := []byte(secret)
		changed[i] ^= 1
		if _, ok := schedctl.HashKeySecret(string(changed)); ok {
			t.Errorf("a secret with a wrong character %d was accepted", i)
		}
	}
	for _, s := range []string{"", "sctl_", secret + "x", secret[1:]} {
		if _, ok := schedctl.HashKeySecret(s); ok {
			t.Errorf("%q was accepted", s)
		}
	}
}

// A clock that was set back while nothing ran must not make younger ids smaller.
func TestIDsIncreaseAcrossAClockSetBack(t *testing.T) {
	last := schedctl.NewULID(time.Now().Add(time.Minute))
	schedctl.IDsAfter(last)
	next := schedctl.NewULID(time.Now())
	if bytes.Compare(next[:], last[:]) <= 0 {
		t.Errorf("%s is not younger than %s", next, last)
	}
	schedctl.IDsAfter(schedctl.ULID{})
	if again := schedctl.NewULID(time.Now()); bytes.Compare(again[:], next[:]) <= 0 {
		t.Errorf("%s is not younger than %s", again, next)
	}
}
