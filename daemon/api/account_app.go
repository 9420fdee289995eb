package api

import (
	"context"
	"maps"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// useApp adds the developer app of the account in app_of to the credentials. The caller
// must be allowed to use that account. Errors do not contain credentials.
func (s *Server) useApp(ctx context.Context, c *request, p publish.Publisher, b *settings) error {
	if b.appOf == "" {
		return nil
	}
	if b.credentials == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "app_of needs credentials: those of the account that the app of the other one cannot provide")
	}
	owner, err := s.appOwner(ctx, c, p, b.appOf)
	if err != nil {
		return err
	}
	stored, err := s.connector.Open(owner)
	if err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "the stored credentials of this account cannot be decrypted; give the keys of the app")
	}
	all, found := maps.Clone(b.credentials), false
	for _, f := range p.Fields() {
		switch {
		case !f.App || stored[f.Name] == "":
		case all[f.Name] != "":
			return schedctl.Errorf(schedctl.ValidationFailed, join("credentials", f.Name), "app_of and %s exclude each other; give one", f.Name)
		default:
			all[f.Name], found = stored[f.Name], true
		}
	}
	if !found {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this account has no keys of a developer app; give them in credentials")
	}
	b.credentials = all
	return nil
}

// appOwner returns the account in app_of. An account that the caller may not use is as
// unknown as one of another workspace.
func (s *Server) appOwner(ctx context.Context, c *request, p publish.Publisher, id string) (schedctl.Account, error) {
	owner, err := storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.Account, error) { return c.accountByID(r, id) })
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "there is no account %q", clip(id, maxName))
	case err != nil:
		return owner, err
	case owner.Platform != p.Platform():
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this is an account of %s, and the app must be one of %s", owner.Platform, p.Platform())
	case owner.Status == schedctl.AccountDisconnected:
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this account is disconnected and its secrets are erased; give the keys of the app")
	}
	return owner, nil
}
