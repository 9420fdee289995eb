package all_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// TestPastedValuesAreCleaned checks for every field of every platform that white space and
// invisible characters around a value are removed, that the change is said without the value,
// and that a clean value stays as it is.
func TestPastedValuesAreCleaned(t *testing.T) {
	t.Parallel()
	samples := map[string]string{}
	for _, a := range networks.Accounts() {
		for name, value := range a.At("https://server.example") {
			samples[a.Platform+" "+name] = value
		}
	}
	for platform, p := range all.Publishers(all.Config{}) {
		for _, f := range p.Fields() {
			value := samples[platform+" "+f.Name]
			if value == "" {
				value = "a-value"
			}
			for _, around := range [][2]string{{" ", "\r\n"}, {"\uFEFF", ""}, {"\u200B", "\u200F"}, {"\u202A", "\u202E"}, {"\t\uFEFF \u200E", "\u202C \n"}} {
				c := publish.Connection{Credentials: publish.Credentials{f.Name: around[0] + value + around[1]}}
				if f.Option {
					c = publish.Connection{Options: schedctl.Options{f.Name: around[0] + value + around[1]}}
				}
				cleaned, notes := publish.CleanConnection(p.Fields(), c)
				got := cleaned.Credentials[f.Name]
				if f.Option {
					got = cleaned.Options.String(f.Name)
				}
				if got != value || len(notes) != 1 || !strings.HasPrefix(notes[0], f.Name+": ") || f.Secret && strings.Contains(notes[0], value) {
					t.Errorf("%s %s: %q became %q, %q", platform, f.Name, around, got, notes)
				}
			}
			if got, note := f.Clean(value); got != value || note != "" {
				t.Errorf("%s %s: %q became %q, %q", platform, f.Name, value, got, note)
			}
		}
	}
}

// TestPastedPagesAreTidied checks that the address of a page is accepted where a part of it is
// wanted.
func TestPastedPagesAreTidied(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ platform, field, given, want string }{
		{"mastodon", "instance_url", "https://mastodon.social/@me", "https://mastodon.social"},
		{"mastodon", "instance_url", "mastodon.social/@me", "mastodon.social"},
		{"mastodon", "instance_url", "@me@mastodon.social", "mastodon.social"},
		{"mastodon", "instance_url", "https://mastodon.social/users/me", "https://mastodon.social"},
		{"mastodon", "instance_url", "https://mastodon.social/path", "https://mastodon.social/path"},
		{"matrix", "homeserver_url", "https://matrix.example.org/path", "https://matrix.example.org/path"},
		{"bluesky", "service_url", "https://pds.example.org/@me", "https://pds.example.org"},
		{"bluesky", "identifier", "https://bsky.app/profile/alice.bsky.social", "alice.bsky.social"},
		{"bluesky", "identifier", "bsky.app/profile/did:plc:abc/post/1", "did:plc:abc"},
		{"bluesky", "identifier", "alice@example.org", "alice@example.org"},
		{"telegram", "chat_id", "https://t.me/news_of_us", "@news_of_us"},
		{"telegram", "chat_id", "-1001234567890", "-1001234567890"},
		{"telegram", "chat_id", "https://example.org/news_of_us", "https://example.org/news_of_us"},
		{"linkedin", "organization", "https://www.linkedin.com/company/1234/", "1234"},
		{"linkedin", "organization", "https://www.linkedin.com/company/1234/admin/page-posts/published/?x=y", "1234"},
		{"linkedin", "organization", "de.linkedin.com/showcase/1234", "1234"},
		{"linkedin", "organization", "https://www.linkedin.com/school/1234/about/", "1234"},
		{"linkedin", "organization", "urn:li:organization:1234", "urn:li:organization:1234"},
		{"linkedin", "organization", "https://www.linkedin.com/company/example/", "https://www.linkedin.com/company/example/"},
		{"linkedin", "organization", "https://linkedin.com.example/company/1234/", "https://linkedin.com.example/company/1234/"},
		{"slack", "channel", "https://team.slack.com/archives/C0123456789", "C0123456789"},
		{"slack", "channel", "https://slack.com.example/archives/C0123456789", "https://slack.com.example/archives/C0123456789"},
	} {
		for _, f := range all.Publishers(all.Config{})[tt.platform].Fields() {
			if f.Name != tt.field {
				continue
			}
			got, note := f.Clean(tt.given)
			if got != tt.want || (note != "") != (tt.given != tt.want) || note != "" && !strings.Contains(note, tt.want) {
				t.Errorf("%s %s: %q became %q, %q", tt.platform, tt.field, tt.given, got, note)
			}
		}
	}
}
