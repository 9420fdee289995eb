package main

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// claim gives every post that is there already to one file at most: first those
// that are exactly as a file asks, then those that are like it.
func (p *planner) claim(all []found) {
	taken := map[string]bool{}
	for _, f := range all {
		taken[f.PostID] = true
	}
	choose := func(posts []apiv1.Post) []apiv1.Post {
		for _, post := range posts {
			if !taken[post.ID] {
				taken[post.ID] = true
				return []apiv1.Post{post}
			}
		}
		return nil
	}
	for i := range all {
		all[i].twins = choose(all[i].twins)
	}
	for i := range all {
		all[i].similar = choose(all[i].similar)
	}
}

// settle decides about one step.
func (p *planner) settle(f *found) {
	s := &f.step
	switch {
	case s.wanted.file == nil:
		p.decideOrphan(s, f.gone)
	case f.PostID != "":
		p.decide(s, f.gone)
	case len(f.twins) > 0:
		s.Action, s.PostID, s.post = doAdopt, f.twins[0].ID, f.twins[0]
		s.Message = "a post with this text, time and accounts is there; it is taken for this file"
	case len(f.similar) > 0 && p.similar != "new":
		p.settleSimilar(s, f.similar[0])
	default:
		s.Action, s.after = doCreate, s.entry.Post
		s.Differences = differences(postState{}, s.wanted.postState, p.names)
		p.checkTime(&s.wanted)
	}
	if f.validation != nil && s.does() {
		p.problems = append(p.problems, contentProblems(s.wanted.file, *f.validation, p.names)...)
	}
	p.steps = append(p.steps, *s)
}

// settleSimilar decides about a file that may be a post of which the lock was
// lost.
func (p *planner) settleSimilar(s *step, post apiv1.Post) {
	s.PostID, s.post = post.ID, post
	if p.similar == "adopt" {
		s.entry = postfile.Entry{Post: post.ID, Applied: stateOf(post).print()}
		p.decideUpdate(s, stateOf(post))
		return
	}
	s.Action, s.Differences = isUnclear, differences(stateOf(post), s.wanted.postState, p.names)
	s.Message = "it may be this post, and " + postfile.LockName + " does not tell"
}

// contentProblems returns what networks would refuse, at the line of the text in
// question.
func contentProblems(f *postfile.File, v apiv1.Validation, names references) (list []postfile.Problem) {
	for _, text := range messages(v.Problems) {
		list = append(list, f.Problemf(f.Content.Line, "%s", oneLine(words.Replace(text))))
	}
	for _, acct := range v.Accounts {
		name := first(names[acct.SocialAccountID], acct.SocialAccountID)
		line := f.Content.Line
		at := slices.IndexFunc(f.Overrides, func(o postfile.Override) bool {
			return o.Account.Text == name || o.Account.Text == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.Account.Text)
		})
		if at >= 0 {
			line = f.Overrides[at].Account.Line
		}
		for _, text := range messages(acct.Problems) {
			list = append(list, f.Problemf(line, "%s: %s", name, oneLine(words.Replace(text))))
		}
	}
	return list
}
