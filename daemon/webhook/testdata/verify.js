// Verifies calls with the reference library of Standard Webhooks, which is in the
// node_modules of the directory given. Standard input is a JSON list of
// {secret, headers, body}; for each one standard output says whether it is
// accepted, and why not, or what was read.
const { Webhook } = require(require.resolve("standardwebhooks", { paths: [process.argv[2]] }));

function verify({ secret, headers, body }) {
	try {
		return { accepted: true, event: new Webhook(secret).verify(body, headers) };
	} catch (error) {
		return { accepted: false, error: `${error.name}: ${error.message}` };
	}
}

const calls = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls.map(verify)));
