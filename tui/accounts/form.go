package accounts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// platformsMsg carries the daemon's platforms to the form that needs them.
type platformsMsg struct {
	list map[string]apiv1.PlatformEntry
	then func()
	err  error
}

// withPlatforms reads the platforms and then calls then.
func (r *Screen) withPlatforms(then func()) tea.Cmd {
	c := r.frame.Client()
	return r.frame.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Platforms(ctx)
		return platformsMsg{list: list, then: then, err: err}
	})
}

func (r *Screen) takePlatforms(msg platformsMsg) {
	switch {
	case msg.err != nil:
		r.frame.ShowError(screen.Explain(msg.err))
	case r.frame.IsOpen(nil) && r.frame.IsShown(r):
		r.platforms = msg.list
		msg.then()
	}
}

// addAccount asks for the platform of a new account and then for its fields.
func (r *Screen) addAccount() tea.Cmd {
	return r.withPlatforms(func() {
		names := slices.Sorted(maps.Keys(r.platforms))
		var items []screen.Item
		for i, name := range names {
			items = append(items, screen.Item{Label: screen.OneLine(name), Group: "platform", Chosen: i == 0})
		}
		if len(items) == 0 {
			r.frame.ShowError("the daemon offers no platforms to connect")
			return
		}
		r.frame.Open(screen.NewMenu(r.frame.Current().Theme, "Connect an account on", items, func(chosen []int) tea.Cmd {
			screen.OpenForm(r.frame, r.newAccountForm(names[chosen[0]]))
			return nil
		}))
	})
}

// newAccountForm returns the form for a new account.
func (r *Screen) newAccountForm(platform string) *screen.Form {
	p := r.platforms[platform]
	f := &screen.Form{Title: "New account on " + screen.OneLine(platform)}
	f.Fields = append(f.Fields, screen.NewField(r.frame.Current().Theme, "name", "name", "A name for the account. Leave empty to use its user name.", ""))
	f.Fields = append(f.Fields, credentialFields(r.frame.Current().Theme, p, true)...)
	f.Fields = append(f.Fields, optionFields(r.frame.Current().Theme, p, nil)...)
	c := r.frame.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.AddAccount{Platform: platform, Name: f.Fields[0].Value(), Credentials: credentials(f), Options: changedOptions(f)}
		return r.sendForm(f, "connected", func(ctx context.Context) (apiv1.Account, error) { return c.AddAccount(ctx, body) })
	}
	return f
}

// editAccount opens the form for the name, the options and new credentials of an
// account.
func (r *Screen) editAccount() tea.Cmd {
	if r.selected >= len(r.list()) {
		return nil
	}
	a := r.list()[r.selected]
	return r.withPlatforms(func() { screen.OpenForm(r.frame, r.accountForm(a)) })
}

func (r *Screen) accountForm(a apiv1.Account) *screen.Form {
	p := r.platforms[a.Platform]
	f := &screen.Form{Title: "Edit " + screen.OneLine(a.Name) + " on " + screen.OneLine(a.Platform)}
	f.Fields = append(f.Fields, screen.NewField(r.frame.Current().Theme, "name", "name", "A name for the account.", a.Name))
	f.Fields[0].Required = true
	f.Fields = append(f.Fields, optionFields(r.frame.Current().Theme, p, a.Options)...)
	f.Fields = append(f.Fields, credentialFields(r.frame.Current().Theme, p, false)...)
	c := r.frame.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.EditAccount{Credentials: credentials(f), Options: changedOptions(f)}
		if name := f.Fields[0]; name.Changed() {
			value := name.Value()
			body.Name = &value
		}
		if body.Name == nil && body.Credentials == nil && body.Options == nil {
			r.frame.Close()
			r.frame.ShowNotice("nothing changed")
			return nil
		}
		return r.sendForm(f, "saved", func(ctx context.Context) (apiv1.Account, error) { return c.EditAccount(ctx, a.ID, body) })
	}
	return f
}

// credentialFields returns the fields for the credentials of a platform. The
// credentials of an existing account are not shown; they can only be replaced.
func credentialFields(t screen.Theme, p apiv1.PlatformEntry, isNew bool) (fields []screen.Field) {
	for _, c := range p.Credentials {
		f := screen.NewField(t, "credentials."+c.Name, c.Name, c.About, "")
		switch {
		case !isNew:
			f.Input.Placeholder = "unchanged"
			f.About = c.About + ". To replace the credentials, enter all of them."
		case c.Required:
			f.Required, f.Input.Placeholder = true, "required"
		default:
			f.Input.Placeholder = "optional"
		}
		if c.Secret {
			f.Conceal()
		}
		fields = append(fields, f)
	}
	return fields
}

// optionFields returns the fields for the options of a platform.
func optionFields(t screen.Theme, p apiv1.PlatformEntry, have map[string]any) (fields []screen.Field) {
	for _, o := range p.Options {
		f := screen.NewField(t, "options."+o.Name, o.Name, o.About, optionText(have[o.Name]))
		f.Input.Placeholder = "default"
		fields = append(fields, f)
	}
	return fields
}

// optionText formats the value of an option as a user types it.
func optionText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = optionText(v[i])
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// credentials returns the entered credentials, or nil.
func credentials(f *screen.Form) map[string]string {
	var out map[string]string
	for i := range f.Fields {
		if name, is := strings.CutPrefix(f.Fields[i].Name, "credentials."); is && f.Fields[i].Value() != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = f.Fields[i].Value()
		}
	}
	return out
}

// changedOptions returns the changed options, or nil. The value of an emptied option is
// nil, which resets it to its default.
func changedOptions(f *screen.Form) map[string]any {
	var out map[string]any
	for i := range f.Fields {
		if name, is := strings.CutPrefix(f.Fields[i].Name, "options."); is && f.Fields[i].Changed() {
			if out == nil {
				out = map[string]any{}
			}
			if out[name] = nil; f.Fields[i].Value() != "" {
				out[name] = f.Fields[i].Value()
			}
		}
	}
	return out
}

// savedMsg is the response to a form.
type savedMsg struct {
	form    *screen.Form
	done    string // what was done, for example: connected
	account apiv1.Account
	err     error
}

// sendForm sends the values of a form.
func (r *Screen) sendForm(f *screen.Form, done string, send func(ctx context.Context) (apiv1.Account, error)) tea.Cmd {
	return r.frame.Call(func(ctx context.Context) tea.Msg {
		a, err := send(ctx)
		return savedMsg{form: f, done: done, account: a, err: err}
	})
}

// takeSaved shows the result. A form that was refused keeps its values.
func (r *Screen) takeSaved(msg savedMsg) {
	switch {
	case !r.frame.IsOpen(msg.form):
		r.frame.ReloadAccounts()
	case screen.NoResponse(msg.err):
		r.frame.ReloadAccounts()
		msg.form.Fail("no response: the account may be saved. Leave and check the list before you try again. " + screen.Explain(msg.err))
	case msg.err != nil:
		msg.form.Refuse(msg.err)
	default:
		r.frame.Close()
		r.anchor = msg.account.ID
		r.frame.ReloadAccounts()
		text := msg.done + ": " + screen.OneLine(msg.account.Name)
		if len(msg.account.Warnings) > 0 {
			r.frame.ShowError(text + ". " + strings.Join(msg.account.Warnings, " "))
			return
		}
		r.frame.ShowNotice(text)
	}
}
