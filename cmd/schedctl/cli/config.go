package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/goccy/go-yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/schedctl/schedctl/daemon/privatefile"
)

// Config is the content of the configuration file.
type Config struct {
	Current  string                  `koanf:"current"`
	Contexts map[string]SavedContext `koanf:"contexts"`
}

// SavedContext is the address of a daemon and where its key is: in the keyring, in a
// file, or nowhere.
type SavedContext struct {
	URL     string `koanf:"url"`
	Key     string `koanf:"key"` // keyKeyring, or empty
	KeyFile string `koanf:"key_file"`
	Kind    string `koanf:"kind"` // KindAgent, or empty
}

// keyKeyring is the value of SavedContext.Key for a key in the keyring.
const keyKeyring = "keyring"

// ConfigDir returns the directory of the configuration file. It also holds keys that
// are not in a keyring.
func (a *App) ConfigDir() string { return filepath.Join(a.ConfigHome, "schedctl") }

func (a *App) configPath() string {
	return FirstNonEmpty(a.Getenv("SCHEDCTL_CONFIG"), filepath.Join(a.ConfigDir(), "config.yaml"))
}

// ReadConfig returns the configuration. A missing file is an empty configuration.
func (a *App) ReadConfig() (Config, error) {
	c := Config{Contexts: map[string]SavedContext{}}
	path := a.configPath()
	if err := RefuseExposed(path, privatefile.Writing); err != nil {
		return c, err // other users could redirect keys
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the configuration: %w", err)
	}
	k := koanf.New("/") // which no name of a context has
	if err := k.Load(rawbytes.Provider(text), yamlParser{}); err != nil {
		return c, badConfig(path, err)
	}
	err = k.UnmarshalWithConf("", &c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{Result: &c, TagName: "koanf", ErrorUnused: true}})
	if err != nil {
		return c, badConfig(path, err)
	}
	for name, ctx := range c.Contexts {
		if err := CheckContext(name, ctx); err != nil {
			return c, badConfig(path, err)
		}
	}
	return c, nil
}

// yamlParser lets koanf use the YAML library that also reads post files.
type yamlParser struct{}

// Unmarshal reads a document.
func (yamlParser) Unmarshal(text []byte) (doc map[string]any, err error) {
	if err := yaml.Unmarshal(text, &doc); err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n") // the next lines quote the file
		return nil, errors.New(message)
	}
	return doc, nil
}

// Marshal writes a document.
func (yamlParser) Marshal(doc map[string]any) ([]byte, error) { return yaml.Marshal(doc) }

func badConfig(path string, err error) error {
	return NewFailure(ExitUsage, CodeUsage, "%s cannot be used: %v", path, err).WithHint("correct it, or move it away and add the contexts again")
}

// WriteConfig replaces the file atomically: readers see either the old or the new
// one.
func (a *App) WriteConfig(c Config) error {
	contexts := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(c.Contexts)) {
		ctx := c.Contexts[name]
		fields := map[string]any{"url": ctx.URL}
		if ctx.Key != "" {
			fields["key"] = ctx.Key
		}
		if ctx.KeyFile != "" {
			fields["key_file"] = ctx.KeyFile
		}
		if ctx.Kind != "" {
			fields["kind"] = ctx.Kind
		}
		contexts[name] = fields
	}
	doc := map[string]any{"contexts": contexts}
	if c.Current != "" {
		doc["current"] = c.Current
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := ReplacePrivate(a.configPath(), text); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// ReplacePrivate replaces a file, or the target of a link, by a file that only its
// owner may read.
func ReplacePrivate(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return privatefile.Write(path, text)
}
