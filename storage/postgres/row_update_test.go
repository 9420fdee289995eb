package postgres

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// TestListsAreUpdatedRowByRow guards against merging updates of array columns, which
// would lose their values.
func TestListsAreUpdatedRowByRow(t *testing.T) {
	t.Parallel()
	id := schedctl.NewID(schedctl.KeyPrefix, time.Now())
	was := schedctl.APIKey{ID: id, Name: "one"}
	named, listed := was, was
	named.Name, listed.AccountIDs = "other", []string{id}
	for what, tt := range map[string]struct {
		is       schedctl.APIKey
		together bool
	}{"a text": {named, true}, "a list": {listed, false}} {
		before, after := newRow(), newRow()
		apiKeys.describe(&before, &was)
		apiKeys.describe(&after, &tt.is)
		if got := apiKeys.updateOf(changedColumns(&before, &after)).bulk != nil; got != tt.together {
			t.Errorf("%s of several rows is updated together: %v, want %v", what, got, tt.together)
		}
	}
}
