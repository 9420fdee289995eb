package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		m.ShowError(explain(msg.err))
	case m.dialog == nil && m.tab == tabAccounts:
		m.platforms = msg.list
		msg.then()
	}
}

// addAccount asks for the platform of a new account and then for its fields.
func (m *Model) addAccount() tea.Cmd {
	return m.withPlatforms(func() {
		names := slices.Sorted(maps.Keys(m.platforms))
		var items []Item
		for i, name := range names {
			items = append(items, Item{Label: oneLine(name), Group: "platform", Chosen: i == 0})
		}
		if len(items) == 0 {
			m.ShowError("the daemon offers no platforms to connect")
			return
		}
		m.Open(NewMenu(m.Theme, "Connect an account on", items, func(chosen []int) tea.Cmd {
			OpenForm(m, m.newAccountForm(names[chosen[0]]))
			return nil
		}))
	})
}

// newAccountForm returns the form for a new account.
func (m *Model) newAccountForm(platform string) *Form {
	p := m.platforms[platform]
	f := &Form{Title: "New account on " + oneLine(platform)}
	f.Fields = append(f.Fields, newField(m.Theme, "name", "name", "A name for the account. Leave empty to use its user name.", ""))
	f.Fields = append(f.Fields, credentialFields(m.Theme, p, true)...)
	f.Fields = append(f.Fields, optionFields(m.Theme, p, nil)...)
	c := m.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.AddAccount{Platform: platform, Name: f.Fields[0].value(), Credentials: credentials(f), Options: changedOptions(f)}
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
	return m.withPlatforms(func() { OpenForm(m, m.accountForm(a)) })
}

func (m *Model) accountForm(a apiv1.Account) *Form {
	p := m.platforms[a.Platform]
	f := &Form{Title: "Edit " + oneLine(a.Name) + " on " + oneLine(a.Platform)}
	f.Fields = append(f.Fields, newField(m.Theme, "name", "name", "A name for the account.", a.Name))
	f.Fields[0].required = true
	f.Fields = append(f.Fields, optionFields(m.Theme, p, a.Options)...)
	f.Fields = append(f.Fields, credentialFields(m.Theme, p, false)...)
	c := m.Client()
	f.Send = func() tea.Cmd {
		body := apiv1.EditAccount{Credentials: credentials(f), Options: changedOptions(f)}
		if name := f.Fields[0]; name.changed() {
			value := name.value()
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
func credentialFields(t theme, p apiv1.PlatformEntry, isNew bool) (fields []FormField) {
	for _, c := range p.Credentials {
		f := newField(t, "credentials."+c.Name, c.Name, c.About, "")
		switch {
		case !isNew:
			f.input.Placeholder = "unchanged"
			f.about = c.About + ". To replace the credentials, enter all of them."
		case c.Required:
			f.required, f.input.Placeholder = true, "required"
		default:
			f.input.Placeholder = "optional"
		}
		if c.Secret {
			f.conceal()
		}
		fields = append(fields, f)
	}
	return fields
}

// optionFields returns the fields for the options of a platform.
func optionFields(t theme, p apiv1.PlatformEntry, have map[string]any) (fields []FormField) {
	for _, o := range p.Options {
		f := newField(t, "options."+o.Name, o.Name, o.About, optionText(have[o.Name]))
		f.input.Placeholder = "default"
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
func credentials(f *Form) map[string]string {
	var out map[string]string
	for i := range f.Fields {
		if name, is := strings.CutPrefix(f.Fields[i].name, "credentials."); is && f.Fields[i].value() != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = f.Fields[i].value()
		}
	}
	return out
}

// changedOptions returns the changed options, or nil. The value of an emptied option is
// nil, which resets it to its default.
func changedOptions(f *Form) map[string]any {
	var out map[string]any
	for i := range f.Fields {
		if name, is := strings.CutPrefix(f.Fields[i].name, "options."); is && f.Fields[i].changed() {
			if out == nil {
				out = map[string]any{}
			}
			if out[name] = nil; f.Fields[i].value() != "" {
				out[name] = f.Fields[i].value()
			}
		}
	}
	return out
}

// accountSavedMsg is the response to a form.
type accountSavedMsg struct {
	form    *Form
	done    string // what was done, for example: connected
	account apiv1.Account
	err     error
}

// sendForm sends the values of a form.
func (m *Model) sendForm(f *Form, done string, send func(ctx context.Context) (apiv1.Account, error)) tea.Cmd {
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
	case noResponse(msg.err):
		m.accounts.loaded = false
		msg.form.Fail("no response: the account may be saved. Leave and check the list before you try again. " + explain(msg.err))
	case msg.err != nil:
		msg.form.Refuse(msg.err)
	default:
		m.Close()
		m.accounts.loaded, m.accounts.anchor = false, msg.account.ID
		text := msg.done + ": " + oneLine(msg.account.Name)
		if len(msg.account.Warnings) > 0 {
			m.ShowError(text + ". " + strings.Join(msg.account.Warnings, " "))
			return
		}
		m.ShowNotice(text)
	}
}
