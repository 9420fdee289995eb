package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestPostShowPrintsNotes guards that "post show" prints the last notes and the last request
// for changes, and says how many notes are older.
func TestPostShowPrintsNotes(t *testing.T) {
	t.Parallel()
	dana := apiv1.KeyRef{ID: "key_1", Name: "Dana\x1b[31m", Share: new("shr_1")}
	p := apiv1.Post{ID: "post_1", Status: schedctl.Draft, Version: 2}
	p.Approval = &apiv1.Approval{
		State: schedctl.ApprovalPending, RequestedBy: apiv1.KeyRef{ID: "key_2", Name: "author"}, RequestedAt: at(0),
		LastChanges: &apiv1.ChangeRequest{By: dana, At: at(0), Reason: "shorter,\nplease"},
	}
	list := apiv1.PostNoteList{Count: 23}
	for i := range list.Count {
		list.Results = append(list.Results, apiv1.PostNote{ID: fmt.Sprint("note_", i+1), By: dana, Text: fmt.Sprintf("text %d\nof the note", i+1), CreatedAt: at(0)})
	}
	for terminal, want := range map[bool][]string{
		false: {"changes_requested\tDana�[31m (with a share) 2026-11-21T12:00:00Z: shorter, please\n", "post_note\tnote_4\t2026-11-21T12:00:00Z\tDana�[31m (with a share)\ttext 4 of the note\n"},
		true:  {"Changes requested  Dana�[31m (with a share) Sat 21 Nov 2026 12:00 UTC (now): shorter, please\n", "note by Dana�[31m (with a share) Sat 21 Nov 2026 12:00 UTC (now): text 4 of the note\n", "20 notes, and 3 more: schedctl post note " + p.ID + "\n"},
	} {
		m := newMachine(t, routes{"GET /posts/" + p.ID: apiv1.PostEnvelope{Post: p}, "GET /social-accounts": twoAccounts, "GET /posts/" + p.ID + "/notes": list})
		if terminal {
			m.terminals().noColorEnv()
		}
		status := m.run(t, "post", "show", p.ID)
		for _, line := range append(want, "text 23 of the note\n") {
			if out := m.out.String(); status != 0 || !strings.Contains(out, line) || strings.Contains(out, "text 3 of") {
				t.Errorf("exit status %d, not %q:\n%s%s", status, line, out, &m.err)
			}
		}
	}
}

// TestPostShowWithoutNotes guards that a post is shown if its notes cannot be read. An older
// daemon has none, so nothing is said about them.
func TestPostShowWithoutNotes(t *testing.T) {
	t.Parallel()
	draft := apiv1.Post{ID: "post_1", Status: schedctl.Draft, Version: 2}
	for refusal, want := range map[refused]string{
		{404, "NOT_FOUND"}: "", {403, "INSUFFICIENT_SCOPE"}: "the notes of post_1 are not shown: the daemon says no\n",
	} {
		m := newMachine(t, routes{
			"GET /posts/" + draft.ID: apiv1.PostEnvelope{Post: draft}, "GET /social-accounts": twoAccounts,
			"GET /posts/" + draft.ID + "/notes": refusal,
		})
		if status := m.run(t, "post", "show", draft.ID); status != 0 || !strings.Contains(m.out.String(), "status\tdraft\n") || m.err.String() != want {
			t.Errorf("%v: exit status %d: %s%s", refusal, status, &m.out, &m.err)
		}
		m.want(t, 0, `{"status":"draft","notes":null}`+"\n", want, "post", "show", draft.ID, "--json=status,notes")
		m.want(t, 0, `{"status":"draft"}`+"\n", "", "post", "show", draft.ID, "--json=status")
	}
}
