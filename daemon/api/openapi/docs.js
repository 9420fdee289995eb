// Opens /docs of a running daemon in Chromium, as a reader does: looks at the
// operations, opens one, enters an API key and makes a call. Prints what was seen
// as JSON and writes two pictures.
//
// usage: node docs.js CHROMIUM URL KEY DIRECTORY
const path = require("path");
const { withBrowser, watch, notes } = require("./browser.js");

const [, , chromium, base, key, pictures] = process.argv;

// seen is everything that the page should not have done or met, and what it shows.
const seen = { title: "", operations: [], examples: "", response: "", ...notes() };

const text = (page, selector) => page.$eval(selector, (e) => e.textContent.trim());

async function look(page) {
	await page.goto(base + "/docs", { waitUntil: "load" });
	await page.waitForSelector(".opblock-summary-description"); // when the page has read the document
	seen.title = await page.title();
	seen.operations = await page.$$eval(".opblock", (blocks) =>
		blocks.map((b) => ["method", "path", "description"].map((part) => b.querySelector(".opblock-summary-" + part).textContent.replaceAll("\u200b", "").trim()).join(" ")),
	);
	await page.screenshot({ path: path.join(pictures, "docs.png") });
}

// authorize enters the key where a reader does.
async function authorize(page) {
	await page.click(".auth-wrapper .authorize");
	await page.waitForSelector(".auth-container input");
	await page.type(".auth-container input", key);
	await page.click(".auth-container .authorize");
	await page.waitForSelector(".auth-container .modal-btn:not(.authorize).auth.button, .auth-btn-wrapper .btn-done");
	await page.click(".auth-btn-wrapper .btn-done");
}

// call opens an operation, shows what it says, and makes the call.
async function call(page) {
	const create = '[id$="-createPost"]';
	await page.click(create + " .opblock-summary-control");
	await page.waitForSelector(create + " .body-param__example, " + create + " .body-param .highlight-code");
	seen.examples = await text(page, create + " .opblock-body");
	const me = '[id$="-getMe"]';
	await page.click(me + " .opblock-summary-control");
	await page.waitForSelector(me + " .try-out__btn");
	await page.click(me + " .try-out__btn");
	await page.click(me + " .execute");
	await page.waitForSelector(me + " .live-responses-table .response-col_status");
	seen.response = await text(page, me + " .live-responses-table");
	await page.$eval(create, (e) => e.scrollIntoView());
	await page.screenshot({ path: path.join(pictures, "operation.png") });
}

async function main() {
	await withBrowser(chromium, async (browser) => {
		const page = await browser.newPage();
		await watch(page, base, seen);
		await look(page);
		await authorize(page);
		await call(page);
		await page.waitForNetworkIdle(); // a request that is in progress fails when the browser closes
	});
	console.log(JSON.stringify(seen));
}

main().catch((e) => {
	console.error(e);
	console.error(JSON.stringify(seen, null, 2));
	process.exit(1);
});
