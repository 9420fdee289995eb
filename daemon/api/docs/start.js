// Shows the OpenAPI document of the daemon that served this page. Nothing is
// loaded from anywhere else, and the API key is forgotten with the page.
// Requests go to where the page came from, also below the path of a proxy.
fetch("openapi.json")
	.then((response) => response.json())
	.then((spec) => {
		spec.servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
		SwaggerUIBundle({
			spec,
			dom_id: "#docs",
			presets: [SwaggerUIBundle.presets.apis],
			layout: "BaseLayout",
			deepLinking: true,
			displayRequestDuration: true,
			filter: true,
			defaultModelsExpandDepth: 0,
			validatorUrl: null,
		});
	})
	.catch((e) => {
		document.getElementById("docs").textContent = `The API document cannot be shown: ${e}`;
	});
