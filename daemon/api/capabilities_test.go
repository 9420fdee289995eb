package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func (f *fixture) capabilities(o option) apiv1.Capabilities {
	f.t.Helper()
	return decodeAs[apiv1.Capabilities](f.t, f.do(o, "GET", "/capabilities", nil).want(200))
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	poor := as(f.scoped(schedctl.ScopePostsDraft))
	c := f.capabilities(poor)
	if c.Workspace.ID != f.mine.workspace || !cmp.Equal(c.APIKey.Scopes, []schedctl.Scope{schedctl.ScopePostsDraft}) {
		t.Errorf("workspace %s, scopes %v", c.Workspace.ID, c.APIKey.Scopes)
	}
	want := apiv1.ServiceLimits{
		ContentCharacters: 5000, AccountsPerPost: 100, BodyBytes: 1 << 20, PageSize: 100, Webhooks: 50, IdempotencySeconds: 24 * 3600,
		Media: &apiv1.MediaLimits{
			PerPost: 20, ImageBytes: 20e6, GIFBytes: 20e6, VideoBytes: 300e6, DocumentBytes: 50e6, QuotaBytes: 10e9, KeepSeconds: 30 * 24 * 3600,
		},
	}
	if diff := cmp.Diff(want, c.Limits); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	names := slices.Sorted(maps.Keys(c.Platforms))
	if want := []string{"fake", "http", "page"}; !cmp.Equal(names, want) {
		t.Errorf("platforms %v, want %v", names, want)
	}
}

func TestCapabilitiesOfPlatforms(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, p := range f.capabilities(nil).Platforms {
		if p.Name != name {
			t.Errorf("%s is called %s", name, p.Name)
		}
		fields := map[string]apiv1.PlatformField{}
		for _, field := range slices.Concat(p.Credentials, p.Options) {
			if _, twice := fields[field.Name]; twice {
				t.Errorf("%s.%s appears twice", p.Name, field.Name)
			}
			fields[field.Name] = field
		}
		for _, f := range f.publishers[p.Name].Fields() {
			want := apiv1.PlatformField{Name: f.Name, About: f.Help, Required: f.Required, Secret: f.Secret, PerPost: f.Post}
			if diff := cmp.Diff(want, fields[f.Name]); diff != "" {
				t.Errorf("%s.%s -want +got:\n%s", p.Name, f.Name, diff)
			}
			if option := slices.ContainsFunc(p.Options, func(o apiv1.PlatformField) bool { return o.Name == f.Name }); option != f.Option {
				t.Errorf("%s.%s is an option: %v", p.Name, f.Name, option)
			}
		}
		for _, common := range []string{"pacing", "duplicate_guard"} {
			if fields[common].About == "" {
				t.Errorf("%s has no option %s, or no description of it", p.Name, common)
			}
		}
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	plain := newFixture(t).capabilities(nil)
	limited := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.RateLimit = api.RateLimit{PerSecond: 2.5} }).capabilities(nil)
	if plain.Limits.RequestsPerSecond != nil || plain.Features["rate_limit"] {
		t.Errorf("a daemon without a limit says %+v, %v", plain.Limits, plain.Features)
	}
	if l := limited.Limits.RequestsPerSecond; l == nil || *l != 2.5 || !limited.Features["rate_limit"] {
		t.Errorf("a daemon with a limit says %+v, %v", limited.Limits, limited.Features)
	}
	described := documentSchemas(t)["Capabilities"].Value.Properties["features"].Value.Description
	limited.Features["backup"] = true
	for feature, on := range limited.Features {
		if !on || !strings.Contains(described, feature) {
			t.Errorf("the document does not say what %s is, or it is not on: %v", feature, on)
		}
	}
	for id := range documentOperations(t) {
		if feature := featureOf[id]; feature == "" {
			t.Errorf("featureOf in capabilities_table_test.go does not say which feature has the operation %s", id)
		} else if !limited.Features[feature] {
			t.Errorf("capabilities do not name %s, the feature of %s", feature, id)
		}
	}
	for property := range documentSchemas(t)["CreatePost"].Value.Properties {
		if feature := featureOfField[property]; feature == "" {
			t.Errorf("featureOfField in capabilities_table_test.go does not say which feature has the field %s of posts", property)
		} else if !limited.Features[feature] {
			t.Errorf("capabilities do not name %s, the feature of %s", feature, property)
		}
	}
	if plain.Features["backup"] {
		t.Error("a store without copies has the feature backup")
	}
}
