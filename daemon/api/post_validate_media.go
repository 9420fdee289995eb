package api

import (
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
	workspace := v.call.key.WorkspaceID
	list, err := v.server.attach(v.reader, workspace, v.body.mediaField, v.body.media)
	if err := v.addProblem(err); err != nil {
		return err
	}
	v.body.media = list
	v.body.overrides = slices.Clone(v.body.overrides)
	for i := range v.body.overrides {
		o := &v.body.overrides[i]
		list, err := v.server.attach(v.reader, workspace, join(overridePath(i), "media"), o.Media)
		if err != nil && o.Media != nil {
			list = []schedctl.PostMedia{}
		}
		if err := v.addProblem(err); err != nil {
			return err
		}
		o.Media = list
	}
	if err := v.checks.readAssets(v.reader, workspace, v.body.media, v.body.overrides); err != nil {
		return err
	}
	for i := range v.checks.assets {
		if a := &v.checks.assets[i]; a.Status != schedctl.MediaReady {
			if err := v.addProblem(notReady("media", a.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// part returns the result for the only part of the post on one account.
func (v *validation) part(about *apiv1.AccountValidation, c *accountContent) apiv1.PartValidation {
	p := apiv1.PartValidation{
		Kind: "post", Length: about.Length, Limit: about.Limit, Unit: about.Unit,
		Problems: []apiv1.Problem{}, Warnings: []string{}, Media: []apiv1.MediaValidation{},
	}
	prefix := ""
	if c.hasOwnMedia {
		prefix = c.path + "."
	}
	for _, problem := range about.Problems {
		if !strings.HasPrefix(problem.Field, prefix+"media[") {
			p.Problems = append(p.Problems, problem)
		}
	}
	for i := range c.media {
		a := v.checks.asset(c.media[i].AssetID)
		if a == nil {
			continue
		}
		file := media.Describe(a, &c.media[i])
		rules := v.mediaRules(c)
		out := apiv1.MediaValidation{ID: a.ID, Problems: []apiv1.Problem{}, Warnings: []string{}, Fix: string(fixFor(rules, file))}
		field := fmt.Sprintf("%smedia[%d]", prefix, i)
		for _, problem := range about.Problems {
			if problem.Field == field {
				out.Problems = append(out.Problems, problem)
			}
		}
		if file.AltText == "" && !rules.NoAlt && !c.account.Options.Bool(schedctl.OptionRequireAlt) { // which makes it a problem
			out.Warnings = append(out.Warnings, "the file has no alt text")
		}
		p.Media = append(p.Media, out)
	}
	return p
}

// mediaRules returns the rules of an account. Those of a network without media take no
// class.
func (v *validation) mediaRules(c *accountContent) publish.MediaRules {
	p, ok := v.server.publishers[c.account.Platform].(publish.MediaPublisher)
	if !ok {
		return publish.MediaRules{}
	}
	account := c.account
	account.Options, account.Credentials = account.OptionsFor(c.options), nil
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
