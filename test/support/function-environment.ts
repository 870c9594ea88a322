/**
 * Sets the variables that Lambda sets in every function. Import it before modules that create an SDK client when they
 * are loaded. No server listens at the endpoint.
 */
Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  URL_SUFFIX: "amazonaws.com",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
});
