import { expect, it } from "@jest/globals";
import { parseContext } from "../../../../infra/config.ts";
import { deploymentContext } from "../../../../infra/local/start/deployment-context.ts";

it("variables of npm start configure the deployment", () => {
  const variables = {
    RETENTION_DAYS: "7",
    SECURITY_LOG_LEVEL: "high",
    ALERT_THRESHOLD: "critical",
    SYNC_INTERVAL_HOURS: "1",
    ORGANIZATION_CLAIM: "o.id",
    ROLE_CLAIM: "o.rol",
    ROLE_MAPPING: '{"owner":"admin"}',
    PORT: "3000",
  };
  expect(parseContext(deploymentContext(variables))).toMatchObject({
    RETENTION_DAYS: 7,
    SECURITY_LOG_LEVEL: "HIGH",
    ALERT_THRESHOLD: "CRITICAL",
    SYNC_INTERVAL_HOURS: 1,
    organizationClaim: "o.id",
    roleClaim: "o.rol",
    roleMapping: { owner: "admin" },
  });
});

it("missing and empty variables leave the defaults", () => {
  expect(deploymentContext({ ROLE_MAPPING: "", ROLE_CLAIM: undefined })).toEqual({});
});
