// What the scripts docs.js and pages.js share: a Chromium that reaches only the daemon, and
// notes about everything that a page should not have done or met.
const fs = require("fs");
const os = require("os");
const path = require("path");
const puppeteer = require("puppeteer-core");

// The test that runs a script ends it when it hangs. Here nothing has a time limit: a
// busy machine may take minutes for any step.
const unlimited = 0;

// withBrowser calls use with a new Chromium, and closes it.
async function withBrowser(chromium, use) {
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), "schedctl-chromium-"));
	const browser = await puppeteer.launch({
		executablePath: chromium,
		userDataDir: profile,
		timeout: unlimited,
		protocolTimeout: unlimited,
		defaultViewport: { width: 1280, height: 1600 },
		// No name but the daemon's address can be resolved. Nothing is opened that
		// a sandbox would have to hold, and root has none.
		args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-dev-shm-usage", "--disable-gpu"],
	});
	try {
		await use(browser);
	} finally {
		await browser.close();
		fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

// notes returns an empty record for watch.
const notes = () => ({ outside: [], failed: [], complaints: [], dialogs: [] });

// watch notes requests that leave the daemon, requests that fail, dialogs, what the page
// complains of, and what its policy forbids. It removes the time limits of the page.
async function watch(page, base, seen) {
	page.setDefaultTimeout(unlimited);
	page.on("request", (r) => {
		if (!r.url().startsWith(base + "/") && !r.url().startsWith("data:")) seen.outside.push(r.url());
	});
	page.on("requestfailed", (r) => seen.failed.push(`${r.url()}: ${r.failure().errorText}`));
	page.on("response", (r) => {
		if (r.status() >= 400) seen.failed.push(`${r.url()}: ${r.status()}`);
	});
	page.on("console", (m) => {
		if (["error", "warn"].includes(m.type())) seen.complaints.push(`${m.text()} ${m.location()?.url ?? ""}`.trim());
	});
	page.on("pageerror", (e) => seen.complaints.push(String(e)));
	page.on("dialog", (d) => {
		seen.dialogs.push(d.message());
		d.dismiss();
	});
	await page.evaluateOnNewDocument(() => {
		document.addEventListener("securitypolicyviolation", (e) => console.error(`forbidden by ${e.violatedDirective}: ${e.blockedURI}`));
	});
}

module.exports = { withBrowser, watch, notes };
