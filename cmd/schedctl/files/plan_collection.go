package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// nameCollection sets the collection of a directory: that of --collection or of
// schedctl.yaml, and "" when neither names one.
func (d *postFiles) nameCollection(flag string) error {
	d.collection = cli.FirstNonEmpty(flag, d.config.Collection.Text)
	switch {
	case flag != "" && d.config.Collection.Text != "" && flag != d.config.Collection.Text:
		return cli.UsageError("--collection %s contradicts %s, which says collection: %s", flag, d.configPath(), d.config.Collection.Text).
			WithHint("leave the flag out, or change the file")
	case d.collection == "":
		return nil
	}
	err := schedctl.CheckCollection(post.CollectionFlag, d.collection)
	if err != nil && flag != "" {
		return cli.UsageError("--%s", post.RuleText(err))
	}
	if err != nil {
		d.addProblems(postfile.Problem{Path: postfile.ConfigName, Line: d.config.Collection.Line, Message: post.RuleText(err)})
	}
	return nil
}

func (d *postFiles) configPath() string { return filepath.Join(d.dir, postfile.ConfigName) }

// needCollection returns the failure of a directory without a collection.
func (d *postFiles) needCollection() error {
	if d.collection != "" {
		return nil
	}
	return cli.UsageError("%s belongs to no collection", d.dir).
		WithHint(fmt.Sprintf("create %s with the line \"collection: %s\", or give --collection", d.configPath(), d.proposal()))
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// proposal returns a name for the collection of a directory. The parent directory
// is part of it: many repositories have a directory "posts".
func (d *postFiles) proposal() string {
	path, err := filepath.Abs(d.dir)
	if err != nil {
		path = d.dir
	}
	name := filepath.Base(filepath.Dir(path)) + "-" + filepath.Base(path)
	name = strings.Trim(notInNames.ReplaceAllString(name, "-"), "-.")
	return cli.FirstNonEmpty(name[:min(len(name), schedctl.MaxCollection)], "posts")
}

// proposeCollection asks a person for the collection and writes schedctl.yaml.
func (o *applyOptions) proposeCollection(ctx context.Context, d *postFiles) error {
	name := d.proposal()
	o.Messagef("%s has no %s. It names the collection: the posts that belong to these files.", d.dir, postfile.ConfigName)
	if err := o.Confirm(ctx, fmt.Sprintf("Create %s with \"collection: %s\"?", d.configPath(), name)); err != nil {
		return err
	}
	d.collection = name
	return d.writeConfig()
}

// writeConfig creates schedctl.yaml unless it exists.
func (d *postFiles) writeConfig() error {
	f, err := os.OpenFile(d.configPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the collection: %w", err)
	}
	_, err = fmt.Fprintf(f, "collection: %s\n", d.collection)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the collection: %w", err)
	}
	return nil
}
