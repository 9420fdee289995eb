package storagetest

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// setModelExtras sets the given extras of a new post.
func setModelExtras(tx storage.Reader, n *schedctl.NewPost, c oracle.Changes) error {
	e := schedctl.Edit{}
	if err := editModelExtras(tx, n.WorkspaceID, &e, c); err != nil {
		return err
	}
	if e.Thread != nil {
		n.Thread = *e.Thread
	}
	n.FirstComment, n.Poll = e.FirstComment, e.Poll
	if e.LinkPreview != nil {
		n.LinkPreview = *e.LinkPreview
	}
	for field, value := range map[*string]*string{&n.ContentWarning: e.ContentWarning, &n.Visibility: e.Visibility, &n.Language: e.Language} {
		if value != nil {
			*field = *value
		}
	}
	if e.Overrides != nil {
		n.Overrides = *e.Overrides
	}
	return nil
}

// editModelExtras sets the given extras of an edit.
func editModelExtras(tx storage.Reader, ws string, e *schedctl.Edit, c oracle.Changes) (err error) {
	if e.Thread, err = resolveThread(tx, ws, c.Thread); err != nil {
		return err
	}
	if c.Comment != nil {
		list, err := resolveThread(tx, ws, &[]oracle.Part{*c.Comment})
		if err != nil {
			return err
		}
		e.FirstComment = &(*list)[0]
	}
	if e.Poll = newModelPoll(c.Poll); c.Preview != nil {
		if e.LinkPreview, err = resolvePreview(tx, ws, *c.Preview); err != nil {
			return err
		}
	}
	e.ContentWarning, e.Visibility, e.Language = c.Warning, c.Visibility, c.Language
	if c.Overrides == nil {
		return nil
	}
	list := []schedctl.Override{}
	for _, o := range *c.Overrides {
		own := schedctl.Override{AccountID: o.Account, Partial: schedctl.Partial{Text: o.Text, Poll: newModelPoll(o.Poll), Presentation: schedctl.Presentation{
			ContentWarning: o.Warning, Visibility: o.Visibility, Language: o.Language,
		}}}
		thread, err := resolveThread(tx, ws, o.Thread)
		if err != nil {
			return err
		}
		media, err := resolveMedia(tx, ws, o.Media)
		if err != nil {
			return err
		}
		if thread != nil {
			own.Thread = *thread
		}
		if media != nil {
			own.Media = *media
		}
		list = append(list, own)
	}
	e.Overrides = &list
	return nil
}

// resolveThread returns the parts of a request, or nil if it has none.
func resolveThread(tx storage.Reader, ws string, parts *[]oracle.Part) (*[]schedctl.Part, error) {
	if parts == nil {
		return nil, nil
	}
	list := []schedctl.Part{}
	for _, part := range *parts {
		media, err := resolveMedia(tx, ws, &part.Media)
		if err != nil {
			return nil, err
		}
		list = append(list, schedctl.Part{Content: part.Text, Media: *media})
	}
	return &list, nil
}

func newModelPoll(p *oracle.Poll) *schedctl.Poll {
	if p == nil {
		return nil
	}
	return &schedctl.Poll{Options: slices.Clone(p.Options), ExpiresIn: p.Runs, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

func resolvePreview(tx storage.Reader, ws string, v oracle.Preview) (*schedctl.LinkPreview, error) {
	l := schedctl.LinkPreview{Mode: schedctl.PreviewMode(v.Mode), URL: v.URL, Title: v.Title}
	if v.Mode == "auto" {
		l.Mode = schedctl.PreviewAuto
	}
	if v.Image != "" {
		media, err := resolveMedia(tx, ws, &[]string{v.Image})
		if err != nil {
			return nil, err
		}
		l.Image = (*media)[0]
	}
	return &l, nil
}

// setSent sets what the next call for a target publishes.
func setSent(x *oracle.Exchange, p *schedctl.Post, t *schedctl.Target, whole bool) {
	all, index := p.PartsFor(t), len(t.Done)
	part := all[index]
	shown := p.PresentationFor(t)
	x.Content, x.Media = part.Content, mediaIDs(part.Media)
	x.Sent = oracle.Sent{Index: part.Index, Kind: string(part.Kind), Presentation: oracle.Presentation{
		Warning: shown.ContentWarning, Visibility: shown.Visibility, Language: shown.Language,
	}}
	if index == 0 {
		x.Sent.Poll, x.Sent.Preview = SeenPoll(p.PollFor(t)), SeenPreview(p.LinkPreview)
	} else {
		x.Sent.Parent = t.Done[index-1].ID
	}
	if whole {
		for _, later := range all[index+1:] {
			x.Sent.Rest = append(x.Sent.Rest, oracle.Part{Text: later.Content, Media: mediaIDs(later.Media)})
		}
	}
}

// seenExtras returns the extras of a post as clients see them.
func seenExtras(p schedctl.Post) oracle.Extras {
	e := oracle.Extras{Thread: seenThread(p.Thread), Poll: SeenPoll(p.Poll), Preview: SeenPreview(p.LinkPreview), Presentation: SeenPresentation(p.Presentation)}
	if p.FirstComment != nil {
		e.Comment = &seenThread([]schedctl.Part{*p.FirstComment})[0]
	}
	for _, o := range p.Overrides() {
		own := oracle.Override{Account: o.AccountID, Text: o.Text, Poll: SeenPoll(o.Poll), Presentation: SeenPresentation(o.Presentation)}
		if o.Media != nil {
			ids := mediaIDs(o.Media)
			own.Media = &ids
		}
		if o.Thread != nil {
			thread := seenThread(o.Thread)
			own.Thread = &thread
		}
		e.Overrides = append(e.Overrides, own)
	}
	return e
}

func seenThread(parts []schedctl.Part) (list []oracle.Part) {
	for _, part := range parts {
		list = append(list, oracle.Part{Text: part.Content, Media: mediaIDs(part.Media)})
	}
	return list
}

// SeenPoll returns a poll as the model sees it, nil for none.
func SeenPoll(p *schedctl.Poll) *oracle.Poll {
	if p == nil {
		return nil
	}
	return &oracle.Poll{Options: p.Options, Runs: p.ExpiresIn, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

// SeenPreview returns a link preview as the model sees it.
func SeenPreview(l schedctl.LinkPreview) oracle.Preview {
	v := oracle.Preview{Mode: string(l.Mode), URL: l.URL, Title: l.Title, Image: l.Image.AssetID}
	if l.Mode == schedctl.PreviewAuto {
		v.Mode = "auto"
	}
	return v
}

// SeenPresentation returns a presentation as the model sees it.
func SeenPresentation(s schedctl.Presentation) oracle.Presentation {
	return oracle.Presentation{Warning: s.ContentWarning, Visibility: s.Visibility, Language: s.Language}
}

// seenParts returns the parts of a target as clients see them.
func seenParts(p schedctl.Post, t *schedctl.Target) (list []oracle.PartState) {
	for _, s := range p.PartStates(t) {
		list = append(list, oracle.PartState{
			Kind: string(s.Kind), Status: string(s.Status), ID: s.ID, PublishedAt: s.PublishedAt, Attempts: s.Attempts, Error: seenFault(s.Error),
		})
	}
	return list
}

// publications asks the store for the newest ids of networks.
func (s *modelSubject) publications(r storage.Reader) (found []oracle.Publication, err error) {
	ids := s.publisher.published
	for _, id := range ids[max(0, len(ids)-8):] {
		var posts []storage.PlatformPost
		for _, ws := range s.workspaces {
			accounts, err := r.Accounts(ws)
			if err != nil {
				return nil, err
			}
			for i := range accounts {
				posts = append(posts, storage.PlatformPost{Owner: accounts[i].Identity(), ID: id})
			}
		}
		targets, err := r.PublishedAs(posts)
		if err != nil {
			return nil, err
		}
		found = append(found, oracle.Publication{ID: id, Targets: slices.Concat(targets...)})
	}
	return found, nil
}

// twins asks the store for the posts with the contents of the newest targets.
func (s *modelSubject) twins(r storage.Reader) (found []oracle.Twins, err error) {
	for _, ws := range s.workspaces {
		page, err := r.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 3})
		if err != nil {
			return nil, err
		}
		for i := range page.Posts {
			p := &page.Posts[i]
			for j := range p.Targets {
				t := &p.Targets[j]
				posts, err := r.SameContent(storage.ContentQuery{
					AccountID: t.AccountID, Fingerprint: p.Fingerprint(t), From: epoch.AddDate(-1, 0, 0), Until: epoch.AddDate(9, 0, 0), Limit: 10_000,
				})
				if err != nil {
					return nil, err
				}
				found = append(found, oracle.Twins{Target: t.ID, Posts: posts})
			}
		}
	}
	return found, nil
}
