package blob_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/scripts/cost"
	"github.com/schedctl/schedctl/storage/blob"
)

func TestParseSpec(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]blob.Spec{
		"dir:/var/lib/media": {Engine: "dir", Dir: "/var/lib/media"},
		"dir:a b:c":          {Engine: "dir", Dir: "a b:c"},
		"postgres":           {Engine: "postgres"},
		"s3://pictures":      {Engine: "s3", S3: blob.S3Spec{Bucket: "pictures"}},
		"s3://pictures/a/b/": {Engine: "s3", S3: blob.S3Spec{Bucket: "pictures", Prefix: "a/b/"}},
		"s3://pictures/a?endpoint=http://127.0.0.1:9000&region=eu-1&path_style=1": {Engine: "s3",
			S3: blob.S3Spec{Bucket: "pictures", Prefix: "a/", Endpoint: "http://127.0.0.1:9000", Region: "eu-1", PathStyle: true}},
		"s3://pictures?endpoint=minio.example.org": {Engine: "s3", S3: blob.S3Spec{Bucket: "pictures", Endpoint: "https://minio.example.org"}},
	} {
		got, err := blob.ParseSpec(text)
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s: error %v, %s", text, err, cmp.Diff(want, got))
		}
	}
}

func TestParseSpecRefuses(t *testing.T) {
	t.Parallel()
	const secret = "hunter2secret"
	for _, text := range []string{
		"", "dir", "dir:", "dir:a\x00b", "postgres:", "postgres://u:" + secret + "@host/db", "/var/lib/media", "s3:", "s3:bucket", "s3://",
		"s3:///prefix", "s3://id:" + secret + "@bucket", "s3://bucket:9000/", "s3://bucket?endpoint=ftp://x", "s3://bucket?endpoint=https://x/path",
		"s3://bucket?endpoint=https://id:" + secret + "@x", "s3://bucket?path_style=maybe", "s3://bucket?region=a&region=b",
		"s3://bucket?secret=" + secret, "s3://bucket#a", "s3://bucket?%zz", "s3://%zz",
	} {
		_, err := blob.ParseSpec(text)
		if !errors.Is(err, blob.ErrSpec) {
			t.Errorf("%q: error %v", text, err)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error has the secret: %v", text, err)
		}
	}
}

// FuzzParseSpec checks that a parsed place and its text are the same place, and that a
// refused text is not in the error.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{
		"dir:media", "postgres", "s3://bucket", "s3://bucket/a//b/?endpoint=http://[::1]:9&region=%20&path_style=t", "s3://b%20c/%2f",
		"s3://id:secret@bucket", "s3://bucket?endpoint=x&endpoint=y",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		spec, err := blob.ParseSpec(text)
		if err != nil {
			if !errors.Is(err, blob.ErrSpec) {
				t.Errorf("error %v", err)
			}
			return
		}
		again, err := blob.ParseSpec(spec.String())
		if err != nil || again != spec {
			t.Errorf("%q became %q, and then %+v, error %v", text, spec, again, err)
		}
	})
}
