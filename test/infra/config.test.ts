import { describe, expect, it } from "@jest/globals";
import { NO_ISSUER, parseContext } from "../../infra/config.ts";

const issuer = "https://login.example.com/";
const CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1";
const HASH = "0123456789abcdef".repeat(4);
const prod = { stage: "prod", issuer, audience: "plants" };

describe("the context of a deployment", () => {
  it("requires nothing for development, which then trusts no issuer", () => {
    expect(parseContext({})).toEqual({
      stage: "dev",
      issuer: NO_ISSUER,
      audience: "plant-store",
      organizationClaim: "org_id",
      roleClaim: "org_role",
      RETENTION_DAYS: 90,
      SYNC_INTERVAL_HOURS: 4,
      SECURITY_LOG_LEVEL: "LOW",
      ALERT_THRESHOLD: "HIGH",
      xrayTracing: false,
      webhookEntrance: "url",
      ipAddressType: "ipv4",
      allowedOrigins: [],
      originSecretHeader: "x-origin-secret",
      webhookConcurrency: 5,
      reservedConcurrency: {},
    });
  });

  it("accepts reserved concurrency by function", () => {
    expect(parseContext({ reservedConcurrency: "receive-webhook=50,run-sync=100" })).toMatchObject({
      reservedConcurrency: { "receive-webhook": 50, "run-sync": 100 },
    });
    expect(parseContext({ webhookConcurrency: "20", reservedConcurrency: "process-webhook=20" })).toMatchObject({
      webhookConcurrency: 20,
    });
  });

  it("accepts the settings of security events in the format of environment variables", () => {
    expect(
      parseContext({ RETENTION_DAYS: "30", SECURITY_LOG_LEVEL: "medium", ALERT_THRESHOLD: "Critical" }),
    ).toMatchObject({
      RETENTION_DAYS: 30,
      SECURITY_LOG_LEVEL: "MEDIUM",
      ALERT_THRESHOLD: "CRITICAL",
    });
  });

  it("requires only issuer and audience for production", () => {
    expect(parseContext(prod)).toMatchObject(prod);
    expect(() => parseContext({ ...prod, issuer: undefined })).toThrow("stage prod needs issuer and audience");
    expect(() => parseContext({ ...prod, audience: undefined })).toThrow("stage prod needs issuer and audience");
  });

  it.each([['{"org:admin":"admin","org:member":"member"}'], [{ "org:admin": "admin", "org:member": "member" }]])(
    "accepts the role mapping %j",
    (roleMapping) => {
      expect(parseContext({ roleMapping }).roleMapping).toEqual({ "org:admin": "admin", "org:member": "member" });
    },
  );

  it.each([
    ["", "expected a JSON object from the issuer's roles to admin, billing, member, guest"],
    ["org:admin=admin", 'such as {"org:admin":"admin"}'],
    ["[]", "expected a JSON object"],
    ['"admin"', "expected a JSON object"],
    ["null", "expected a JSON object"],
    [["admin"], "expected a JSON object"],
    [{ owner: "root" }, "expected a JSON object"],
    [{ owner: ["admin"] }, "expected a JSON object"],
    [{ "": "admin" }, "roleMapping"],
  ])("refuses the role mapping %j in one sentence", (roleMapping, message) => {
    expect(() => parseContext({ roleMapping })).toThrow(message);
    expect(() => parseContext({ roleMapping })).toThrow(
      /^The deployment's context is not usable\.\n✖ [^\n]+\n {2}→ at roleMapping[^\n]*$/,
    );
  });

  it("refuses a role mapping that is too large for a function's environment", () => {
    expect(() => parseContext({ roleMapping: { ["x".repeat(1_500)]: "admin" } })).toThrow("more than 1500 bytes");
  });

  it.each([
    [{ isuer: issuer }, "isuer"],
    [{ stage: "production" }, "stage"],
    [{ issuer: "http://login.example.com" }, "expected an https URL"],
    [{ issuer: "login.example.com" }, "issuer"],
    [{ audience: "" }, "audience"],
    [{ roleClaim: "" }, "roleClaim"],
    [{ webhookConcurrency: "1" }, "webhookConcurrency"],
    [{ webhookConcurrency: "1001" }, "webhookConcurrency"],
    [{ reservedConcurrency: "run-sync" }, '"run-sync": expected name=number'],
    [{ reservedConcurrency: "run-sync=0" }, '"run-sync=0": expected name=number'],
    [{ reservedConcurrency: "run-sync=5,run-sync=6" }, '"run-sync=6": expected name=number, each name once'],
    [{ reservedConcurrency: "run-synk=5" }, "of receive-webhook, dispatch-detection"],
    [{ reservedConcurrency: "process-webhook=4" }, "process-webhook needs at least webhookConcurrency"],
    [{ reservedConcurrency: "restore-security-events=1" }, "restore-security-events at least 2"],
    [{ RETENTION_DAYS: "0" }, "RETENTION_DAYS"],
    [{ RETENTION_DAYS: "ninety" }, "RETENTION_DAYS"],
    [{ SYNC_INTERVAL_HOURS: "0" }, "SYNC_INTERVAL_HOURS"],
    [{ providerApiUrl: "http://provider.example" }, "expected an https URL"],
    [{ providerOauthClientId: "ca_1" }, "both or neither"],
    [{ providerOauthClientId: "ca_1", providerOauthSecretArn: "secret" }, "expected the ARN of a secret"],
    [{ alarmTopicArn: "operators" }, "expected the ARN of a topic"],
    [{ xrayTracing: "maybe" }, "xrayTracing"],
    [{ SECURITY_LOG_LEVEL: "debug" }, "SECURITY_LOG_LEVEL"],
    [{ ALERT_THRESHOLD: "" }, "ALERT_THRESHOLD"],
    [{ domainName: "api.example.com" }, "both or neither"],
    [{ certificateArn: "arn:aws:acm:eu-central-1:1:certificate/x" }, "both or neither"],
    [{ domainName: "api.example.com", certificateArn: "x" }, "certificateArn"],
    [{ domainName: "https://api.example.com", certificateArn: CERTIFICATE }, "expected a domain name"],
    [{ region: "Frankfurt" }, "expected a region"],
    [{ webhookDomainName: "hooks.example.com" }, "both or neither"],
    [{ webhookEntrance: "lambda" }, "webhookEntrance"],
    [
      { webhookEntrance: "url", webhookDomainName: "hooks.example.com", webhookCertificateArn: CERTIFICATE },
      "a function URL cannot have a domain name",
    ],
    [
      {
        ...{ domainName: "api.example.com", certificateArn: CERTIFICATE },
        ...{ webhookDomainName: "api.example.com", webhookCertificateArn: CERTIFICATE },
      },
      "domainName and webhookDomainName must differ",
    ],
    [{ hostedZoneId: "Z1" }, "both or neither"],
    [{ hostedZoneId: "Z1", hostedZoneName: "example.com" }, "needs at least one of them"],
    [
      {
        ...{ domainName: "api.example.org", certificateArn: CERTIFICATE },
        ...{ hostedZoneId: "Z1", hostedZoneName: "example.com" },
      },
      "hostedZoneName must contain domainName",
    ],
    [{ ipAddressType: "ipv6" }, "ipAddressType"],
    [{ xrayTracing: "maybe" }, "expected true or false"],
    ...[
      "*",
      "https://*",
      "https://*.example.com",
      "http://app.example.com",
      "https://app.example.com/",
      "app",
      "null",
    ].map((origin): [Record<string, unknown>, string] => [
      { allowedOrigins: `https://a.example,${origin}` },
      "expected an origin",
    ]),
    [{ ...prod, allowedOrigins: "http://localhost:5173" }, "only stage dev allows"],
    [{ clientAddressHeader: "x-client-address" }, "both or neither"],
    [{ originSecretHashes: HASH }, "both or neither"],
    [{ clientAddressHeader: "x-forwarded-for", originSecretHashes: HASH }, "x-forwarded-for is a list"],
    [{ clientAddressHeader: "X-Client", originSecretHashes: HASH }, "expected the name of a header"],
    [{ clientAddressHeader: "x-client", originSecretHashes: "secret" }, "expected one or two SHA-256 hashes"],
    [{ clientAddressHeader: "x-client", originSecretHashes: HASH, originSecretHeader: "x-client" }, "must differ"],
  ])("refuses %p", (context, message) => {
    expect(() => parseContext(context)).toThrow(message);
  });

  it("accepts origins of web pages, and pages of a local server in development", () => {
    expect(parseContext({ allowedOrigins: "https://app.example.com,https://b.example:8443" })).toMatchObject({
      allowedOrigins: ["https://app.example.com", "https://b.example:8443"],
    });
    expect(parseContext({ allowedOrigins: "http://localhost:5173" })).toMatchObject({
      allowedOrigins: ["http://localhost:5173"],
    });
  });

  it("ignores the CDK's own keys", () => {
    const own = { "@aws-cdk/core:x": true, "aws:cdk:y": 1, "cli-telemetry": false, "availability-zones:account=1": [] };
    expect(parseContext(own).stage).toBe("dev");
  });
});
