package storagetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// OldAltTexts are records of a version in which files of posts could follow the alt texts of
// their assets. A migration copies those texts.
type OldAltTexts struct {
	posts  []schedctl.Post
	series schedctl.Series
}

// copiedAlt is the alt text of the asset of [OldAltTexts].
const copiedAlt = "a cat"

// PutOldAltTexts writes more posts than a migration handles at once, all with approvals, and a
// series.
func PutOldAltTexts(tx storage.Tx) (old OldAltTexts, err error) {
	ws := newID(schedctl.WorkspacePrefix, epoch)
	asset := schedctl.MediaAsset{
		ID: newID(schedctl.MediaPrefix, epoch), WorkspaceID: ws, FileName: "a.png", MIMEType: "image/png", Size: 1, SHA256: [32]byte{1},
		AltText: copiedAlt, Status: schedctl.MediaReady, CreatedAt: epoch, UpdatedAt: epoch,
	}
	account := schedctl.Account{ID: newID(schedctl.AccountPrefix, epoch), WorkspaceID: ws, Platform: "mastodon", Name: "a"}
	gone := newID(schedctl.MediaPrefix, epoch)
	content := schedctl.Content{Text: "x", Media: []schedctl.PostMedia{{AssetID: asset.ID, SHA256: asset.SHA256}}, Thread: []schedctl.Part{
		{Content: "two", Media: []schedctl.PostMedia{{AssetID: gone}, {AssetID: asset.ID, AltText: "its own", HasAltText: true}}},
	}}
	n := schedctl.NewPost{WorkspaceID: ws, Content: content, Accounts: []schedctl.Account{account}}
	err = errors.Join(tx.PutMediaAsset(asset), tx.PutAccount(account))
	for i := range 450 {
		n.PublishAt, n.Content = time.Time{}, content
		if i%3 == 0 {
			n.Media, n.Thread = nil, nil // only the title matters
		}
		if i%2 == 0 {
			n.PublishAt = epoch.Add(time.Hour)
		}
		p, _, err2 := schedctl.Create(n, epoch)
		p.Approval = &schedctl.Approval{State: schedctl.ApprovalApproved, RequestedAt: epoch, DecidedAt: epoch, Digest: p.ReviewDigest()}
		p.Title = "not reviewed then"
		if i%4 == 1 {
			p.Proposed.At = epoch.Add(time.Duration(i) * time.Hour)
		}
		old.posts = append(old.posts, p)
		err = errors.Join(err, err2, tx.PutPost(p))
	}
	n.PublishAt, n.Content = time.Time{}, content
	template, err2 := schedctl.NewTemplate(n, epoch)
	old.series = schedctl.Series{
		ID: newID(schedctl.SeriesPrefix, epoch), WorkspaceID: ws, Name: "s", Template: template, Timezone: "UTC", Start: "2026-12-01T09:00",
		Rule: "FREQ=DAILY", State: schedctl.SeriesEnded, CreatedAt: epoch, UpdatedAt: epoch, Version: 1,
	}
	old.series.Template.Approval = &schedctl.Approval{State: schedctl.ApprovalApproved, RequestedAt: epoch, DecidedAt: epoch, Digest: old.series.ReviewDigest()}
	old.series.Template.Title = "not reviewed then"
	return old, errors.Join(err, err2, tx.PutSeries(old.series))
}

// Copied returns an error unless the posts and the series have the alt texts, and are still
// approved.
func (o *OldAltTexts) Copied(r storage.Reader) (err error) {
	ofAsset, missing, own := o.posts[1].Media[0].AssetID, o.posts[1].Thread[0].Media[0].AssetID, o.posts[1].Thread[0].Media[1].AssetID
	check := func(id string, p *schedctl.Post, approved bool) error {
		shows := len(p.Media) == 0 || p.ShowsAltText(ofAsset, copiedAlt) && p.ShowsAltText(missing, "") && p.ShowsAltText(own, "its own")
		if !shows || !approved {
			return fmt.Errorf("%s: media %+v, thread %+v, approved %v", id, p.Media, p.Thread, approved)
		}
		for m := range p.AllMedia() {
			if !m.HasAltText {
				return fmt.Errorf("%s: %+v has no alt text of its own", id, m)
			}
		}
		return nil
	}
	for i := range o.posts {
		p, err2 := r.Post(o.posts[i].WorkspaceID, o.posts[i].ID)
		if err2 == nil {
			err2 = check(p.ID, &p, p.Approved())
		}
		err = errors.Join(err, err2)
	}
	s, err2 := r.Series(o.series.WorkspaceID, o.series.ID)
	return errors.Join(err, err2, check(s.ID, &s.Template, s.Approved()))
}
