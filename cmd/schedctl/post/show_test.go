package post

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestNextStepsWarnOfASecondPublication(t *testing.T) {
	t.Parallel()
	target := func(s schedctl.Status, e *apiv1.TargetError) apiv1.Target {
		return apiv1.Target{SocialAccountID: "acct_1", Status: s, Error: e}
	}
	lost := &apiv1.TargetError{Kind: schedctl.KindNetwork, Outcome: schedctl.OutcomeUnknown}
	refusedLogin := &apiv1.TargetError{Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished}
	code := "credits_depleted"
	noCredits := &apiv1.TargetError{Kind: schedctl.KindAuth, Code: &code, Outcome: schedctl.OutcomeNotPublished}
	for _, tc := range []struct {
		status  schedctl.Status
		targets []apiv1.Target
		want    []string
	}{
		{schedctl.Draft, nil, []string{"schedctl post schedule post_1 --to ACCOUNT --at TIME"}},
		{schedctl.Scheduled, nil, []string{"schedctl post edit post_1 --at TIME", "schedctl post cancel post_1"}},
		{schedctl.Published, nil, nil},
		{schedctl.Failed, []apiv1.Target{target(schedctl.Failed, nil)}, []string{"schedctl post retry post_1"}},
		{schedctl.Failed, []apiv1.Target{target(schedctl.Failed, lost)}, []string{"look whether the account has the post; if not: schedctl post retry post_1 --force"}},
		{schedctl.Failed, []apiv1.Target{target(schedctl.Failed, refusedLogin)}, []string{"schedctl account reconnect acct_1", "schedctl post retry post_1"}},
		{schedctl.Publishing, []apiv1.Target{target(schedctl.Publishing, refusedLogin)}, []string{"schedctl account reconnect acct_1", "schedctl post wait post_1"}},
		{schedctl.Publishing, []apiv1.Target{target(schedctl.Publishing, noCredits)}, []string{"schedctl account verify acct_1", "schedctl post wait post_1"}},
	} {
		got := nextSteps(apiv1.Post{ID: "post_1", Status: tc.status, Targets: tc.targets}, nil)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tc.status, diff)
		}
	}
}
