package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// TestEveryPlatformHasAConnectPage checks that every platform with credentials of a network
// has a help page.
func TestEveryPlatformHasAConnectPage(t *testing.T) {
	t.Parallel()
	for _, platform := range account.PlatformNames() {
		page := slices.Contains(cli.ConnectTopics(), "connect-"+platform)
		if without := platform == "feed" || platform == "http"; page == without {
			t.Errorf("%s: page %t", platform, page)
		}
	}
}

// TestConnectNotices checks that account add says what an account costs or cannot do before
// it connects, with and without a login in a browser.
func TestConnectNotices(t *testing.T) {
	t.Parallel()
	for platform, words := range map[string][]string{
		"x":        {"$0.015", "$0.20", "$0.005", "$0.010", "$0.30", "$4", "spend cap", "one cashtag", "banned"},
		"linkedin": {"comment", "few", "organizations", "reviewed"},
		"facebook": {"two-factor", "Page publishing authorization"},
		"slack":    {"chat:write", "neither pictures nor look-ups"},
	} {
		texts := []string{cli.ConnectNotice(platform), cli.ConnectGuide(platform, false, 1)}
		if platform == "x" || platform == "linkedin" {
			texts = append(texts, cli.ConnectGuide(platform, true, 1))
		}
		for i, text := range texts {
			for _, word := range words {
				if !strings.Contains(text, word) {
					t.Errorf("%s, text %d has no %q:\n%s", platform, i, word, text)
				}
			}
		}
	}
}

// TestSlackManifest checks that the manifest in the help page is YAML that can be pasted, and
// asks for all scopes that warnings name.
func TestSlackManifest(t *testing.T) {
	t.Parallel()
	text := cli.ConnectGuide("slack", false, 0)
	start, end := strings.Index(text, "_metadata:"), strings.Index(text, "\n\n     Its scopes")
	if start < 0 || end < start {
		t.Fatal(text)
	}
	var manifest struct {
		Name  map[string]string `yaml:"display_information"`
		OAuth struct {
			Scopes struct {
				Bot []string `yaml:"bot"`
			} `yaml:"scopes"`
		} `yaml:"oauth_config"`
		Settings map[string]bool `yaml:"settings"`
	}
	if err := yaml.Unmarshal([]byte(text[start:end]), &manifest); err != nil {
		t.Fatal(err)
	}
	want := []string{"chat:write", "files:write", "files:read", "channels:history", "channels:read", "groups:history", "groups:read"}
	if !slices.Equal(manifest.OAuth.Scopes.Bot, want) || manifest.Name["name"] != "schedctl" || len(manifest.Settings) != 3 {
		t.Errorf("%+v", manifest)
	}
}

// TestConnectGuides guards that account add shows the steps of every help page up to the one
// that uses schedctl.
func TestConnectGuides(t *testing.T) {
	t.Parallel()
	for _, topic := range cli.ConnectTopics() {
		platform := strings.TrimPrefix(topic, "connect-")
		guide := cli.ConnectGuide(platform, false, 21847)
		if !strings.Contains(guide, "\n  1. ") || !strings.Contains(guide, "\n  2. ") || strings.Contains(guide, "Connect the account") || strings.Contains(guide, "schedctl account add") {
			t.Errorf("%s: %s", platform, guide)
		}
	}
	for _, platform := range []string{"linkedin", "x"} {
		if guide := cli.ConnectGuide(platform, true, 4711); !strings.Contains(guide, "http://127.0.0.1:4711/callback") || strings.Contains(guide, "21847") {
			t.Errorf("the login of %s: %s", platform, guide)
		}
	}
	if guide := cli.ConnectGuide("feed", false, 21847); guide != "" {
		t.Errorf("feed: %s", guide)
	}
}
