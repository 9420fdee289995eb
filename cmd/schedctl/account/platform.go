package account

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
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

// commonOptions are options of every account.
var commonOptions = []string{"pacing", "duplicate_guard", schedctl.OptionRequireAlt, schedctl.OptionApproval}

// commonHelp describes the values of commonOptions.
var commonHelp = map[string]string{
	"pacing": "a duration such as 90s", "duplicate_guard": "a duration such as 24h",
	schedctl.OptionRequireAlt: "true to refuse files without an alt text", schedctl.OptionApproval: "required: all posts need an approval",
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
	return slices.Contains(commonOptions, name) || anyField(func(f publish.Field) bool { return f.Option && f.Name == name })
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
	for _, name := range commonOptions {
		out = append(out, name+"=\t"+commonHelp[name])
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
