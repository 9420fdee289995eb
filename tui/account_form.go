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
	then func(m *Model)
	err  error
}

// withPlatforms reads the platforms and then calls then.
func (m *Model) withPlatforms(then func(m *Model)) tea.Cmd {
	c := m.cfg.Client
	return m.call(func(ctx context.Context) tea.Msg {
		list, err := c.Platforms(ctx)
		return platformsMsg{list: list, then: then, err: err}
	})
}

func (m *Model) takePlatforms(msg platformsMsg) {
	switch {
	case msg.err != nil:
		m.showError(explain(msg.err))
	case m.dialog == nil && m.tab == tabAccounts:
		m.platforms = msg.list
		msg.then(m)
	}
}

// addAccount asks for the platform of a new account and then for its fields.
func (m *Model) addAccount() tea.Cmd {
	return m.withPlatforms(func(m *Model) {
		names := slices.Sorted(maps.Keys(m.platforms))
		var items []item
		for i, name := range names {
			items = append(items, item{label: oneLine(name), group: "platform", chosen: i == 0})
		}
		if len(items) == 0 {
			m.showError("the daemon offers no platforms to connect")
			return
		}
		m.dialog = newMenu(m.theme, "Connect an account on", items, func(m *Model, chosen []int) tea.Cmd {
			m.openForm(m.newAccountForm(names[chosen[0]]))
			return nil
		})
	})
}

// newAccountForm returns the form for a new account.
func (m *Model) newAccountForm(platform string) *form {
	p := m.platforms[platform]
	f := &form{title: "New account on " + oneLine(platform)}
	f.fields = append(f.fields, newField(m.theme, "name", "name", "A name for the account. Leave empty to use its user name.", ""))
	f.fields = append(f.fields, credentialFields(m.theme, p, true)...)
	f.fields = append(f.fields, optionFields(m.theme, p, nil)...)
	c := m.cfg.Client
	f.send = func(m *Model, f *form) tea.Cmd {
		body := apiv1.AddAccount{Platform: platform, Name: f.fields[0].value(), Credentials: f.credentials(), Options: f.options()}
		return f.call(m, "connected", func(ctx context.Context) (apiv1.Account, error) { return c.AddAccount(ctx, body) })
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
	return m.withPlatforms(func(m *Model) { m.openForm(m.accountForm(a)) })
}

func (m *Model) accountForm(a apiv1.Account) *form {
	p := m.platforms[a.Platform]
	f := &form{title: "Edit " + oneLine(a.Name) + " on " + oneLine(a.Platform)}
	f.fields = append(f.fields, newField(m.theme, "name", "name", "A name for the account.", a.Name))
	f.fields[0].required = true
	f.fields = append(f.fields, optionFields(m.theme, p, a.Options)...)
	f.fields = append(f.fields, credentialFields(m.theme, p, false)...)
	c := m.cfg.Client
	f.send = func(m *Model, f *form) tea.Cmd {
		body := apiv1.EditAccount{Credentials: f.credentials(), Options: f.options()}
		if name := f.fields[0]; name.changed() {
			value := name.value()
			body.Name = &value
		}
		if body.Name == nil && body.Credentials == nil && body.Options == nil {
			m.dialog = nil
			m.showNotice("nothing changed")
			return nil
		}
		return f.call(m, "saved", func(ctx context.Context) (apiv1.Account, error) { return c.EditAccount(ctx, a.ID, body) })
	}
	return f
}

// credentialFields returns the fields for the credentials of a platform. The
// credentials of an existing account are not shown; they can only be replaced.
func credentialFields(t theme, p apiv1.PlatformEntry, isNew bool) (fields []formField) {
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
func optionFields(t theme, p apiv1.PlatformEntry, have map[string]any) (fields []formField) {
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
func (f *form) credentials() map[string]string {
	var out map[string]string
	for i := range f.fields {
		if name, is := strings.CutPrefix(f.fields[i].name, "credentials."); is && f.fields[i].value() != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = f.fields[i].value()
		}
	}
	return out
}

// options returns the changed options, or nil. The value of an emptied option is
// nil, which resets it to its default.
func (f *form) options() map[string]any {
	var out map[string]any
	for i := range f.fields {
		if name, is := strings.CutPrefix(f.fields[i].name, "options."); is && f.fields[i].changed() {
			if out == nil {
				out = map[string]any{}
			}
			if out[name] = nil; f.fields[i].value() != "" {
				out[name] = f.fields[i].value()
			}
		}
	}
	return out
}

// call sends the form.
func (f *form) call(m *Model, done string, send func(ctx context.Context) (apiv1.Account, error)) tea.Cmd {
	seq := f.seq
	return m.call(func(ctx context.Context) tea.Msg {
		a, err := send(ctx)
		msg := formMsg{seq: seq, id: a.ID, done: done + ": " + oneLine(a.Name), err: err}
		if len(a.Warnings) > 0 {
			msg.done, msg.bad = msg.done+". "+strings.Join(a.Warnings, " "), true
		}
		return msg
	})
}
