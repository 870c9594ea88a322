import { describe, expect, it } from "@jest/globals";
import { readStartSettings } from "../../../../infra/local/start/start-settings.ts";

describe("the settings of npm start", () => {
  it("are defaults without variables, and with empty ones", () => {
    const defaults = {
      context: {},
      isReloading: true,
      cloud: {
        port: 3000,
        dataDirectory: "/checkout/.local/data",
        claimNames: { organization: "org_id", role: "org_role" },
      },
    };
    expect(readStartSettings({}, "/checkout")).toEqual(defaults);
    expect(
      readStartSettings({ PORT: "", LOCAL_DATA_DIR: "", DYNAMODB_ENDPOINT: "", RETENTION_DAYS: "" }, "/checkout"),
    ).toEqual(defaults);
  });

  it("come from the variables", () => {
    const variables = {
      PORT: "4000",
      LOCAL_DATA_DIR: "data",
      DYNAMODB_ENDPOINT: "http://127.0.0.1:8000/",
      ROLE_CLAIM: "o.rol",
      PROVIDER_API_URL: "http://127.0.0.1:12111",
      PROVIDER_OAUTH_CLIENT_ID: "ca_1",
      PROVIDER_OAUTH_SECRET: "s",
      PROVIDER_PLATFORM_WEBHOOK_SECRET: '["whsec_1","whsec_2"]',
      ISSUER_REFRESH_TOKENS: "keep",
      RELOAD: "off",
    };
    expect(readStartSettings(variables, "/checkout")).toEqual({
      context: { roleClaim: "o.rol" },
      isReloading: false,
      cloud: {
        port: 4000,
        dataDirectory: "/checkout/data",
        claimNames: { organization: "org_id", role: "o.rol" },
        isIssuerRotating: false,
        dynamodbEndpoint: "http://127.0.0.1:8000",
        providerApiUrl: "http://127.0.0.1:12111",
        providerOauth: { clientId: "ca_1", secret: "s" },
        platformWebhookSecret: '["whsec_1","whsec_2"]',
      },
    });
  });

  it("include the simulator's rate limit", () => {
    const variables = { PROVIDER_RATE_LIMIT: "25" };
    expect(readStartSettings(variables, "/checkout").cloud).toMatchObject({ providerRateLimit: 25 });
    const given = { "--provider-rate-limit": "9" };
    expect(readStartSettings(variables, "/checkout", given).cloud).toMatchObject({ providerRateLimit: 9 });
    const wrong = () => readStartSettings(variables, "/checkout", { "--provider-rate-limit": "0" });
    expect(wrong).toThrow('the option --provider-rate-limit is "0": expected a whole number from 1 to 100000');
  });

  it.each([
    [{ PORT: "0" }, 'PORT is "0": expected a whole number from 1 to 65535'],
    [{ RELOAD: "no" }, 'RELOAD is "no": expected on or off'],
    [{ ISSUER_REFRESH_TOKENS: "no" }, 'ISSUER_REFRESH_TOKENS is "no": expected rotate or keep'],
    [{ PORT: "80.5" }, 'PORT is "80.5": expected a whole number from 1 to 65535'],
    [{ DYNAMODB_ENDPOINT: "ftp://127.0.0.1" }, 'DYNAMODB_ENDPOINT is "ftp://127.0.0.1": expected a URL such as'],
    [{ PROVIDER_API_URL: "stripe" }, 'PROVIDER_API_URL is "stripe": expected a URL such as'],
    [
      { PROVIDER_OAUTH_CLIENT_ID: "ca_1" },
      "PROVIDER_OAUTH_SECRET is missing: PROVIDER_OAUTH_CLIENT_ID is set, give both or neither",
    ],
    [
      { PROVIDER_OAUTH_SECRET: "s" },
      "PROVIDER_OAUTH_CLIENT_ID is missing: PROVIDER_OAUTH_SECRET is set, give both or neither",
    ],
    [
      { PROVIDER_PLATFORM_WEBHOOK_SECRET: "[whsec_1" },
      "PROVIDER_PLATFORM_WEBHOOK_SECRET is malformed: expected a secret, or a JSON list",
    ],
    [{ PROVIDER_RATE_LIMIT: "many" }, 'PROVIDER_RATE_LIMIT is "many": expected a whole number from 1 to 100000'],
    [
      { PROVIDER_RATE_LIMIT: "25", PROVIDER_API_URL: "http://127.0.0.1:12111" },
      "PROVIDER_RATE_LIMIT limits the simulator, and PROVIDER_API_URL replaces it: set one of them",
    ],
    [{ RETENTION_DAYS: "0" }, 'RETENTION_DAYS is "0": expected a whole number from 1 to 3650'],
    [{ SYNC_INTERVAL_HOURS: "4h" }, 'SYNC_INTERVAL_HOURS is "4h": expected a whole number from 1 to 168'],
    [{ ALERT_THRESHOLD: "severe" }, 'ALERT_THRESHOLD is "severe": expected low, medium, high or critical'],
    [{ ROLE_MAPPING: "owner=admin" }, 'ROLE_MAPPING is "owner=admin": expected a JSON object'],
    [{ ORGANIZATION_CLAIM: "x".repeat(257) }, "expected the name of a claim"],
  ])("refuse %j in one sentence that calls it an environment variable", (variables, message) => {
    expect(() => readStartSettings(variables, "/checkout")).toThrow(message);
    expect(() => readStartSettings(variables, "/checkout")).toThrow(/^the environment variable [^\n]+$/);
  });

  it("do not print a secret that is malformed", () => {
    expect(() => readStartSettings({ PROVIDER_PLATFORM_WEBHOOK_SECRET: "[wh0" }, "/checkout")).not.toThrow(/wh0/);
  });
});
