package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// withoutContents removes what versions 2 and later have added.
const withoutContents = `ALTER TABLE targets DROP COLUMN fingerprint, DROP COLUMN ask_at, DROP COLUMN unreached, DROP COLUMN media,
		DROP COLUMN extra, DROP COLUMN done, DROP COLUMN part_ids, DROP COLUMN comment_status, DROP COLUMN slot_at;
	ALTER TABLE attempts DROP COLUMN asks, DROP COLUMN part, DROP COLUMN stage;
	ALTER TABLE events DROP COLUMN parts, DROP COLUMN series_id, DROP COLUMN skipped, DROP COLUMN edited, DROP COLUMN step, DROP COLUMN source_id;
	ALTER TABLE accounts DROP COLUMN disrupted_since, DROP COLUMN thread_target_id, DROP COLUMN blackouts, DROP COLUMN poll_limits,
		DROP COLUMN window_posts, DROP COLUMN window_ns, DROP COLUMN expiry, DROP COLUMN approvals, DROP COLUMN warnings, DROP COLUMN file_limits, DROP COLUMN paused_by, DROP COLUMN results_asked_at;
	ALTER TABLE posts DROP COLUMN external_id, DROP COLUMN managed, DROP COLUMN labels, DROP COLUMN media, DROP COLUMN asset_ids, DROP COLUMN extra,
		DROP COLUMN queue_id, DROP COLUMN series_id, DROP COLUMN plan, DROP COLUMN editor_id, DROP COLUMN approval, DROP COLUMN review,
		DROP COLUMN created_by, DROP COLUMN updated_by, DROP COLUMN archived_at, DROP COLUMN resend_of, DROP COLUMN resent_as, DROP COLUMN source_id, DROP COLUMN source_item_id, DROP COLUMN proposed_at;
	ALTER TABLE workspaces DROP COLUMN approvals, DROP COLUMN four_eyes, DROP COLUMN locale;
	ALTER TABLE api_keys DROP COLUMN agent, DROP COLUMN restricted;
	ALTER TABLE audit_entries DROP COLUMN detail;
	ALTER TABLE webhooks DROP COLUMN notify;
	DROP TABLE blobs, blob_chunks, media_assets, queues, blackouts, series, calendar_feeds, collections, aliases, shares, results, account_results, sources, source_items;
	DROP INDEX targets_by_platform_post, accounts_by_identity;
	DELETE FROM schedctl_version WHERE version_id >= 2`

// TestUpgradeIndexesContent opens a database of the version before content was indexed:
// the migration must compute the same fingerprints as the engine.
func TestUpgradeIndexesContent(t *testing.T) {
	t.Parallel()
	config, mode, err := parseURL(postgrestest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), config.Copy(), mode, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := schedctl.Millis(time.Now())
	at := now.Add(time.Hour)
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	var accounts []schedctl.Account
	for i := range 2 {
		accounts = append(accounts, schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Platform: "mastodon", Name: fmt.Sprint(i),
			Username: "ann", ProfileURL: "https://example.org/@ann", Status: schedctl.AccountConnected,
		})
	}
	posts := map[schedctl.Status]schedctl.Post{}
	first, writer := oldKey(ws, schedctl.FirstScopes()...), oldKey(ws, schedctl.ScopePostsWrite, schedctl.ScopePostsDraft)
	first.Scopes = slices.DeleteFunc(first.Scopes, func(s schedctl.Scope) bool { return s == schedctl.ScopeSharesWrite })
	first.Scopes[slices.Index(first.Scopes, schedctl.ScopePostsApprove)] = schedctl.ScopePostsDraft
	err = s.Update(t.Context(), func(tx storage.Tx) error {
		if err := errors.Join(tx.PutKey(first), tx.PutKey(writer)); err != nil {
			return err
		}
		for _, status := range schedctl.Statuses() {
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "ü " + string(status)}, Accounts: accounts, PublishAt: at}, now)
			if err != nil {
				return err
			}
			p.Targets[1].Text = "own " + string(status)
			for i := range p.Targets {
				p.Targets[i].Status = status
			}
			p.Targets[0].PlatformPostID = "1"
			posts[status] = p
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		p := posts[schedctl.Failed]
		p.Targets[0].Error = &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}
		return errors.Join(tx.PutPost(p), tx.PutAccount(accounts[0]), tx.PutAccount(accounts[1]))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	conn, err := pgx.ConnectConfig(t.Context(), config.ConnConfig.Copy())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), withoutContents, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	if s, err = open(t.Context(), config.Copy(), mode, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	named, managed := posts[schedctl.Published], schedctl.Managed{Collection: "site", Path: "a.md", Digest: "1"}
	named.ExternalID, named.Managed = "site/a", &managed
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.PutPost(named) }); err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(r storage.Reader) error {
		for _, k := range []schedctl.APIKey{first, writer} {
			changed := k.LetApprove()
			if k.LetShare() != changed {
				t.Errorf("a key that administers (%t) may not share", changed)
			}
			if got, err := r.KeyByHash(k.Hash); err != nil || !slices.Equal(got.Scopes, k.Scopes) {
				t.Errorf("a key that administers (%t) has the scopes %v, want %v; %v", changed, got.Scopes, k.Scopes, err)
			}
		}
		page, err := r.Posts(storage.PostQuery{WorkspaceID: ws, Collection: "site", Limit: 9})
		if err != nil || len(page.Posts) != 1 || page.Posts[0].ID != named.ID || page.Posts[0].ExternalID != "site/a" {
			t.Errorf("posts of a collection: %+v, error %v", page.Posts, err)
		}
		for status, p := range posts {
			for i := range p.Targets {
				q := storage.ContentQuery{AccountID: accounts[i].ID, Fingerprint: p.Fingerprint(&p.Targets[i]), From: at, Until: at.Add(time.Second), Limit: 9}
				found, err := r.SameContent(q)
				if err != nil || (len(found) == 1) != p.Targets[i].Occupies() {
					t.Errorf("target %d of the %s post: found %v, error %v", i, status, found, err)
				}
			}
		}
		published, err := r.PublishedAs([]storage.PlatformPost{{Owner: accounts[0].Identity(), ID: "1"}})
		list, err2 := r.AccountsOf([]schedctl.Identity{accounts[0].Identity()})
		if len(published) != 1 || len(published[0]) != 1 || len(list) != 2 {
			t.Errorf("published as 1: %v; accounts of an identity: %v", published, list)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}

// oldKey returns an API key without an account limit.
func oldKey(ws string, scopes ...schedctl.Scope) schedctl.APIKey {
	now := schedctl.Millis(time.Now())
	_, hash := schedctl.NewKeySecret()
	return schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws, Name: "old", Hash: hash, Scopes: scopes, CreatedAt: now}
}

// TestAltTextsAreCopied opens a database of the version before posts had all alt texts.
func TestAltTextsAreCopied(t *testing.T) {
	t.Parallel()
	config, mode, err := parseURL(postgrestest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), config.Copy(), mode, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var old storagetest.OldAltTexts
	if err := s.Update(t.Context(), func(tx storage.Tx) (err error) { old, err = storagetest.PutOldAltTexts(tx); return err }); err != nil {
		t.Fatal(err)
	}
	_, err = s.pool.Exec(t.Context(), `ALTER TABLE posts DROP COLUMN created_by, DROP COLUMN updated_by, DROP COLUMN archived_at, DROP COLUMN resend_of, DROP COLUMN resent_as,
			DROP COLUMN source_id, DROP COLUMN source_item_id, DROP COLUMN proposed_at;
		CREATE INDEX posts_of_approval_by_time ON posts (workspace_id, approval, status, coalesce(publish_at, 'infinity'), id) WHERE approval <> '';
		ALTER TABLE media_assets DROP COLUMN uploaded_by, DROP COLUMN served_size;
		ALTER TABLE workspaces DROP COLUMN four_eyes, DROP COLUMN locale;
		ALTER TABLE events DROP COLUMN edited, DROP COLUMN step, DROP COLUMN source_id;
		ALTER TABLE queues DROP COLUMN managed;
		ALTER TABLE blackouts DROP COLUMN managed, DROP COLUMN label;
		ALTER TABLE accounts DROP COLUMN warnings, DROP COLUMN file_limits, DROP COLUMN paused_by, DROP COLUMN results_asked_at;
		DROP TABLE collections, aliases, shares, results, account_results, sources, source_items;
		DELETE FROM schedctl_version WHERE version_id >= 12`, pgx.QueryExecModeSimpleProtocol)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if s, err = open(t.Context(), config.Copy(), mode, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		err := s.View(t.Context(), func(r storage.Reader) error {
			note, err := r.Metadata(altTextsNote)
			if note != nil {
				t.Error("each start copies again")
			}
			return errors.Join(err, old.Copied(r))
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Error(err)
		}
	}
}
