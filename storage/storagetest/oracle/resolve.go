package oracle

import (
	"fmt"
	"time"
)

// resolve turns a step into a request with existing ids.
func (p *player) resolve(s Step) Request {
	m, now := p.model, p.subject.Now()
	r := Request{Op: Op(s.Do), Key: s.Key % len(m.world.Keys), Force: s.Force}
	if s.Once > 0 && takesKey(r.Op) {
		r.Once = fmt.Sprint("once-", s.Once)
	}
	if takesPost(r.Op) {
		about := p.post(s, r)
		r.Post = "post_00000000000000000000000000"
		if about != nil {
			r.Post = about.ID
			r.Match = p.match(s.Match, r.Op, about)
			r.Targets = p.targets(s.Targets, r.Op, about)
		}
	}
	if takesBody(r.Op) {
		p.body(&r, s, now)
	}
	if r.Op == Create || r.Op == Validate || r.Op == Edit {
		p.changes(&r, s, p.model.find(r.Post))
	}
	if s.Do == AllPages {
		r.Op = List
	}
	if r.Op == List {
		r.Query = p.query(s, now)
	}
	return r
}

func takesKey(op Op) bool {
	switch op {
	case Create, Edit, Schedule, Unschedule, Publish, Cancel, Retry, Delete:
		return true
	}
	return false
}

func takesPost(op Op) bool {
	return op != Create && op != List && op != Validate && op != Op(AllPages)
}

func takesBody(op Op) bool {
	switch op {
	case Create, Edit, Schedule, Publish, Validate:
		return true
	}
	return false
}

// post returns the post of a step, or nil.
func (p *player) post(s Step, r Request) *post {
	all := p.model.posts
	if !s.Any {
		var fit []*post
		for _, about := range all {
			if p.fits(about, r) {
				fit = append(fit, about)
			}
		}
		if len(fit) > 0 {
			all = fit
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1-s.Post%len(all)]
}

// fits reports whether a request is meant for posts in this state.
func (p *player) fits(about *post, r Request) bool {
	return p.model.visibleTo(p.model.world.Keys[r.Key], about.ID) == about && about.allows(r.Op)
}

func (p *player) match(m Match, op Op, about *post) string {
	switch {
	case !p.model.world.Full, op == Get, op == Timeline:
		return ""
	case m == Current:
		return about.tag()
	case m == Stale:
		return `"0"`
	}
	return string(m)
}

func (p *player) targets(ns []int, op Op, about *post) (ids []string) {
	if op != Retry {
		return nil
	}
	for _, n := range ns {
		if len(about.targets) == 0 {
			return []string{"pt_00000000000000000000000000"}
		}
		ids = append(ids, about.targets[n%len(about.targets)].ID)
	}
	return ids
}

// body sets the fields of an operation's body.
func (p *player) body(r *Request, s Step, now time.Time) {
	list := p.model.world.Accounts
	ids := []string{}
	for _, n := range s.Accounts {
		ids = append(ids, list[n%len(list)].ID)
	}
	if len(ids) > 0 || (s.None && r.Op != Create && r.Op != Validate) {
		r.Accounts = &ids
	}
	if len(p.model.world.Assets) > 0 && (r.Op == Create || r.Op == Validate || r.Op == Edit) {
		p.media(r, s)
	}
	if r.Op == Create || r.Op == Validate || (r.Op == Edit && s.Text != "") {
		r.Content = &s.Text
	}
	if r.Op == Publish {
		return
	}
	switch s.When {
	case InSlot:
		if r.NextSlot = r.Op == Create && p.model.world.SlotEvery > 0; !r.NextSlot {
			r.At = now.Add(s.In)
		}
	case Later:
		r.At = now.Add(s.In)
	case Past:
		r.At = now.Add(-s.In)
	case Now:
		r.Now = true
	case Null:
		r.Null = r.Op == Edit
	}
}

// media sets the media of a body.
func (p *player) media(r *Request, s Step) {
	ids, all := []string{}, p.model.world.Assets
	for _, n := range s.Media {
		ids = append(ids, all[n%len(all)].ID)
	}
	if len(ids) > 0 || s.NoMedia {
		r.Media = &ids
	}
}

func (p *player) query(s Step, now time.Time) Query {
	q := s.Query
	q.Limit = max(q.Limit, 1)
	if s.On > 0 {
		q.Account = p.account(s.On - 1).ID
	}
	if s.Between[0] != 0 {
		q.After = now.Add(s.Between[0])
	}
	if s.Between[1] != 0 {
		q.Before = now.Add(s.Between[1])
	}
	return q
}
