import "../../support/function-environment.ts";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { quietLog } from "../../support/quiet-log.ts";

const required = {
  SECURITY_EVENTS_TABLE_NAME: "events",
  SECURITY_ROLLUPS_TABLE_NAME: "rollups",
  SECURITY_ALERTS_TABLE_NAME: "alerts",
  CIRCUITS_TABLE_NAME: "circuits",
  CONNECTIONS_TABLE_NAME: "connections",
  SYNC_RUNS_TABLE_NAME: "runs",
  DETECTION_TABLE_NAME: "detection",
  SETTINGS_TABLE_NAME: "settings",
  EVENT_BUS_NAME: "bus",
  RETENTION_DAYS: "30",
  SECURITY_LOG_LEVEL: "LOW",
  ALERT_THRESHOLD: "HIGH",
};

const environment = { ...process.env };
beforeEach(() => {
  process.env = { ...environment, ...required };
});
afterEach(() => {
  process.env = environment;
});

const wire = async (variables: Record<string, string> = {}) => {
  Object.assign(process.env, variables);
  const { wireProviderAccess } = await import("../../../shared/wiring/provider.ts");
  return wireProviderAccess();
};

quietLog();

describe("the provider access of a deployed function", () => {
  it.each([
    [{}, false],
    [
      { PROVIDER_API_URL: "", PROVIDER_AUTHORIZE_URL: "", PROVIDER_OAUTH_CLIENT_ID: "", PROVIDER_OAUTH_SECRET_ARN: "" },
      false,
    ],
    [{ PROVIDER_OAUTH_CLIENT_ID: "ca_1", PROVIDER_OAUTH_SECRET_ARN: "" }, false],
    [{ PROVIDER_OAUTH_SECRET_ARN: "arn" }, false],
    [
      { PROVIDER_API_URL: "http://127.0.0.1:1/p", PROVIDER_OAUTH_CLIENT_ID: "ca_1", PROVIDER_OAUTH_SECRET_ARN: "arn" },
      true,
    ],
  ] as [Record<string, string>, boolean][])(
    "has OAuth only with both of the platform's credentials: case %#",
    async (variables, hasOAuth) => {
      const exchange = (await wire(variables)).exchangeCode("ac_1", { organizationId: "o", source: "user" });
      // With OAuth the call continues, and fails at the store, which this test cannot reach.
      await expect(exchange).rejects.toMatchObject(
        hasOAuth ? { code: expect.not.stringMatching("oauth_not_configured") } : { code: "oauth_not_configured" },
      );
    },
  );

  it("does not start with an invalid URL", async () => {
    await expect(wire({ PROVIDER_API_URL: "ftp://provider.example" })).rejects.toThrow("PROVIDER_API_URL is malformed");
  });
});
