package all_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// TestPastedTokenIsAskedForItsEnd checks that a pasted token of Threads or Instagram has the
// end that the network reports, that it is renewed at once if it ends within a week, and that
// an end is assumed if the network does not say.
func TestPastedTokenIsAskedForItsEnd(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for platform, api := range map[string]publishtest.ContainerAPI{"threads": publishtest.ThreadsAPI, "instagram": publishtest.InstagramAPI} {
		for _, tt := range []struct {
			name    string
			left    time.Duration // 0 if the network does not say
			want    time.Duration
			assumed bool
		}{
			{"three days left", 3 * day, 60 * day, false},
			{"thirty days left", 30 * day, 30 * day, false},
			{"new", 60 * day, 60 * day, false},
			{"the network does not say", 0, 60 * day, true},
		} {
			fake := &publishtest.FakeContainers{API: api}
			if tt.left > 0 {
				fake.TokenEnds = time.Now().Add(tt.left)
			}
			server := httptest.NewServer(fake)
			p := networks.Publishers(outbound.Client(outbound.AllowPrivate))[platform]
			profile, err := p.Connect(t.Context(), publish.Connection{Credentials: publish.Credentials{"access_token": platform + "-token", "api_url": server.URL}})
			server.Close()
			if err != nil {
				t.Errorf("%s, %s: %v", platform, tt.name, err)
				continue
			}
			left := time.Until(profile.Expiry.At)
			if (left-tt.want).Abs() > time.Hour || profile.Expiry.Assumed != tt.assumed || profile.Credentials["expires_at"] == "" {
				t.Errorf("%s, %s: %s left, assumed %t", platform, tt.name, left, profile.Expiry.Assumed)
			}
		}
	}
}

// TestAssumedEndIsAskedAgain checks that the end of a token is asked at the next check if it
// was assumed, and that it stays if the network still does not say.
func TestAssumedEndIsAskedAgain(t *testing.T) {
	t.Parallel()
	for platform, api := range map[string]publishtest.ContainerAPI{"threads": publishtest.ThreadsAPI, "instagram": publishtest.InstagramAPI} {
		fake := &publishtest.FakeContainers{API: api}
		server := httptest.NewServer(fake)
		p := networks.Publishers(outbound.Client(outbound.AllowPrivate))[platform]
		check := func(c publish.Credentials) publish.Profile {
			t.Helper()
			profile, err := p.Connect(t.Context(), publish.Connection{Credentials: c})
			if err != nil {
				t.Fatalf("%s: %v", platform, err)
			}
			return profile
		}
		first := check(publish.Credentials{"access_token": platform + "-token", "api_url": server.URL})
		if again := check(first.Credentials); !again.Expiry.Assumed || again.Credentials != nil || again.Expiry.At.Sub(first.Expiry.At).Abs() > time.Second {
			t.Errorf("%s: the network still does not say: %+v", platform, again.Expiry)
		}
		fake.TokenEnds = time.Now().Add(20 * 24 * time.Hour)
		asked := check(first.Credentials)
		if left := time.Until(asked.Expiry.At); asked.Expiry.Assumed || (left-20*24*time.Hour).Abs() > time.Hour || asked.Credentials["expires_at_assumed"] != "no" {
			t.Errorf("%s: %s left, assumed %t", platform, left, asked.Expiry.Assumed)
		}
		fake.TokenEnds = time.Time{}
		if kept := check(asked.Credentials); kept.Expiry.Assumed || kept.Expiry.At.Sub(asked.Expiry.At).Abs() > time.Second {
			t.Errorf("%s: a known end is not kept: %+v", platform, kept.Expiry)
		}
		server.Close()
	}
}
