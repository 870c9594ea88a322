/**
 * The local cloud's page has a button for a token. Its issuer, the only other server that the page may call, gives anybody one.
 * The token has a place when the document is loaded.
 */
const offerToken = () => {
  const button = document.getElementById("as-ada");
  if (button === null) return;
  button.addEventListener("click", async () => {
    const claims = { organizationId: "demo", role: "admin", userId: "ada" };
    const response = await fetch(`${button.dataset.issuer}/token`, { method: "POST", body: JSON.stringify(claims) });
    const { access_token: token } = await response.json();
    ui.preauthorizeApiKey("bearer", token);
    button.textContent = "Requests are sent as ada of demo, for an hour";
  });
  button.disabled = false;
};

/** Shows the OpenAPI document that the same API serves. No option makes the page call another server. */
const ui = globalThis.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Otherwise the page may send the document's address to validator.swagger.io.
  validatorUrl: null,
  onComplete: offerToken,
});
