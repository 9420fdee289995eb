package storagetest

import (
	"cmp"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func (r memoryReader) AccountsOf(identities []schedctl.Identity) ([]schedctl.Account, error) {
	all := sorted(r.m.accounts)
	return cloneAll(slices.DeleteFunc(all, func(a schedctl.Account) bool {
		return !slices.Contains(identities, a.Identity())
	}), cloneAccount), nil
}

func (r memoryReader) PublishedAs(wanted []storage.PlatformPost) ([][]string, error) {
	found := make([][]string, len(wanted))
	for i, w := range wanted {
		for _, p := range r.m.posts {
			for _, t := range p.Targets {
				a, there := r.m.accounts[t.AccountID]
				if there && a.Identity() == w.Owner && w.Owner.Login != "" && slices.Contains(slices.Collect(t.PlatformIDs()), w.ID) {
					found[i] = append(found[i], t.ID)
				}
			}
		}
		slices.Sort(found[i])
	}
	return found, nil
}

func (r memoryReader) SameContent(q storage.ContentQuery) (found []string, err error) {
	if err := checkIDs(schedctl.AccountPrefix, q.AccountID); err != nil {
		return nil, err
	}
	var posts []schedctl.Post
	for _, p := range r.m.posts {
		brings := func(t schedctl.Target) bool {
			return t.AccountID == q.AccountID && t.Occupies() && p.Fingerprint(&t) == q.Fingerprint
		}
		if !p.PublishAt.Before(q.From) && p.PublishAt.Before(q.Until) && slices.ContainsFunc(p.Targets, brings) {
			posts = append(posts, p)
		}
	}
	slices.SortFunc(posts, func(a, b schedctl.Post) int {
		return cmp.Or(a.PublishAt.Compare(b.PublishAt), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range posts[:min(q.Limit, len(posts))] {
		found = append(found, p.ID)
	}
	return found, nil
}
