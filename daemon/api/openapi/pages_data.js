// The posts and shares that pages.js looks at.

const day = 24 * 60 * 60 * 1000;

const script = '<img src=x onerror="alert(1)"><script>alert(2)</script><svg onload=alert(3)></svg>"\'><b onclick=alert(4)>';

// api returns a function that sends a request to the daemon, and fails unless it succeeds.
function api(base, key) {
	return async (method, route, body, headers = {}) => {
		const r = await fetch(base + "/api/v1" + route, {
			method,
			headers: { Authorization: `Bearer ${key}`, ...(body instanceof Buffer ? {} : { "Content-Type": "application/json" }), ...headers },
			body: body === undefined || body instanceof Buffer ? body : JSON.stringify(body),
		});
		const text = await r.text();
		if (!r.ok) throw Object.assign(new Error(`${method} ${route}: ${r.status} ${text}`), { status: r.status });
		return text && JSON.parse(text);
	};
}

// drawing returns a picture of the sun over a blue sea. Each width gives another file.
async function drawing(browser, width = 640) {
	const page = await browser.newPage();
	await page.setViewport({ width, height: 300 });
	await page.setContent('<body style="margin:0;background:linear-gradient(#fde9c4 60%,#2d6f9e 60%,#174566)"><div style="width:120px;height:120px;border-radius:50%;background:#f6a623;margin:40px auto">');
	const png = Buffer.from(await page.screenshot({ type: "png" }));
	await page.close();
	return png;
}

// fill makes what all checks look at.
async function fill(browser, base, key) {
	const workspace = await api(base, key)("POST", "/workspaces", { name: "Acme", timezone: "Europe/Berlin" });
	const author = api(base, workspace.secret);
	const made = await author("POST", "/api-keys", { name: "boss", scopes: ["posts:read", "posts:write", "posts:approve", "shares:write", "accounts:read"] });
	const boss = api(base, made.secret);
	const account = async (name) => (await author("POST", "/social-accounts", { platform: "feed", name })).social_account.id;
	const [blog, news] = [await account("blog"), await account("news")];

	const at = (days) => {
		const t = new Date(Date.now() + days * day);
		return new Date(Date.UTC(t.getUTCFullYear(), t.getUTCMonth(), t.getUTCDate(), 9)).toISOString();
	};
	const create = async (post) => (await author("POST", "/posts", { content: "Hello", social_account_ids: [blog], ...post })).post;
	const submit = async (p, days = 12) => (await author("POST", `/posts/${p.id}/submit`, { proposed_at: at(days) })).post;
	const world = {
		read: async (p) => (await author("GET", "/posts/" + p.id)).post,
		proposed: async (post, days) => submit(await create(post), days),
		series: async (name) => {
			const made = (await author("POST", "/series", { name, content: "Good morning", variants: ["A tip\u200b", "Another tip"], social_account_ids: [blog], timezone: "Europe/Berlin", start: at(2).slice(0, 11) + "09:00", rule: "FREQ=DAILY" })).series;
			return (await author("POST", `/series/${made.id}/submit`, { note: "For the summer" })).series;
		},
		readSeries: async (s) => (await author("GET", "/series/" + s.id)).series,
		change: async (p, fields) => {
			const changed = (await author("PATCH", "/posts/" + p.id, fields)).post;
			if (changed.approval?.state !== "pending") await submit(p);
		},
		share: async (fields) => {
			const s = await boss("POST", "/shares", { kind: "review", name: "Dana", ...fields });
			return { url: base + new URL(s.url).pathname, revoke: () => boss("DELETE", "/shares/" + s.share.id) };
		},
	};
	const upload = async (name, bytes) => (await author("POST", "/media?file_name=" + encodeURIComponent(name), bytes)).media_asset;
	const address = async (fields) => (await world.share(fields)).url;
	world.decide = await address({ can: "decide" });
	world.comment = await address({ can: "comment" });
	world.calendar = await address({ kind: "calendar" });
	// The post of the picture in the docs.
	const sea = await upload("sea.png", await drawing(browser));
	world.rich = await world.proposed({
		title: "The summer campaign",
		content: "Summer is here. Our new collection is in the shop from Tuesday on: https://example.com/summer\n\nFree shipping until Sunday.",
		labels: ["summer"],
		media: [{ id: sea.id, alt_text: "A drawing of the sun over a blue sea" }],
		social_account_ids: [blog, news],
	});
	await boss("POST", `/posts/${world.rich.id}/notes`, { text: "Legal has seen it." });

	// The calendar of the picture in the docs: the next month.
	const today = new Date();
	const date = (d) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, d, 8)).toISOString();
	const plans = { "Opening hours": 2, "New in the shop": 4, "Behind the scenes": 7, "Customer story": 11, "Meet the team": 11, "A look back": 16, "Weekend offer": 18, "A new recipe": 22, "Last call": 25 };
	for (const [title, d] of Object.entries(plans)) {
		await create({ title, content: title, labels: ["plan"], media: d === 7 ? [{ id: sea.id, alt_text: "The sea" }] : [], social_account_ids: d % 2 ? [blog, news] : [blog], publish_at: date(d) });
	}
	world.plan = `${await address({ kind: "calendar", name: "Client", filter: { labels: ["plan"] } })}?date=${date(1).slice(0, 10)}`;

	// Texts that would do something if they were HTML.
	const hostile = { title: script, content: script + ' javascript:alert(5) https://x.example/"onmouseover=alert(6)', labels: ["<b>x</b>"] };
	const files = [];
	for (const name of [script + ".png", "../../etc/passwd.png", "\u202egnp.exe", "a\r\nSet-Cookie: x=1.png"]) {
		files.push({ id: (await upload(name, await drawing(browser, 100 + files.length))).id, alt_text: script });
	}
	const attack = await world.proposed({ ...hostile, media: files }, 3);
	await boss("POST", `/posts/${attack.id}/notes`, { text: script });
	world.hostile = [world.decide, world.decide + "/" + attack.id, `${world.calendar}?view=week&date=${at(3).slice(0, 10)}`, `${world.calendar}?account=${encodeURIComponent(script)}`];
	world.svgStatus = await upload("a.svg", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(8)</script></svg>')).then(
		() => 200,
		(e) => e.status,
	);

	// Every kind of page.
	const decided = await world.proposed({ content: "Decided" });
	await boss("POST", `/posts/${decided.id}/request-changes`, { note: "A shorter text" }, { "If-Match": `"${decided.version}"` });
	const again = await world.proposed({ content: "The shop opens at 9 on Monday." });
	await boss("POST", `/posts/${again.id}/request-changes`, { note: "A shorter text" }, { "If-Match": `"${again.version}"` });
	await world.change(again, { content: "The shop opens at 10 on Monday." });
	const long = await world.proposed({ content: "A long thread", thread: Array.from({ length: 24 }, (_, i) => ({ content: `Part ${i} ` + "of many words ".repeat(300) })) });
	world.pages = {
		review: world.decide,
		"empty review": await address({ filter: { labels: ["unknown"] } }),
		post: world.decide + "/" + world.rich.id,
		"hostile post": world.decide + "/" + attack.id,
		"shortened post": world.decide + "/" + long.id,
		"long post": world.decide + "/" + long.id + "?all=1",
		"decided post": world.decide + "/" + decided.id,
		"post that changed": world.decide + "/" + again.id,
		series: world.decide + "/" + (await world.series("Tip of the day")).id,
		month: world.calendar,
		day: `${world.calendar}?view=day&date=${at(12).slice(0, 10)}`,
		week: world.calendar + "?view=week",
		agenda: world.calendar + "?view=agenda",
		"one account": world.calendar + "?account=blog",
		"unknown account": world.calendar + "?account=unknown",
		"calendar post": world.calendar + "/" + world.rich.id,
		"wrong address": base + "/s/wrong",
	};
	return world;
}

module.exports = { fill };
