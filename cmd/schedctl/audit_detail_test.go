package main

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestAuditNamesPeopleWithShares guards that the audit log shows the names of keys and shares
// for the ids in details, and the ids of those that no longer exist.
func TestAuditNamesPeopleWithShares(t *testing.T) {
	t.Parallel()
	list := apiv1.AuditList{Count: 3}
	for _, detail := range []string{"requested by key_2, with the share shr_1", "with the share shr_1", "requested by key_9, with the share shr_9"} {
		list.Results = append(list.Results, apiv1.AuditEntry{ID: "aud_1", CreatedAt: at(0), APIKeyID: "key_1", APIKeyName: "boss", Action: "approvePost", Detail: &detail})
	}
	m := newMachine(t, routes{
		"GET /audit": list, "GET /api-keys": apiv1.APIKeyList{Results: []apiv1.APIKey{{ID: "key_2", Name: "author"}}},
		"GET /shares": apiv1.ShareList{Results: []apiv1.Share{{ID: "shr_1", Name: "Dana"}}},
	})
	if m.run(t, "audit"); !strings.Contains(m.out.String(), "\tboss\t\trequested by key_2, with the share shr_1\n") {
		t.Errorf("in a pipe:\n%s%s", &m.out, &m.err)
	}
	status := m.terminals().noColorEnv().run(t, "audit")
	for _, line := range []string{
		"requested by author (key_2), with the share Dana (shr_1)\n", "  with the share Dana (shr_1)\n", "requested by key_9, with the share shr_9\n",
	} {
		if !strings.Contains(m.out.String(), line) {
			t.Errorf("exit status %d, not %q:\n%s%s", status, line, &m.out, &m.err)
		}
	}
}
