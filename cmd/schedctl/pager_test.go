package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// paged runs a command on a terminal of some lines, and returns the pager and its
// input.
func paged(t *testing.T, m *machine, height int, args ...string) (pager, text string) {
	t.Helper()
	m.Height = height
	m.Page = func(command string, shown []byte) error {
		pager, text = command, string(shown)
		return nil
	}
	if status := m.run(t, args...); status != 0 {
		t.Errorf("%q: exit status %d: %s", args, status, &m.err)
	}
	return pager, text
}

func TestLongListsArePaged(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list).terminals()
	pager, text := paged(t, m, 3, "post", "list")
	if pager != "less -FRX" || strings.Count(text, "\n") != 3 || m.out.Len() > 0 {
		t.Errorf("%q was given %q, and standard output has %q", pager, text, &m.out)
	}
	if _, text := paged(t, m, 3, "post", "list", "--json=id"); !strings.Contains(text, `"post_2"`) {
		t.Errorf("with --json the pager was given %q", text)
	}
	m.env["PAGER"] = "more"
	if pager, _ := paged(t, m, 3, "post", "list"); pager != "more" {
		t.Errorf("got %q, want what PAGER says", pager)
	}
	m.env["SCHEDCTL_PAGER"] = "less -S"
	if pager, _ := paged(t, m, 3, "post", "list"); pager != "less -S" {
		t.Errorf("got %q, want what SCHEDCTL_PAGER says", pager)
	}
}

func TestWhatIsNotPaged(t *testing.T) {
	t.Parallel()
	daemon := routes{"GET /posts": list["GET /posts"], "GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}}
	for name, tc := range map[string]struct {
		set    func(*machine)
		height int
		args   string
	}{
		"a list that fits":       {func(m *machine) { m.terminals() }, 4, "post list"},
		"a single post":          {func(m *machine) { m.terminals() }, 3, "post show post_1"},
		"ids":                    {func(m *machine) { m.terminals() }, 2, "post list -q"},
		"in a pipe":              {func(m *machine) { m.InTerminal, m.ErrTerminal = true, true }, 1, "post list"},
		"JSON in a pipe":         {func(m *machine) { m.InTerminal, m.ErrTerminal = true, true }, 1, "post list --json"},
		"without a keyboard":     {func(m *machine) { m.OutTerminal = true }, 3, "post list"},
		"an unknown height":      {func(m *machine) { m.terminals() }, 0, "post list"},
		"with --no-input":        {func(m *machine) { m.terminals() }, 3, "post list --no-input"},
		"SCHEDCTL_PAGER=cat":     {func(m *machine) { m.terminals().env["SCHEDCTL_PAGER"] = "cat" }, 3, "post list"},
		"on a terminal of paper": {func(m *machine) { m.terminals().env["TERM"] = "dumb" }, 3, "post list"},
	} {
		m := newMachine(t, daemon)
		tc.set(m)
		if pager, _ := paged(t, m, tc.height, strings.Fields(tc.args)...); pager != "" || m.out.Len() == 0 {
			t.Errorf("%s: the pager is %q, and standard output has %q", name, pager, &m.out)
		}
	}
}

func TestAPagerThatDoesNotStartLosesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list).terminals()
	m.Height = 3
	m.Page = func(string, []byte) error { return errors.New("there is no such program") }
	if status := m.run(t, "post", "list"); status != 0 || strings.Count(m.out.String(), "\n") != 3 {
		t.Errorf("exit status %d, standard output %q", status, &m.out)
	}
}
