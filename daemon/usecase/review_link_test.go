package usecase_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
)

// A message about a submitted post has the address of a share, which is made once for a seed,
// with the rights of the key of the notification.
func TestLinkReview(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		now := schedctl.Millis(time.Now())
		workspace := schedctl.NewID(schedctl.WorkspacePrefix, now)
		key := func(scopes ...schedctl.Scope) schedctl.APIKey {
			_, hash := schedctl.NewKeySecret()
			return schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: workspace, Name: "vera", Hash: hash, Scopes: scopes, CreatedAt: now}
		}
		approver := key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove, schedctl.ScopeSharesWrite)
		writer := key(schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeSharesWrite)
		without := key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove)
		ended := approver
		ended.ID, ended.RevokedAt = schedctl.NewID(schedctl.KeyPrefix, now), now
		_, ended.Hash = schedctl.NewKeySecret()
		account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: workspace, Platform: "fake", Name: "blog"}
		p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: workspace, Content: schedctl.Content{Text: "A text"}, Accounts: []schedctl.Account{account}}, now)
		if err != nil {
			t.Fatal(err)
		}
		events, err := p.Submit(schedctl.Submission{By: writer.Actor()}, now)
		if err != nil {
			t.Fatal(err)
		}
		update := func(fn func(storage.Tx) error) {
			t.Helper()
			if err := store.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		update(func(tx storage.Tx) error {
			for _, k := range []schedctl.APIKey{approver, writer, without, ended} {
				if err := tx.PutKey(k); err != nil {
					return err
				}
			}
			if err := tx.PutWorkspace(schedctl.Workspace{ID: workspace, Name: "w", CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.PutAccount(account); err != nil {
				return err
			}
			return tx.PutPost(p)
		})
		var refused error // of the last link
		link := func(k schedctl.APIKey, seed byte) (token string) {
			t.Helper()
			hook := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: workspace, Notify: &schedctl.Notify{KeyID: k.ID, ReviewLink: "Dana"}}
			update(func(tx storage.Tx) (err error) {
				token, refused, err = usecase.LinkReview(tx, &hook, &events[0], [32]byte{seed}, now)
				return err
			})
			return token
		}
		shares := func() (list []schedctl.Share) {
			t.Helper()
			err := store.View(t.Context(), func(r storage.Reader) (err error) {
				list, err = r.Shares(workspace)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		first := link(approver, 1)
		if again := link(approver, 1); again != first || first == "" || len(shares()) != 1 {
			t.Fatalf("tokens %q and %q, shares %+v", first, again, shares())
		}
		if s := shares()[0]; s.Name != "Dana" || s.Can != schedctl.ShareDecide || s.Kind != schedctl.ShareReview || len(s.PostIDs) != 1 || s.PostIDs[0] != p.ID ||
			s.KeyID != approver.ID || !s.ExpiresAt.Equal(now.AddDate(0, 0, schedctl.ShareDays)) {
			t.Errorf("share %+v", s)
		}
		if token := link(writer, 2); token == "" || shares()[1].Can != schedctl.ShareComment {
			t.Errorf("a key that writes: token %q, shares %+v", token, shares())
		}
		if a, b := link(without, 3), link(ended, 4); a != "" || b != "" || len(shares()) != 2 {
			t.Errorf("a key that may not share, or has ended, gets %q and %q", a, b)
		}
		full, one := make([]schedctl.Share, schedctl.MaxShares-2), shares()[0]
		update(func(tx storage.Tx) error {
			for i := range full {
				s := one.Clone()
				s.ID, s.Hash = schedctl.NewID(schedctl.SharePrefix, now), [32]byte{1, byte(i), byte(i >> 8)}
				if full[i] = s; tx.PutShare(s) != nil {
					t.Fatal("a share cannot be stored")
				}
			}
			return nil
		})
		if token := link(approver, 5); token != "" || schedctl.CodeOf(refused) != schedctl.ValidationFailed {
			t.Errorf("with too many shares: token %q, refused %v", token, refused)
		}
		update(func(tx storage.Tx) error {
			for i := range full {
				if err := tx.DeleteShare(workspace, full[i].ID); err != nil {
					return err
				}
			}
			return nil
		})
		err = store.View(t.Context(), func(r storage.Reader) error {
			entries, err := r.Audit(workspace, "", 10)
			if err == nil && (len(entries) != 2 || entries[0].Action != "createShare" || !strings.HasPrefix(entries[0].Detail, "for a message of ntf_")) {
				t.Errorf("audit log %+v", entries)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		revoked := shares()[0]
		revoked.RevokedAt = now
		update(func(tx storage.Tx) error { return tx.PutShare(revoked) })
		if token := link(approver, 1); token != "" {
			t.Error("the address of a revoked share is sent again")
		}
		if _, err := p.Withdraw(writer.Actor(), now); err != nil {
			t.Fatal(err)
		}
		update(func(tx storage.Tx) error { return tx.PutPost(p) })
		if token := link(approver, 5); token != "" {
			t.Error("a post that does not wait gets an address")
		}
	})
}
