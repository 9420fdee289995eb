package apiv1

import (
	"testing"
	"time"
)

func TestFieldsInWords(t *testing.T) {
	for field, want := range map[string]string{
		"content": "text", "publish_at": "time", "social_account_ids[0]": "accounts 1", "thread[1].content": "part 3, text",
		"target_overrides[0].link_preview.card_title": "texts of single accounts 1, link card, card title", "": "", "x[9223372036854775807]": "x", "labels": "labels",
	} {
		if got := FieldInWords(field); got != want {
			t.Errorf("%q became %q, want %q", field, got, want)
		}
	}
}

func TestMessagesInCommands(t *testing.T) {
	for message, want := range map[string]string{
		"submit it with POST /posts/{id}/submit (schedctl post submit)":                                                  "submit it with schedctl post submit",
		"allow it with allow_duplicate: true (--allow-duplicate)":                                                        "allow it with --allow-duplicate",
		"give publish_at (--at or --next-slot)":                                                                          "give --at or --next-slot",
		"add submit: {} (--submit) to ask for it":                                                                        "add --submit to ask for it",
		"published; give existing: approve or submit (--existing approve or submit)":                                     "published; give --existing approve or submit",
		"approved_by (--approved-by) needs a key":                                                                        "--approved-by needs a key",
		`account "a: b (c)" is not there (see account list)`:                                                             `account "a: b (c)" is not there (see account list)`,
		"use schedctl post show (without arguments), or create one with POST /queues (schedctl queue create), and so on": "use schedctl post show (without arguments), or create one with schedctl queue create, and so on",
	} {
		if got := InCommands(message); got != want {
			t.Errorf("%q became %q, want %q", message, got, want)
		}
	}
}

// Times of messages are replaced, and nothing that only resembles one.
func TestWithTimes(t *testing.T) {
	t.Parallel()
	hour := func(at time.Time) string { return at.Format("15h") }
	for message, want := range map[string]string{
		"from 2026-12-01T10:00:00Z to 2026-12-01T12:00:00.250Z.": "from 10h to 12h.",
		"2026-12-01T10:00:00Z":                                     "10h",
		"no time: 2026-12-01, 10:00, x2026-12-01T10:00:00Z":        "no time: 2026-12-01, 10:00, x2026-12-01T10:00:00Z",
		"not a time: 2026-13-01T10:00:00Z, 2026-12-01T10:00+01:00": "not a time: 2026-13-01T10:00:00Z, 2026-12-01T10:00+01:00",
	} {
		if got := WithTimes(message, hour); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
