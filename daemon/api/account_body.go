package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// addAccount is the body of POST /social-accounts.
type addAccount struct {
	platform string
	usecase.AccountSettings
}

func readAddAccount(d *decoder) addAccount {
	b := readAs[apiv1.AddAccount, struct {
		Platform string `json:"platform"`
		apiv1.EditAccount
	}](d)
	return addAccount{b.Platform, accountSettings(b.EditAccount)}
}

// readEditAccount reads the body of PATCH /social-accounts/{id}.
func readEditAccount(d *decoder) usecase.AccountSettings {
	return accountSettings(read[apiv1.EditAccount](d))
}

func accountSettings(b apiv1.EditAccount) usecase.AccountSettings {
	return usecase.AccountSettings{Name: b.Name, Credentials: b.Credentials, AppOf: b.AppOf, Options: b.Options, Existing: schedctl.Existing(b.Existing)}
}
