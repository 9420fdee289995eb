package usecase

import (
	"context"
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
)

// checkContent returns an error that names every account whose network would not
// accept the post. After maxFaults it names only the first fault of each account, and
// counts the others. A draft may be too long for a network. It is rejected only for
// invalid options in its overrides. accounts are those of the post's targets.
// overrides are those of the request: errors name them by their index. checkContent
// contacts no network.
func (d *Decision) checkContent(ctx context.Context, p *schedctl.Post, accounts []schedctl.Account, overrides []schedctl.Override) error {
	unknown := d.service.unknownOptions(accounts, overrides)
	if err := unknown.Err(); err != nil {
		return err
	}
	var found Faults
	draft := p.Status() == schedctl.Draft
	for i := range accounts {
		contents := contentsFor(accounts[i], p, overrides)
		if draft {
			contents = contents[:1] // only options matter, and they apply to all parts
		}
		if draft && len(contents[0].override.Options) == 0 {
			continue
		}
		problems, err := d.checkParts(ctx, contents)
		if err != nil {
			return err
		}
		named := false
		for _, f := range problems {
			if draft && !contents[0].sets(f.Field) || named && !found.Count() {
				continue
			}
			found.Add(f)
			named = true
		}
	}
	return found.Err()
}

// unknownOptions returns a fault for every option of an override that the account's
// platform does not allow for a single post. Package schedctl checks overrides of
// unknown accounts.
func (s *Service) unknownOptions(accounts []schedctl.Account, overrides []schedctl.Override) (found Faults) {
	for i, o := range overrides {
		if len(o.Options) == 0 {
			continue
		}
		at := slices.IndexFunc(accounts, func(a schedctl.Account) bool { return a.ID == o.AccountID })
		if at < 0 {
			continue
		}
		platform := accounts[at].Platform
		known := s.postOptions(platform)
		for _, name := range slices.Sorted(maps.Keys(o.Options)) {
			isKnown := slices.Contains(known, name)
			if isKnown && o.Options[name] != nil || !found.Count() {
				continue
			}
			shown := Clip(name, maxName)
			field := Join(overridePath(i), Join("options", shown))
			if isKnown {
				found.Add(Invalid(field, "%s is null; leave it out for that of the account", shown))
			} else {
				found.Add(Invalid(field, "%s has no option %q for a single post; %s", platform, shown, Suggestion(shown, known)))
			}
		}
	}
	return found
}

// postOptions returns the names of the options that a post may override.
func (s *Service) postOptions(platform string) (names []string) {
	if p, ok := s.Publishers[platform]; ok {
		for _, f := range p.Fields() {
			if f.Option && f.Post {
				names = append(names, f.Name)
			}
		}
	}
	return names
}
