// Shows the OpenAPI document of the daemon that served this page. Nothing is
// loaded from anywhere else, and the API key is forgotten with the page.
SwaggerUIBundle({
	url: "openapi.json",
	dom_id: "#docs",
	presets: [SwaggerUIBundle.presets.apis],
	layout: "BaseLayout",
	deepLinking: true,
	displayRequestDuration: true,
	filter: true,
	defaultModelsExpandDepth: 0,
	validatorUrl: null,
});
