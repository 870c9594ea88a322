/** Shows the OpenAPI document that the same API serves. No option makes the page call another server. */
globalThis.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Otherwise the page may send the document's address to validator.swagger.io.
  validatorUrl: null,
});
