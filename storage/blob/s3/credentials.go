package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// credentialName is the credential of the service manager with the keys of S3
// (systemd.exec(5), LoadCredential).
const credentialName = "s3"

// findCredentials returns the first credentials in the order that [Open] documents.
func findCredentials(o Options) (*credentials.Credentials, error) {
	id, secret := o.Getenv("AWS_ACCESS_KEY_ID"), o.Getenv("AWS_SECRET_ACCESS_KEY")
	switch {
	case id != "" && secret != "":
		return credentials.NewStaticV4(id, secret, o.Getenv("AWS_SESSION_TOKEN")), nil
	case id != "" || secret != "":
		return nil, errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, not one of them alone")
	}
	path, err := credentialsFile(o.Getenv)
	if err != nil {
		return nil, err
	}
	if o.Check != nil {
		if err := o.Check(path); err != nil {
			return nil, err
		}
	}
	profile := o.Getenv("AWS_PROFILE")
	if profile == "" {
		profile = "default"
	}
	creds := credentials.NewFileAWSCredentials(path, profile)
	if v, err := creds.GetWithContext(nil); err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
		// the error could contain a line of the file
		return nil, fmt.Errorf("the file %s has no profile %q with aws_access_key_id and aws_secret_access_key", path, profile)
	}
	return creds, nil
}

// credentialsFile returns the path of the file with credentials.
func credentialsFile(getenv func(string) string) (string, error) {
	if path := getenv("AWS_SHARED_CREDENTIALS_FILE"); path != "" {
		return path, nil
	}
	var paths []string
	if dir := getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		paths = append(paths, filepath.Join(dir, credentialName))
	}
	if home := getenv("HOME"); home != "" {
		paths = append(paths, filepath.Join(home, ".aws", "credentials"))
	}
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return "", errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file in AWS_SHARED_CREDENTIALS_FILE")
}
