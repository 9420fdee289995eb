package account

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// publishers are used for their fields and logins only, and never send a request. The
// daemon decides which addresses it may connect to. They are created on first use, because
// most commands do not need them.
var publishers = sync.OnceValue(func() map[string]publish.Publisher {
	return all.Publishers(all.Config{Version: cli.VersionText(), Outbound: outbound.AllowPrivate})
})

// PlatformNames returns the platforms in the order of their names.
func PlatformNames() []string { return slices.Sorted(maps.Keys(publishers())) }

// platformFields returns the fields of a platform, or nil for a platform of a later
// version.
func platformFields(platform string) []publish.Field {
	if p, known := publishers()[platform]; known {
		return p.Fields()
	}
	return nil
}

// needsName reports whether a platform has no required credentials or options, so that
// only a name distinguishes its accounts.
func needsName(platform string) bool {
	_, known := publishers()[platform]
	return known && len(platformFields(platform)) == 0
}

// commonOptions returns the options of a platform that are not among its fields, or all such
// options for a platform of a later version.
func commonOptions(platform string) []publish.CommonOption {
	return publish.CommonOptions(publishers()[platform])
}

func commonNames(platform string) []string {
	return cli.Map(commonOptions(platform), func(o publish.CommonOption) string { return o.Name })
}

// someSecrets are refused on the command line for every platform, including those of
// later versions.
var someSecrets = []string{
	"access_token", "app_password", "password", "secret", "token", "bot_token", "api_key", "refresh_token", "client_secret", "webhook_url",
}

func isSecret(name string) bool {
	return slices.Contains(someSecrets, name) || anyField(func(f publish.Field) bool { return f.Secret && f.Name == name })
}

func isOption(name string) bool {
	_, common := publish.FindCommonOption(name)
	return common || anyField(func(f publish.Field) bool { return f.Option && f.Name == name })
}

func anyField(is func(publish.Field) bool) bool {
	for _, p := range publishers() {
		if slices.ContainsFunc(p.Fields(), is) {
			return true
		}
	}
	return false
}

// fieldTitle returns the name of a field for people: "Access token" for access_token.
func fieldTitle(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	words = strings.ReplaceAll(words+" ", "url ", "URL ")
	words = strings.ReplaceAll(words, "api ", "API ")
	words = strings.TrimSpace(strings.ReplaceAll(words, " id ", " ID "))
	return strings.ToUpper(words[:1]) + words[1:]
}

// completeSet offers the fields of the given platform, or of all platforms if none is
// given.
func completeSet(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	platforms := PlatformNames()
	if len(args) > 0 && publishers()[args[0]] != nil {
		platforms = args[:1]
	}
	var out []string
	for _, platform := range platforms {
		for _, f := range platformFields(platform) {
			if !f.Secret {
				out = append(out, f.Name+"=\t"+f.Help)
			}
		}
	}
	common := publish.CommonOptions(nil)
	if len(platforms) == 1 {
		common = commonOptions(platforms[0])
	}
	for _, o := range common {
		out = append(out, o.Name+"=\t"+o.About)
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
