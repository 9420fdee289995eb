package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// wizard prompts for missing values of a connection, and again for values that the
// network refused.
type wizard struct {
	*ConnectFlags
	*connection
	whole  bool // ask for all fields, not only for a missing secret
	rename bool // ask for the name as well
	asked  []string

	codeLogin bool // the tokens come from a login with a browser
}

// choosePlatform asks for the platform unless it is given.
func (o *ConnectFlags) choosePlatform(ctx context.Context, c *connection) error {
	names := PlatformNames()
	if o.login {
		names = loginPlatforms()
	}
	choices := make([]cli.Choice, len(names))
	for i, name := range names {
		choices[i] = cli.Choice{Value: name, Label: name}
	}
	platform := ""
	if err := o.Ask(ctx, []cli.Question{{Title: "Platform", Choices: choices, Value: &platform}}); err != nil {
		return err
	}
	c.platform, c.fields = platform, platformFields(platform)
	return nil
}

// connect prompts and sends until the network accepts the account or the person gives
// up.
func (w *wizard) connect(ctx context.Context, send func() (apiv1.Account, error)) (apiv1.Account, error) {
	if err := w.chooseWay(ctx); err != nil {
		return apiv1.Account{}, err
	}
	again := w.first()
	w.showGuide(again)
	for {
		err := w.askFor(ctx, again)
		var acct apiv1.Account
		if err == nil {
			acct, err = send()
		}
		if err == nil || !correctable(err) || len(w.asked) == 0 {
			return acct, err
		}
		w.Messagef("%s", cli.ErrorLine(err))
		w.Messagef("correct it, or give up with Ctrl-C; what you leave stays as it is")
		if again = w.faulty(err); w.codeLogin && slices.ContainsFunc(again, w.credential) {
			w.forgetTokens()
		}
	}
}

// credential reports whether a field is a credential.
func (w *wizard) credential(name string) bool {
	f := w.field(name)
	return f != nil && !f.Option
}

// showGuide explains where to get the credentials, if it asks for secrets of a network that
// has a help page about that. Otherwise it says what people have to know before they connect
// an account.
func (w *wizard) showGuide(names []string) {
	secret := func(name string) bool { f := w.field(name); return f != nil && f.Secret }
	text := cli.ConnectNotice(w.platform)
	if w.codeLogin || !w.login && slices.ContainsFunc(names, secret) {
		text = cli.ConnectGuide(w.platform, w.codeLogin, w.loginPort)
	}
	if text != "" {
		w.Message(text + "\n")
	}
}

// correctable reports whether an error may go away with other values.
func correctable(err error) bool {
	var refused *client.Error
	var login *loginError
	if errors.As(err, &login) {
		return true
	}
	if !errors.As(err, &refused) {
		return false
	}
	status := cli.RefusalStatus(refused)
	return status == cli.ExitInvalid || status == cli.ExitUnreachable && refused.API.Code != schedctl.Internal
}

// nameField stands for the account's name among the fields.
const nameField = "name"

// first returns the names of the fields for the first page: required fields before
// optional ones.
func (w *wizard) first() (names []string) {
	w.whole = w.whole || w.login || w.codeLogin || len(w.missing()) > 0 || w.name == "" && w.rename && needsName(w.platform) ||
		len(w.secrets()) > 1 && !w.anySecret() // one of them is needed
	for _, f := range requiredFirst(w.fields) {
		wanted := (w.whole || f.Secret) && !f.Seldom
		if f.Secret && !f.Required && w.anySecret() {
			wanted = false // another one of the alternatives is given
		}
		if wanted && w.values[f.Name] == "" {
			names = append(names, f.Name)
		}
	}
	if w.whole && w.rename && w.name == "" {
		names = append(names, nameField)
	}
	return names
}

func requiredFirst(fields []publish.Field) []publish.Field {
	return slices.SortedStableFunc(slices.Values(fields), func(a, b publish.Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
}

// faulty returns the fields that an error is about, or all prompted fields when the
// error names none. It includes fields whose values came from flags.
func (w *wizard) faulty(err error) []string {
	var login *loginError
	if errors.As(err, &login) && w.codeLogin {
		return slices.DeleteFunc(slices.Clone(w.asked), func(name string) bool { return !w.credential(name) })
	}
	if errors.As(err, &login) && !slices.Contains(w.asked, loginServer) {
		return append([]string{loginServer}, w.asked...)
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		var names []string
		for _, d := range refused.API.Details {
			name := d.Field[strings.LastIndex(d.Field, ".")+1:]
			f := w.field(name)
			if others := w.alternatives(f); others != nil {
				return others
			}
			if name == nameField && w.rename || f != nil {
				names = append(names, name)
			}
		}
		if names != nil {
			return names
		}
	}
	return w.asked
}

// alternatives returns the credentials that can be given instead of f, including f, or
// nil when there is no choice.
func (w *wizard) alternatives(f *publish.Field) (names []string) {
	if f == nil || f.Required || f.Option || len(w.secrets()) < 2 {
		return nil
	}
	for _, other := range w.fields {
		if !other.Required && !other.Option {
			names = append(names, other.Name)
		}
	}
	return names
}

func (w *wizard) field(name string) *publish.Field {
	for i := range w.fields {
		if w.fields[i].Name == name {
			return &w.fields[i]
		}
	}
	return nil
}

// askFor prompts for fields, those of a login first, and shows a summary.
func (w *wizard) askFor(ctx context.Context, names []string) error {
	for _, name := range names {
		if !slices.Contains(w.asked, name) {
			w.asked = append(w.asked, name)
		}
	}
	if w.platform == loginPlatform && slices.Contains(names, loginSecret) {
		rest, err := w.logIn(ctx, names)
		if err != nil {
			return err
		}
		names = rest
	}
	if err := w.askFields(ctx, names); err != nil {
		return err
	}
	if w.codeLogin && w.values[publish.LoginAccess] == "" {
		if err := w.logInWithCode(ctx); err != nil {
			return err
		}
	}
	if w.whole {
		w.summary()
	}
	return nil
}

// askFields asks for fields, credentials on one page and options on the next.
func (w *wizard) askFields(ctx context.Context, names []string) error {
	for _, options := range []bool{false, true} {
		var questions []cli.Question
		var write []func()
		for _, name := range names {
			f := w.field(name)
			if f != nil && f.Option == options {
				answer := w.values[name]
				questions = append(questions, cli.Question{Title: fieldTitle(name), Help: f.Help, Secret: f.Secret, Required: f.Required, Value: &answer, Check: f.CheckValue})
				write = append(write, func() { w.values[name] = w.clean(*f, answer) })
			}
		}
		if !options && slices.Contains(names, nameField) {
			help := "what you call the account; its user name when empty"
			if needsName(w.platform) {
				help = "lower-case letters, digits and hyphens: it becomes part of the address"
			}
			questions = append(questions, cli.Question{Title: "Name", Help: help, Required: needsName(w.platform), Value: &w.name})
		}
		if err := w.Ask(ctx, questions); err != nil {
			return err
		}
		for _, w := range write {
			w()
		}
	}
	return nil
}

// summary prints the account to connect, because a form disappears from the screen.
func (w *wizard) summary() {
	w.Messagef("%s", fieldTitle("platform")+": "+w.platform)
	for _, f := range w.fields {
		switch value := w.values[f.Name]; {
		case value != "" && f.Secret:
			w.Messagef("%s: (not shown)", fieldTitle(f.Name))
		case value != "":
			w.Messagef("%s: %s", fieldTitle(f.Name), cli.OneLine(value))
		}
	}
	if w.name != "" {
		w.Messagef("Name: %s", cli.OneLine(w.name))
	}
	w.Messagef("connecting …")
}
