package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// A pause of several labels makes all of its holds or none: after a refusal, the holds that
// were made are removed.
func TestPauseOfSeveralLabelsIsWhole(t *testing.T) {
	t.Parallel()
	var deleted []string
	m := newMachine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); {
		case r.Method == http.MethodDelete:
			deleted = append(deleted, path)
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost:
			var b apiv1.CreateBlackout
			if err := json.NewDecoder(r.Body).Decode(&b); err != nil || b.Label == nil {
				t.Errorf("the request has the label %v, error %v", b.Label, err)
				return
			}
			if *b.Label == "third" {
				w.WriteHeader(http.StatusUnprocessableEntity)
				w.Write([]byte(`{"error":{"code":"VALIDATION_FAILED","message":"too many blackouts"}}`))
				return
			}
			json.NewEncoder(w).Encode(apiv1.BlackoutEnvelope{Blackout: apiv1.Blackout{ID: "blk_" + *b.Label, Label: b.Label}})
		case path == "/posts":
			json.NewEncoder(w).Encode(apiv1.PostList{Results: []apiv1.Post{}})
		default:
			w.Write([]byte(`{"results":[]}`))
		}
	}))
	status := m.run(t, "pause", "--label", "third", "--label", "first", "--label", "second", "--yes")
	if status != cli.ExitInvalid || !strings.Contains(m.err.String(), "too many blackouts") {
		t.Errorf("exit status %d, standard error %q", status, m.err.String())
	}
	slices.Sort(deleted)
	if diff := cmp.Diff([]string{"/blackouts/blk_first", "/blackouts/blk_second"}, deleted); diff != "" {
		t.Errorf("the holds that were removed, -want +got:\n%s", diff)
	}
}
