package api

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// check checks a text that was read, adds faults, and returns the text to use.
type check func(d *decoder, v *value, text string) string

// checks are the rules about texts, by type and field, or by field alone. The other texts
// only have enums, or are checked by package schedctl.
var checks = map[string]check{
	"CreateAPIKey.name": checkName, "CreateCalendarFeed.name": checkName, "CreateShare.name": checkName, "CreateWorkspace.name": checkName,
	"CreateNotification.review_link": checkHookName, "EditNotification.review_link": checkHookName,
	"CreateNotification.name": checkHookName, "CreateWebhook.name": checkHookName, "EditNotification.name": checkHookName, "EditWebhook.name": checkHookName,
	"CreateAPIKey.approval": checkKnown, "CreateAPIKey.kind": checkKnown, "EditWorkspace.approvals": checkPolicy, "mode": unchecked, "visibility": unchecked,

	"CreateBlackout.from": checkLocal, "CreateBlackout.to": checkLocal, "EditBlackout.from": checkLocal, "EditBlackout.to": checkLocal,
	"exdates": checkLocal, "occurrence": checkLocal, "start": checkLocal,
	"CreateWorkspace.timezone": checkZone, "at": checkClock, "gap": checkGap,

	"CreateSeries.queue_id": idCheck(""), "EditSeries.queue_id": idCheck(""), "EditSource.queue_id": idCheck(""), "queue_id": checkQueueID, "replaces": checkPostID,
	"Override.social_account_id": idCheck(adviseAccount), "PostMedia.id": idCheck(adviseAsset), "image": idCheck(adviseAsset), "media_asset_ids": idCheck(adviseAsset),
	"post_ids": idCheck(""), "social_account_ids": idCheck(""), "target_ids": idCheck(""),

	"Override.content": checkOwnContent, "content": tidyText, "SetSnippet.text": tidyText, "variants": tidyText, "alt_text": checkAltText, "external_id": checkExternalID, "label": checkLabel, "labels": checkLabel, "LinkCard.title": unchecked, "title": checkTitle,
	"CreateUpload.file_name": checkBytes, "CreateUploadLink.file_name": checkBytes, "CreateUpload.mime_type": checkBytes, "MediaFromURL.url": checkBytes,
	"CreateWebhook.url": checkEndpoint, "EditWebhook.url": checkEndpoint, "approved_by": checkPullRequest, "secret": checkSecret,
	"EmailSettings.from": addressCheck(fullAddress), "EmailSettings.to": addressCheck(bareAddress),
	"source": unchecked, "commit": unchecked,
	"CreateSource.name": checkName, "EditSource.name": checkName, "CreateSource.url": checkEndpoint, "EditSource.url": checkEndpoint, "SourceItemImage.url": checkEndpoint,
	"interval": checkGap, "delay": checkGap, "template": checkFilled, "include": checkBytes, "exclude": checkBytes, "categories": checkBytes, "authors": checkBytes,
	"title_regex": checkBytes, "SourceOverride.social_account_id": idCheck(adviseAccount), "CreateSource.image": checkEnum, "EditSource.image": checkEnum,
	"CreateSource.mode": checkEnum, "EditSource.mode": checkEnum, "SourceHeader.name": checkBytes, "SourceHeader.value": checkBytes,
	"SendSourceItem.external_id": checkFilled, "SendSourceItem.title": checkFilled, "summary": checkBytes, "link": checkBytes, "tags": checkBytes, "author": checkBytes, "alt": checkBytes,
	"host": checkHost, "password": checkMailText, "username": checkMailText,
}

func unchecked(_ *decoder, _ *value, text string) string { return text }

func checkEnum(d *decoder, v *value, text string) string {
	if v.enum != nil && !slices.Contains(v.enum, text) {
		d.wrong(v.code, "must be one of %s", joinAll(v.enum, ", "))
	}
	return text
}

// checkKnown is checkEnum with another message.
func checkKnown(d *decoder, v *value, text string) string {
	if !slices.Contains(v.enum, text) {
		d.fault(v.code, "unknown value %q; use %s", clip(text, maxName), joinAll(v.enum, " or "))
	}
	return text
}

func checkPolicy(d *decoder, v *value, text string) string {
	if !slices.Contains(v.enum, text) {
		d.wrong(v.code, "must be off, agents or all")
	}
	return text
}

// checkName checks a name that a person chose. It follows the rules for account names.
func checkName(d *decoder, _ *value, text string) string {
	if err := schedctl.CheckAccountName(text); err != nil {
		e := asError(err)
		d.fault(e.Code, "%s", e.Message)
	}
	return text
}

func checkHookName(d *decoder, v *value, text string) string {
	n := int64(utf8.RuneCountInString(text))
	switch {
	case n < v.least || n > v.most:
		d.fault(v.code, "the name has %d characters; use %d to %d, or null for none", n, v.least, v.most)
	case strings.ContainsFunc(text, unicode.IsControl):
		d.fault(v.code, "the name holds a control character; use printable characters")
	case strings.TrimSpace(text) != text:
		d.fault(v.code, "the name starts or ends with white space; remove it")
	}
	return text
}

// maxZone is longer than any name in the IANA database.
const maxZone = 64

// checkZone checks the name of a time zone in the IANA database. [time.LoadLocation]
// accepts the empty name as UTC and "Local" as the machine's zone.
func checkZone(d *decoder, v *value, text string) string {
	known := text != "" && text != "Local" && len(text) <= maxZone
	if known {
		_, err := time.LoadLocation(text)
		known = err == nil
	}
	if !known {
		d.fault(v.code, "unknown time zone %q; use an IANA name such as Europe/Rome or UTC", clip(text, maxZone))
	}
	return text
}

// checkLocal checks a local time without a zone.
func checkLocal(d *decoder, v *value, text string) string {
	local, err := schedctl.ParseLocalTime("", text)
	if err != nil {
		d.wrong(v.code, "must be a local time such as 2026-12-08T09:00, without a zone")
	}
	return string(local)
}

// checkClock checks a time of day in the form 09:00.
func checkClock(d *decoder, v *value, text string) string {
	if t, err := time.Parse("15:04", text); err != nil || t.Format("15:04") != text {
		d.wrong(v.code, "must be a time of day from 00:00 to 23:59, such as 09:00")
	}
	return text
}

// checkGap checks a duration in whole seconds.
func checkGap(d *decoder, v *value, text string) string {
	gap, err := time.ParseDuration(text)
	if err != nil || gap < 0 || gap > schedctl.MaxQueueGap || gap%time.Second != 0 {
		d.wrong(v.code, "must be a duration from 0s to 24h in whole seconds, such as 30m")
	}
	return text
}

// maxID is too long for an id.
const maxID = 64

// idCheck returns the check of an id. Responses do not repeat an id that is too long. With
// advice, an empty one is a fault, too.
func idCheck(advice string) check {
	return func(d *decoder, v *value, text string) string {
		switch {
		case len(text) > maxID:
			d.wrong(v.code, "is too long for an id")
		case text == "" && advice != "":
			d.wrong(v.code, "is empty; %s", advice)
		}
		return text
	}
}

func checkQueueID(d *decoder, v *value, text string) string {
	if _, valid := schedctl.ParseID(schedctl.QueuePrefix, text); !valid {
		d.wrong(v.code, "is not the id of a queue; list them with GET %s/queues", prefix)
	}
	return text
}

func checkPostID(d *decoder, v *value, text string) string {
	if _, valid := schedctl.ParseID(schedctl.PostPrefix, text); !valid {
		d.wrong(v.code, "is not the id of a post")
	}
	return text
}

// tidyText makes a text as posts have it. It checks nothing.
func tidyText(_ *decoder, _ *value, text string) string { return schedctl.TidyText(text) }

func checkOwnContent(d *decoder, v *value, text string) string {
	if text = schedctl.TidyText(text); text == "" {
		d.wrong(v.code, "is empty; write at least one visible character, or null for that of the post")
	}
	return text
}

func checkAltText(d *decoder, _ *value, text string) string {
	return d.checked(text, schedctl.CheckAltText(d.path(), text))
}

func checkExternalID(d *decoder, _ *value, text string) string {
	return d.checked(text, schedctl.CheckClientExternalID(text))
}

func checkLabel(d *decoder, _ *value, text string) string {
	return d.checked(text, schedctl.CheckLabel(d.path(), text))
}

func checkTitle(d *decoder, _ *value, text string) string {
	text = strings.TrimSpace(text)
	return d.checked(text, schedctl.CheckTitle(text))
}

// checked adds an error about a text as a fault.
func (d *decoder) checked(text string, err error) string {
	if err != nil {
		d.refuse(err)
	}
	return text
}

func checkBytes(d *decoder, v *value, text string) string {
	if int64(len(text)) > v.most {
		d.wrong(v.code, "has more than %d bytes", v.most)
	}
	return text
}

func checkFilled(d *decoder, v *value, text string) string {
	if int64(len(text)) < v.least {
		d.wrong(v.code, "is empty; write at least one character")
	}
	return checkBytes(d, v, text)
}

func checkPullRequest(d *decoder, v *value, text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || int64(len(text)) > v.most {
		d.wrong(v.code, "must be the address of a pull request, at most %d bytes, such as https://github.com/me/posts/pull/7", v.most)
	}
	return text
}

// checkEndpoint checks a URL that the outbound policy has to allow.
func checkEndpoint(d *decoder, v *value, text string) string {
	address, err := parseEndpoint(text, d.policy)
	if err != nil {
		d.fault(v.code, "%v", err)
	}
	return address
}

// parseEndpoint returns the normalized URL of a webhook. Its errors are shown to users
// and do not contain the URL, which may be a secret.
func parseEndpoint(text string, policy outbound.Policy) (string, error) {
	u, err := outbound.ParseURL(text)
	if err != nil {
		return "", err
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return u.String(), policy.CheckHost(u.Hostname())
}

// checkSecret checks the secret of a webhook that the receiver already has. Error messages
// do not contain it.
func checkSecret(d *decoder, v *value, text string) string {
	if _, err := signing.ParseSecret(text); err != nil {
		d.fault(v.code, "%v; leave it out to have one made", err)
	}
	return text
}

// checkMailText checks a username or a password. Its messages do not contain the value.
func checkMailText(d *decoder, v *value, text string) string {
	switch {
	case int64(len(text)) > v.most:
		d.fault(v.code, "the %s has %d bytes; at most %d are allowed", v.name, len(text), v.most)
	case strings.ContainsFunc(text, unicode.IsControl):
		d.fault(v.code, "the %s contains a control character; use printable characters", v.name)
	}
	return text
}

var hostPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.?$`)

func isHostName(name string) bool {
	return len(strings.TrimSuffix(name, ".")) <= 253 && hostPattern.MatchString(name)
}

// checkHost checks the host name or IP address of a mail server.
func checkHost(d *decoder, v *value, text string) string {
	host := strings.ToLower(text)
	if _, err := netip.ParseAddr(host); err != nil && !isHostName(host) {
		d.fault(v.code, "the host is not a valid host name; write it without a port, such as smtp.example.com")
	} else if err := d.policy.CheckHost(host); err != nil {
		d.fault(v.code, "%v", err)
	}
	return host
}

func bareAddress(a *mail.Address) string { return a.Address }

// fullAddress returns the address with its name, if it has one.
func fullAddress(a *mail.Address) string {
	if a.Name == "" {
		return a.Address
	}
	return a.String()
}

// addressCheck returns the check of an e-mail address, which it changes to a form.
func addressCheck(form func(*mail.Address) string) check {
	return func(d *decoder, v *value, text string) string {
		a, err := parseMailAddress(text, v.most)
		if err != nil {
			d.fault(v.code, "%v", err)
			return ""
		}
		return form(a)
	}
}

func parseMailAddress(text string, most int64) (*mail.Address, error) {
	if int64(len(text)) > most {
		return nil, fmt.Errorf("the e-mail address has %d bytes; at most %d are allowed", len(text), most)
	}
	a, err := mail.ParseAddress(text)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("the e-mail address is not valid; it looks like ops@example.com")
	}
	return a, nil
}
