package main

import (
	"testing"
)

// TestApprovalJudge publishes what was not approved.
func TestApprovalJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		account, text string
		want          violation // empty for none
	}{
		"approved":         {"0", "editor-1 5", ""},
		"a later approval": {"1", "editor-1 5", ""},
		"another text":     {"0", "author-0 5", wrongStatus},
		"another account":  {"2", "editor-1 5", wrongStatus},
		"a changed text":   {"0", "editor-1 5!", wrongStatus},
		"a wrong account":  {"7", "editor-1 5", wrongStatus},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := new(verdictCollector)
			total := newTally()
			a := &approvalWorld{
				world:    &world{judged: v, network: &network{targets: map[string]*delivery{"pt_1": {account: tt.account, calls: 1, posts: 1, contents: []string{tt.text}}}}},
				accounts: []string{"acct_a", "acct_b", "acct_c"},
				approved: map[string][][]string{"editor-1 5": {{"acct_a"}, {"acct_b"}}},
			}
			a.judge(total)
			if tt.want == "" && len(v.violations) > 0 || tt.want != "" && v.violations[tt.want] == 0 {
				t.Errorf("violations: %v, want %q", v.faults, tt.want)
			}
		})
	}
}
