package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// platformsMsg carries the daemon's platforms to the form that needs them.
type platformsMsg struct {
	list map[string]apiv1.PlatformEntry
	then func()
	err  error
}

// withPlatforms reads the platforms and then calls then.
func (m *Model) withPlatforms(then func()) tea.Cmd {
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Platforms(ctx)
		return platformsMsg{list: list, then: then, err: err}
	})
}

func (m *Model) takePlatforms(msg platformsMsg) {
	switch {
	case msg.err != nil:
		m.ShowError(screen.Explain(msg.err))
	case m.dialog == nil && m.tab == tabAccounts:
		m.platforms = msg.list
		msg.then()
	}
}

// addAccount asks for the platform of a new account and then for its fields.
func (m *Model) addAccount() tea.Cmd {
	return m.withPlatforms(func() {
		names := slices.Sorted(maps.Keys(m.platforms))
		var items []screen.Item
		for i, name := range names {
			items = append(items, screen.Item{Label: screen.OneLine(name), Group: "platform", Chosen: i == 0})
		}
		if len(items) == 0 {
			m.ShowError("the daemon offers no platforms to connect")
			return
		}
		m.Open(screen.NewMenu(m.Theme, "Connect an account on", items, func(chosen []int) tea.Cmd {
			screen.OpenForm(m, m.newAccountForm(names[chosen[0]]))
			return nil
		}))
	})
}

// newAccountForm returns the form for a new account.
func (m *Model) newAccountForm(platform string) *screen.Form {
	p := m.platforms[platform]
	f := &screen.Form{Title: "New account on " + screen.OneLine(platform)}
	f.Fields = append(f.Fields, screen.NewField(m.Theme, "name", "name", "A name for the account. Leave empty to use its user name.", ""))
	f.Fields = append(f.Fields, credentialFields(m.Theme, p, true)...)
	f.Fields = append(f.Fields, optionFields(m.Theme, p, nil)...)
	c := m.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.AddAccount{Platform: platform, Name: f.Fields[0].Value(), Credentials: credentials(f), Options: changedOptions(f)}
		return m.sendForm(f, "connected", func(ctx context.Context) (apiv1.Account, error) { return c.AddAccount(ctx, body) })
	}
	return f
}

// editAccount opens the form for the name, the options and new credentials of an
// account.
func (m *Model) editAccount() tea.Cmd {
	r := &m.accounts
	if r.selected >= len(r.list) {
		return nil
	}
	a := r.list[r.selected]
	return m.withPlatforms(func() { screen.OpenForm(m, m.accountForm(a)) })
}

func (m *Model) accountForm(a apiv1.Account) *screen.Form {
	p := m.platforms[a.Platform]
	f := &screen.Form{Title: "Edit " + screen.OneLine(a.Name) + " on " + screen.OneLine(a.Platform)}
	f.Fields = append(f.Fields, screen.NewField(m.Theme, "name", "name", "A name for the account.", a.Name))
	f.Fields[0].Required = true
	f.Fields = append(f.Fields, optionFields(m.Theme, p, a.Options)...)
	f.Fields = append(f.Fields, credentialFields(m.Theme, p, false)...)
	c := m.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.EditAccount{Credentials: credentials(f), Options: changedOptions(f)}
		if name := f.Fields[0]; name.Changed() {
			value := name.Value()
			body.Name = &value
		}
		if body.Name == nil && body.Credentials == nil && body.Options == nil {
			m.Close()
			m.ShowNotice("nothing changed")
			return nil
		}
		return m.sendForm(f, "saved", func(ctx context.Context) (apiv1.Account, error) { return c.EditAccount(ctx, a.ID, body) })
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

// accountSavedMsg is the response to a form.
type accountSavedMsg struct {
	form    *screen.Form
	done    string // what was done, for example: connected
	account apiv1.Account
	err     error
}

// sendForm sends the values of a form.
func (m *Model) sendForm(f *screen.Form, done string, send func(ctx context.Context) (apiv1.Account, error)) tea.Cmd {
	return m.Call(func(ctx context.Context) tea.Msg {
		a, err := send(ctx)
		return accountSavedMsg{form: f, done: done, account: a, err: err}
	})
}

// takeSaved shows the result. A form that was refused keeps its values.
func (m *Model) takeSaved(msg accountSavedMsg) {
	switch {
	case !m.IsOpen(msg.form):
		m.accounts.loaded = false
	case screen.NoResponse(msg.err):
		m.accounts.loaded = false
		msg.form.Fail("no response: the account may be saved. Leave and check the list before you try again. " + screen.Explain(msg.err))
	case msg.err != nil:
		msg.form.Refuse(msg.err)
	default:
		m.Close()
		m.accounts.loaded, m.accounts.anchor = false, msg.account.ID
		text := msg.done + ": " + screen.OneLine(msg.account.Name)
		if len(msg.account.Warnings) > 0 {
			m.ShowError(text + ". " + strings.Join(msg.account.Warnings, " "))
			return
		}
		m.ShowNotice(text)
	}
}
