package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// The engines of a [Spec].
const (
	EngineDir      = "dir"
	EnginePostgres = "postgres"
	EngineS3       = "s3"
)

// Spec says where blobs are stored.
type Spec struct {
	Engine string
	Dir    string // the path, for EngineDir
	S3     S3Spec // for EngineS3
}

// S3Spec is a place in an S3-compatible service. It has no credentials.
type S3Spec struct {
	Bucket    string
	Prefix    string // of all object names; empty, or ends with a slash
	Endpoint  string // the URL of the service without a path; empty for AWS
	Region    string // empty for the default of the service
	PathStyle bool   // the bucket is in the path of requests, not in the host name
}

// ErrSpec means that a text is not a valid [Spec].
var ErrSpec = errors.New("use dir:PATH, postgres, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME&path_style=true")

// ParseSpec parses the place of a blob store:
//
//	dir:PATH
//	postgres
//	s3://BUCKET/PREFIX?endpoint=URL&region=NAME&path_style=true
//
// PREFIX and all parameters of the last form are optional. An endpoint without a scheme
// uses HTTPS. Errors wrap [ErrSpec] and never contain the text: it may have a password in
// the wrong place.
func ParseSpec(text string) (Spec, error) {
	engine, rest, found := strings.Cut(text, ":")
	switch {
	case engine == EngineDir && rest != "" && !strings.ContainsRune(rest, 0):
		return Spec{Engine: EngineDir, Dir: rest}, nil
	case engine == EnginePostgres && !found:
		return Spec{Engine: EnginePostgres}, nil
	case engine == EngineS3 && strings.HasPrefix(rest, "//"):
		s3, err := parseS3(text)
		if err != nil {
			return Spec{}, fmt.Errorf("the place of media files: %w; %w", err, ErrSpec)
		}
		return Spec{Engine: EngineS3, S3: s3}, nil
	}
	return Spec{}, fmt.Errorf("the place of media files cannot be read: %w", ErrSpec)
}

func parseS3(text string) (S3Spec, error) {
	u, err := url.Parse(text)
	if err != nil {
		return S3Spec{}, errors.New("it is not a valid URL")
	}
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return S3Spec{}, errors.New("its parameters cannot be read")
	}
	s := S3Spec{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if s.Prefix != "" {
		s.Prefix += "/"
	}
	switch {
	case u.User != nil:
		return S3Spec{}, errors.New("credentials are not allowed in it; use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case u.Host == "" || strings.Contains(u.Host, ":"):
		return S3Spec{}, errors.New("the name of the bucket is missing or has a port; name the server with endpoint=URL")
	case u.Fragment != "":
		return S3Spec{}, errors.New("it has a fragment; write # as %23")
	}
	for name, values := range params {
		if len(values) != 1 {
			return S3Spec{}, errors.New("a parameter is given more than once")
		}
		if err := s.set(name, values[0]); err != nil {
			return S3Spec{}, err
		}
	}
	return s, nil
}

// set sets a parameter.
func (s *S3Spec) set(name, value string) (err error) {
	switch name {
	case "endpoint":
		s.Endpoint, err = parseEndpoint(value)
	case "region":
		s.Region = value
	case "path_style":
		if s.PathStyle, err = strconv.ParseBool(value); err != nil {
			err = errors.New("path_style is neither true nor false")
		}
	default:
		err = errors.New("it has an unknown parameter")
	}
	return err
}

// parseEndpoint returns the URL of a service with its scheme.
func parseEndpoint(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("endpoint is not a valid URL")
	case u.User != nil:
		return "", errors.New("credentials are not allowed in endpoint")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("endpoint is not like https://HOST:PORT")
	}
	return u.Scheme + "://" + u.Host, nil
}

// String returns a text that [ParseSpec] parses to the same Spec. It has no secrets.
func (s Spec) String() string {
	switch s.Engine {
	case EngineDir:
		return EngineDir + ":" + s.Dir
	case EngineS3:
		return s.S3.String()
	}
	return s.Engine
}

// String returns the place as a URL. It has no secrets.
func (s S3Spec) String() string {
	params := url.Values{}
	if s.Endpoint != "" {
		params.Set("endpoint", s.Endpoint)
	}
	if s.Region != "" {
		params.Set("region", s.Region)
	}
	if s.PathStyle {
		params.Set("path_style", "true")
	}
	u := url.URL{Scheme: EngineS3, Host: s.Bucket, Path: "/" + s.Prefix, RawQuery: params.Encode()}
	return u.String()
}
