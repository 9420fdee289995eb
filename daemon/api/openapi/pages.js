// Opens the pages of shares of a running daemon in Chromium, as people do who review posts:
// without JavaScript, by mouse, by keyboard and by what a screen reader is given. Checks every
// kind of page with axe-core. Prints the results of all checks as JSON, and writes the pictures
// of docs/review.md.
//
// usage: node pages.js CHROMIUM URL KEY DIRECTORY
const assert = require("assert").strict;
const path = require("path");
const axe = require("axe-core").source;
const { withBrowser, watch, notes } = require("./browser.js");
const { fill } = require("./pages_data.js");

const [, , chromium, base, key, pictures] = process.argv;

// reader is a person with a browser of their own, which runs no scripts.
class Reader {
	static async with(browser, { scripts = false } = {}) {
		const r = new Reader();
		r.context = await browser.createBrowserContext();
		r.page = await r.context.newPage();
		r.seen = notes();
		await watch(r.page, base, r.seen);
		await r.page.setJavaScriptEnabled(scripts);
		return r;
	}

	// open opens an address, and returns the status of its page.
	async open(url) {
		return (await this.page.goto(url, { waitUntil: "load" })).status();
	}

	text(selector = "body") {
		return this.page.$eval(selector, (e) => e.innerText);
	}

	has(selector) {
		return this.page.$(selector).then(Boolean);
	}

	// act does what leads to another page, and waits for it. It returns the status of that page.
	async act(does) {
		const [response] = await Promise.all([this.page.waitForNavigation({ waitUntil: "load" }), does()]);
		return response.status();
	}

	// point clicks where the element of a selector is. Puppeteer's own click needs scripts.
	async point(selector) {
		const [x, y] = await this.page.$eval(selector, (e) => {
			e.scrollIntoView({ block: "center" });
			const r = e.getClientRects()[0]; // of the first line
			return [r.x + r.width / 2, r.y + r.height / 2];
		});
		await this.page.mouse.click(x, y);
	}

	click(selector) {
		return this.act(() => this.point(selector));
	}

	// submit writes a text into a form, and sends it.
	async submit(action, text) {
		if (text) {
			await this.point(`#${action}`);
			await this.page.keyboard.type(text);
		}
		return this.click(`form:has([value="${action}"]) button`);
	}

	// refused sends a form without its token. The page then says that it was refused.
	async refused() {
		await this.page.$eval('form:has([value="comment"]) [name="form"]', (e) => (e.value = ""));
		assert.equal(await this.submit("comment", "typed"), 403);
		assert.ok(await this.has('[role="alert"]'));
	}

	// spoken returns what a screen reader says about an element.
	async spoken(selector) {
		const say = (n) => (n.role === "StaticText" ? n.name : (n.children ?? []).map(say).join(" "));
		return say(await this.page.accessibility.snapshot({ interestingOnly: false, root: await this.page.$(selector) })).replace(/\s+/g, " ");
	}

	// tabTo presses the tab key until the element has the focus, and returns how often.
	async tabTo(selector, most = 60) {
		for (let n = 1; n <= most; n++) {
			await this.page.keyboard.press("Tab");
			const [found, outlined] = await this.page.evaluate((s) => [document.activeElement.matches(s), getComputedStyle(document.activeElement).outlineStyle], selector);
			assert.notEqual(outlined, "none", "the element with the focus has no outline");
			if (found) return n;
		}
		assert.fail(`the tab key does not reach ${selector}`);
	}

	// quiet fails if the browser noticed anything except pages with these statuses, and the
	// missing icon that it asks for once.
	quiet(...statuses) {
		const expected = (f) => f.includes("/favicon.ico") || statuses.some((s) => f.endsWith(`: ${s}`) || f.includes(`status of ${s} `));
		for (const [what, list] of Object.entries(this.seen)) assert.deepEqual(list.filter((f) => !expected(f)), [], what);
	}

	// prefer sets what the reader looks at, screen or print, and the color scheme.
	async prefer(media, scheme) {
		this.session ??= await this.page.createCDPSession();
		await this.session.send("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: scheme }] });
	}

	close() {
		return this.context.close();
	}
}

// Each check gets a function that makes readers, and the world of pages_data.js. They are
// independent of each other, except that a check may decide about the posts that it makes.
const checks = {
	async approve(reader, world) {
		const [p, r] = [await world.proposed({ title: "To approve" }), await reader()];
		assert.equal(await r.open(world.decide), 200);
		await r.click(`a[href$="${p.id}"]`);
		assert.match(await r.text("button.yes"), /^Approve for \w+day \d+ \w+ \d{4}, \d\d:\d\d /);
		assert.equal(await r.submit("approve"), 200);
		assert.match(await r.text(), /Decided by\s+Dana/);
		assert.equal((await world.read(p)).status, "scheduled");
		await r.click("nav a");
		assert.ok(!(await r.text()).includes("To approve"), "the list still has the post");
		r.quiet();
	},

	async "request changes"(reader, world) {
		const [p, r] = [await world.proposed({}), await reader()];
		await r.open(world.decide + "/" + p.id);
		await r.point('form:has([value="changes"]) button'); // without a text
		assert.ok(await r.has("#changes:invalid:focus"), "the browser sends a form without a reason");
		assert.equal(await r.submit("changes", "Another picture, please"), 200);
		assert.match(await r.text(), /Another picture, please/);
		assert.equal((await world.read(p)).approval.state, "changes_requested");
		r.quiet();
	},

	// A boss reads a post on a phone, wants a change, and approves the changed post.
	async "on a phone"(reader, world) {
		const [p, r] = [await world.proposed({ title: "For the phone", content: "The shop opens at 9." }), await reader()];
		await r.page.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true });
		await r.open(world.decide);
		await r.act(() => r.page.tap(`a[href$="${p.id}"]`));
		assert.match(await r.text(), /The shop opens at 9\./);
		assert.equal(await r.submit("changes", "It is 10"), 200);
		await world.change(p, { content: "The shop opens at 10." });
		await r.open(world.decide + "/" + p.id);
		assert.match(await r.text(".changes"), /The shop opens at 9\.10\./);
		assert.match(await r.text(), /Dana \(with a share\) asked for changes on/);
		assert.equal(await r.submit("approve"), 200);
		assert.equal((await world.read(p)).status, "scheduled");
		assert.ok((await r.page.evaluate(() => document.scrollingElement.scrollWidth)) <= 360, "the page is wider than the phone");
		r.quiet();
	},

	async "a series"(reader, world) {
		const [s, r] = [await world.series("Every day"), await reader()];
		await r.open(world.decide);
		await r.click(`a[href$="${s.id}"]`);
		assert.match(await r.text(), /repeats daily at 9:00/);
		assert.match(await r.text(), /A tipU\+200B[^]*Another tip/);
		assert.ok(!(await r.has('[value="comment"]')), "a series has comments");
		assert.equal(await r.submit("approve"), 200);
		assert.match(await r.text(), /Decided by\s+Dana/);
		assert.equal((await world.readSeries(s)).approval.state, "approved");
		r.quiet();
	},

	async comment(reader, world) {
		const [p, r] = [await world.proposed({}), await reader()];
		await r.open(world.comment + "/" + p.id);
		assert.ok(!(await r.has('[value="approve"], [value="changes"]')), "a share that comments has forms of decisions");
		assert.equal(await r.submit("comment", "<b>Nice</b> & short"), 200);
		assert.ok(r.page.url().endsWith("#notes"), r.page.url());
		await r.page.reload({ waitUntil: "load" });
		assert.equal((await r.text("#notes")).split("<b>Nice</b> & short").length, 2, "the comment is shown once");
		r.quiet();
	},

	async "back and reload"(reader, world) {
		const [p, r] = [await world.proposed({}), await reader()];
		await r.open(world.decide + "/" + p.id);
		await r.submit("approve");
		await r.page.reload({ waitUntil: "load" });
		await r.page.goBack({ waitUntil: "load" });
		assert.match(await r.text(), /Decided by\s+Dana/);
		assert.ok(!(await r.has('[value="approve"]')), "the page before has forms that have no effect");
		assert.equal((await world.read(p)).status, "scheduled");
		r.quiet();
	},

	async "revoked meanwhile"(reader, world) {
		const [p, r, share] = [await world.proposed({}), await reader(), await world.share({ can: "decide" })];
		await r.open(share.url + "/" + p.id);
		await share.revoke();
		assert.equal(await r.submit("approve"), 404);
		assert.match(await r.text("h1"), /There is nothing here/);
		assert.equal(await r.open(share.url), 404);
		assert.equal((await world.read(p)).approval.state, "pending");
		r.quiet(404);
	},

	async "expired meanwhile"(reader, world) {
		const [p, r, share] = [await world.proposed({}), await reader(), await world.share({ can: "decide", expires_at: new Date(Date.now() + 2000).toISOString() })];
		const wrong = await reader();
		await wrong.open(base + "/s/wrong");
		while ((await r.open(share.url + "/" + p.id)) === 200);
		assert.equal(await r.text(), await wrong.text());
		r.quiet(404);
	},

	async "changed since"(reader, world) {
		const [p, r] = [await world.proposed({ content: "The first text" }), await reader()];
		await r.open(world.decide + "/" + p.id);
		await world.change(p, { content: "The second text" });
		assert.equal(await r.submit("changes", "typed for long"), 412);
		assert.match(await r.text('[role="alert"]'), /has changed since you opened it/);
		assert.match(await r.text(), /The second text/);
		assert.equal(await r.page.$eval("#changes", (e) => e.value), "typed for long");
		assert.equal((await world.read(p)).approval.state, "pending");
		assert.equal(await r.submit("changes"), 200);
		assert.equal((await world.read(p)).approval.note, "typed for long");
		r.quiet(412);
	},

	async "two people at once"(reader, world) {
		const [p, first, second] = [await world.proposed({}), await reader(), await reader()];
		for (const r of [first, second]) await r.open(world.decide + "/" + p.id);
		assert.equal(await first.submit("approve"), 200);
		assert.ok((await second.submit("changes", "too late")) >= 400);
		assert.match(await second.text('[role="alert"]'), /no longer waits|has changed/);
		assert.match(await second.text(), /Decided by\s+Dana/);
		assert.equal((await world.read(p)).status, "scheduled");
		first.quiet();
	},

	async "long post"(reader, world) {
		const r = await reader();
		await r.open(world.pages["shortened post"]);
		assert.ok(!(await r.has("button.yes")), "a post that is not shown whole can be approved");
		await r.click('.forms a[href="?all=1"]');
		assert.match(await r.text(), /Part 23 of many/);
		assert.ok(!(await r.text()).includes("Show everything"), "the whole page is shortened");
		assert.equal(await r.submit("approve"), 200);
		assert.match(await r.text(), /Decided by\s+Dana/);
		r.quiet();
	},

	async "keyboard only"(reader, world) {
		const [p, r] = [await world.proposed({}), await reader()];
		await r.open(world.decide);
		await r.tabTo(`a[href$="${p.id}"]`);
		await r.act(() => r.page.keyboard.press("Enter"));
		await r.tabTo("#comment");
		await r.page.keyboard.type("by keyboard");
		await r.tabTo('form:has([value="comment"]) button', 1);
		await r.act(() => r.page.keyboard.press("Enter"));
		assert.match(await r.text("#notes"), /by keyboard/);
		await r.tabTo("button.yes");
		await r.act(() => r.page.keyboard.press("Space"));
		assert.match(await r.text(), /Decided by\s+Dana/);
		r.quiet();
	},

	async "screen reader"(reader, world) {
		const r = await reader();
		await r.open(world.decide + "/" + world.rich.id);
		const names = {};
		const walk = (n) => {
			if (n.role !== "StaticText") (names[n.role] ??= []).push(n.name ?? "");
			for (const child of n.children ?? []) walk(child);
		};
		walk(await r.page.accessibility.snapshot({ interestingOnly: false }));
		for (const role of ["link", "button", "textbox", "heading", "image"]) {
			assert.ok(names[role]?.length > 0, `there is no ${role}`);
			assert.ok(names[role].every((n) => n.trim()), `a ${role} has no name: ${JSON.stringify(names[role])}`);
		}
		assert.deepEqual(names.textbox, ["What should change?", "Comment"]);
		assert.ok(names.button[0].startsWith("Approve for ") && names.button.includes("Request changes") && names.button.includes("Add the comment"), String(names.button));
		assert.deepEqual(names.image, ["A drawing of the sun over a blue sea"]);
		for (const role of ["main", "banner", "contentinfo", "navigation"]) assert.equal(names[role]?.length, 1, role);
		await r.open(world.pages["post that changed"]);
		assert.match(await r.spoken(".changes"), /The shop opens at \[removed: 9 \] \[added: 10 \] on Monday/);
		r.quiet();
	},

	async "every width"(reader, world) {
		const r = await reader();
		for (const width of [320, 768, 3840]) {
			await r.page.setViewport({ width, height: 800 });
			for (const [kind, url] of Object.entries(world.pages)) {
				await r.open(url);
				const wide = await r.page.evaluate(() => document.scrollingElement.scrollWidth);
				assert.ok(wide <= width, `${kind} is ${wide} pixels wide on a screen of ${width}`);
			}
		}
		r.quiet(404);
	},

	async "dark and print"(reader, world) {
		const r = await reader();
		const [ink, paper] = [(s) => getComputedStyle(s).color, (s) => getComputedStyle(s).backgroundColor].map((f) => () => r.page.$eval("html", f).then(light));
		for (const [kind, url] of Object.entries(world.pages)) {
			await r.prefer("screen", "dark");
			await r.open(url);
			assert.ok((await ink()) > 0.8 && (await paper()) < 0.2, `${kind} is not dark: ${await ink()} on ${await paper()}`);
			await r.prefer("print", "dark");
			assert.ok((await ink()) < 0.2 && (await paper()) > 0.9, `${kind} is not printed dark on white`);
			assert.ok(await r.page.$$eval(".forms, nav", (list) => list.every((e) => getComputedStyle(e).display === "none")), `${kind} is printed with forms`);
		}
		r.quiet(404);
	},

	// With scripts, and without the policy of the page: nothing in a text runs, even so.
	async "hostile texts"(reader, world) {
		const r = await reader({ scripts: true });
		await r.page.setBypassCSP(true);
		for (const url of world.hostile) {
			await r.open(url);
			assert.ok((await r.text()).includes("<img src=x onerror="), `${url} does not show the text`);
			for (const a of await r.page.$$eval("a, img, form, link", (list) => list.map((e) => e.href ?? e.src ?? location.href))) {
				assert.match(a, /^https?:/, "an address of another kind");
			}
			assert.ok(!(await r.has("script, iframe, object, embed, svg, base, [onerror], [onload], [style]")), "a text has become an element");
		}
		assert.ok(world.svgStatus >= 400, "an SVG file is accepted");
		r.quiet();
	},

	async "axe-core"(reader, world) {
		const r = await reader({ scripts: true }); // of axe-core only: the pages have none, and their policy forbids them
		const found = [];
		for (const scheme of ["light", "dark"]) {
			await r.prefer("screen", scheme);
			for (const [kind, url] of Object.entries(world.pages)) {
				await r.open(url);
				if (kind === "post that changed") await r.refused();
				await r.page.evaluate(axe);
				const { violations, passes } = await r.page.evaluate(() => axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
				assert.ok(passes.length > 5, "axe-core has checked nothing");
				for (const v of violations) found.push(`${kind}, ${scheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => n.html).join(" ")}`);
			}
		}
		assert.deepEqual(found, []);
		r.quiet(404, 403);
	},

	async pictures(reader, world) {
		const r = await reader();
		await r.page.setViewport({ width: 390, height: 844, isMobile: true });
		await r.open(world.decide + "/" + world.rich.id);
		await r.page.screenshot({ path: path.join(pictures, "review.png"), fullPage: true });
		assert.ok(await r.page.$eval("img", (e) => e.naturalWidth === 640), "the picture is not shown");
		await r.page.setViewport({ width: 1000, height: 600 });
		await r.open(world.plan);
		assert.ok(await r.page.$eval(".day img", (e) => e.naturalWidth === 240), "the thumbnail is not shown");
		await r.page.screenshot({ path: path.join(pictures, "calendar.png"), fullPage: true });
		r.quiet();
	},
};

// light returns how light a color of the form "rgb(r, g, b)" is, from 0 to 1.
const light = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, c) => sum + Number(c) / 3 / 255, 0);

async function main() {
	const results = {};
	await withBrowser(chromium, async (browser) => {
		const world = await fill(browser, base, key);
		for (const [name, check] of Object.entries(checks)) {
			const readers = [];
			const began = Date.now();
			try {
				await check(async (options) => readers[readers.push(await Reader.with(browser, options)) - 1], world);
				results[name] = { error: "" };
			} catch (e) {
				const where = readers.map((r) => r.page.url()).join(" ");
				results[name] = { error: `${e.stack ?? e}\nat ${where}` };
			}
			results[name].milliseconds = Date.now() - began;
			for (const r of readers) await r.close();
		}
	});
	console.log(JSON.stringify(results));
}

main().catch((e) => {
	console.error(e);
	process.exit(1);
});
