package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// isOpen reports whether a post is a draft or scheduled.
func isOpen(p *schedctl.Post) bool {
	s := p.Status()
	return s == schedctl.Draft || s == schedctl.Scheduled
}

// authorWarnings says that the API key which made an open post is revoked. maker may be nil.
func authorWarnings(p *schedctl.Post, maker *schedctl.APIKey) []string {
	if maker == nil || maker.RevokedAt.IsZero() || !isOpen(p) {
		return nil
	}
	return []string{fmt.Sprintf("the API key that made this post, %q, is revoked; check that the post is still wanted", maker.Name)}
}

// addAccountWarnings says which open posts have accounts, and all of them disconnected, or
// accounts that wait until the post is too late. wire has the posts in the same order. It must not be called in a transaction.
func (s *Server) addAccountWarnings(ctx context.Context, c *request, posts []schedctl.Post, wire []apiv1.Post) error {
	for i := range posts {
		if !isOpen(&posts[i]) {
			continue
		}
		gone, err := s.goneAccounts(ctx, c, &posts[i])
		if err != nil {
			return err
		}
		switch len(gone) {
		case 0:
		case 1:
			wire[i].Warnings = append(wire[i].Warnings, "the only account of this post, "+gone[0]+", is disconnected; give the post another account, or cancel it")
		default:
			wire[i].Warnings = append(wire[i].Warnings, "all accounts of this post are disconnected: "+strings.Join(gone, ", ")+"; give the post another account, or cancel it")
		}
		late, err := s.missWarnings(ctx, c, &posts[i])
		if err != nil {
			return err
		}
		wire[i].Warnings = append(wire[i].Warnings, late...)
	}
	return nil
}

// missWarnings returns the warnings about accounts of a post that wait until it is too late.
func (s *Server) missWarnings(ctx context.Context, c *request, p *schedctl.Post) (warnings []string, err error) {
	for i := range p.Targets {
		a, err := s.recentAccount(ctx, c, p.Targets[i].AccountID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if text := s.cases.MissWarning(&a, &p.Targets[i], c.arrived); text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// goneAccounts returns the names of the accounts of a post if all are disconnected, and
// nothing otherwise.
func (s *Server) goneAccounts(ctx context.Context, c *request, p *schedctl.Post) (names []string, err error) {
	for _, id := range p.AccountIDs() {
		a, err := s.recentAccount(ctx, c, id)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
			names = append(names, id)
		case err != nil || a.Status != schedctl.AccountDisconnected:
			return nil, err
		default:
			names = append(names, a.Platform+":"+a.Name)
		}
	}
	return names, nil
}
