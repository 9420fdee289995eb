package usecase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
)

// attachMedia attaches the media of the post and of its overrides. Those that cannot be
// attached are problems of the post, and are ignored after that.
func (v *validation) attachMedia() error {
	one := v.attacher(v.r)
	content := v.body.Content.ChangeTo()
	err := attach(func(field string, list *[]schedctl.PostMedia) error {
		err := one(field, list)
		if err != nil {
			*list = []schedctl.PostMedia{}
		}
		return v.addProblem(err)
	}, v.body.MediaField, &content, v.body.Overrides)
	if err != nil {
		return err
	}
	v.shown = v.body.shown()
	v.assets = slices.DeleteFunc(v.assets, func(a schedctl.MediaAsset) bool { return !slices.Contains(v.shown.AssetIDs(), a.ID) })
	for i := range v.assets {
		if a := &v.assets[i]; a.Status != schedctl.MediaReady {
			if err := v.addProblem(notReady(a.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPart adds the result for one part of the post on one account.
func (v *validation) checkPart(ctx context.Context, about *apiv1.AccountValidation, c *accountContent) error {
	check, faults, err := v.measure(ctx, *c)
	if err != nil {
		return err
	}
	part := apiv1.PartValidation{
		Index: c.part.Index, Kind: c.part.Kind, Length: check.Length, Unit: cmp.Or(check.Unit, "characters"),
		Problems: []apiv1.Problem{}, Warnings: append([]string{}, check.Warnings...), Media: []apiv1.MediaValidation{},
	}
	if check.Limit > 0 {
		part.Limit = &check.Limit
	}
	found := problems(faults)
	for _, problem := range found {
		if !strings.HasPrefix(problem.Field, c.partField("media[")) {
			part.Problems = append(part.Problems, problem)
		}
	}
	for i := range c.part.Media {
		if a := v.asset(c.part.Media[i].AssetID); a != nil {
			part.Media = append(part.Media, v.file(c, i, a, found))
		}
	}
	about.Parts = append(about.Parts, part)
	about.Problems = appendNew(about.Problems, found)
	about.Warnings = appendNew(about.Warnings, check.Warnings)
	return nil
}

// appendNew appends the items that are not in the list.
func appendNew[T comparable](list, items []T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// file returns the result for one file of a part.
func (v *validation) file(c *accountContent, i int, a *schedctl.MediaAsset, found []apiv1.Problem) apiv1.MediaValidation {
	file := media.Describe(a, &c.part.Media[i])
	rules := v.mediaRules(c)
	out := apiv1.MediaValidation{ID: a.ID, Problems: []apiv1.Problem{}, Warnings: []string{}, Fix: string(fixFor(rules, file))}
	field := c.partField(fmt.Sprintf("media[%d]", i))
	for _, problem := range found {
		if problem.Field == field {
			out.Problems = append(out.Problems, problem)
		}
	}
	if file.AltText == "" && !rules.NoAlt && !c.account.Options.Bool(schedctl.OptionRequireAlt) { // which makes it a problem
		out.Warnings = append(out.Warnings, "the file has no alt text")
	}
	return out
}

// mediaRules returns the rules of an account. Those of a network without media take no
// class.
func (v *validation) mediaRules(c *accountContent) publish.MediaRules {
	p, ok := v.service.Publishers[c.account.Platform].(publish.MediaPublisher)
	if !ok {
		return publish.MediaRules{}
	}
	account := *c.account
	account.Options, account.Credentials = account.OptionsFor(c.override.Options), nil
	return p.MediaRules(account)
}

// fixFor returns what the daemon does so that a file fits the network of an account.
func fixFor(rules publish.MediaRules, file publish.Media) variant.Fix {
	limits, takes := rules.Classes[file.Class()]
	if !takes {
		return variant.None
	}
	fix, err := media.Plan(file, limits)
	if err != nil {
		return variant.None
	}
	return fix
}
