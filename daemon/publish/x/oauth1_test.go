package x

import (
	"net/url"
	"testing"
)

// The examples of https://docs.x.com/resources/fundamentals/authentication/oauth-1-0a/creating-a-signature
// and of appendix A.5 of OAuth Core 1.0.
func TestSignature(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, url         string
		oauth               map[string]string
		form                url.Values
		secret, tokenSecret string
		want                string
	}{
		{
			"POST", "https://api.x.com/1.1/statuses/update.json?include_entities=true",
			map[string]string{
				"oauth_consumer_key": "xvz1evFS4wEEPTGEFPHBog", "oauth_nonce": "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
				"oauth_signature_method": "HMAC-SHA1", "oauth_timestamp": "1318622958", "oauth_token": "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", "oauth_version": "1.0",
			},
			url.Values{"status": {"Hello Ladies + Gentlemen, a signed OAuth request!"}},
			"kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw", "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
			"Ls93hJiZbQ3akF3HF3x1Bz8/zU4=",
		},
		{
			"GET", "http://photos.example.net/photos?file=vacation.jpg&size=original",
			map[string]string{
				"oauth_consumer_key": "dpf43f3p2l4k3l03", "oauth_nonce": "kllo9940pd9333jh", "oauth_signature_method": "HMAC-SHA1",
				"oauth_timestamp": "1191242096", "oauth_token": "nnch734d00sl2jdk", "oauth_version": "1.0",
			},
			nil, "kd94hf93k423kf44", "pfkkdhi9sl3r4s00", "tR3+Ty81lMeYAr/Fid0kMTYa/WM=",
		},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := signature(tt.method, u, tt.oauth, tt.form, tt.secret, tt.tokenSecret); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.url, got, tt.want)
		}
	}
}
