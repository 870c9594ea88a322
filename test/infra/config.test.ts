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
      isProtected: false,
      tags: {},
      siemFeed: false,
      archiveMonths: 0,
      checkpointLock: "none",
      checkpointLockDays: 400,
      issuer: NO_ISSUER,
      audience: "plant-store",
      organizationClaim: "org_id",
      roleClaim: "org_role",
      RETENTION_DAYS: 90,
      SYNC_INTERVAL_HOURS: 4,
      SECURITY_LOG_LEVEL: "LOW",
      ALERT_THRESHOLD: "HIGH",
      apiDocs: false,
      consoleScope: "openid",
      mailsPerDay: 1_000,
      notificationTargets: "public",
      xrayTracing: false,
      webhookEntrance: "url",
      ipAddressType: "ipv4",
      allowedOrigins: [],
      originSecretHeader: "x-origin-secret",
      nodeFlags: "keep",
      prewarmTables: false,
      backup: false,
      backupDays: 7,
      multiRegionKey: false,
      webhookConcurrency: 5,
      reservedConcurrency: {},
    });
  });

  it("has an archive of 13 months in protected stages, unless it says otherwise", () => {
    const prod = { stage: "prod", issuer: "https://login.example.com", audience: "plants" };
    expect(parseContext(prod)).toMatchObject({ archiveMonths: 13 });
    expect(parseContext({ ...prod, archiveMonths: "0" })).toMatchObject({ archiveMonths: 0 });
    expect(parseContext({ archiveMonths: "84" })).toMatchObject({ archiveMonths: 84 });
    for (const archiveMonths of ["85", "-1", "1.5", ""])
      expect(() => parseContext({ archiveMonths })).toThrow("expected a whole number from 0 to 84");
  });

  it("accepts reserved concurrency by function", () => {
    expect(parseContext({ reservedConcurrency: "receive-webhook=50,run-sync=100" })).toMatchObject({
      reservedConcurrency: { "receive-webhook": 50, "run-sync": 100 },
    });
    expect(parseContext({ webhookConcurrency: "20", reservedConcurrency: "process-webhook=20" })).toMatchObject({
      webhookConcurrency: 20,
    });
  });

  it("has the concurrency of webhooks follow the expected organizations, unless it is given", () => {
    const concurrencyWith = (context: object) => parseContext({ ...context }).webhookConcurrency;
    expect([1, 18_140, 18_145, 100_000, 1_000_000].map((n) => concurrencyWith({ expectedOrganizations: n }))).toEqual([
      5, 5, 6, 28, 276,
    ]);
    expect(concurrencyWith({ expectedOrganizations: "100000", webhookConcurrency: "7" })).toBe(7);
    expect(concurrencyWith({ expectedOrganizations: "100000", reservedConcurrency: "process-webhook=28" })).toBe(28);
  });

  it("accepts the console's client, scopes and audience", () => {
    const console = {
      consoleClientId: "0oa1b2c3",
      consoleScope: "openid profile urn:zitadel:iam:org:id:1",
      consoleAudience: "https://api.example.com/",
    };
    expect(parseContext(console)).toMatchObject(console);
  });

  it("accepts a sender of mails, and notifications to this machine in the local cloud only", () => {
    const mails = { emailSender: "alerts@example.com", notificationTargets: "loopback" };
    expect(parseContext(mails, undefined, undefined, { isLocal: true })).toMatchObject(mails);
    expect(parseContext({ ...prod, notificationTargets: "public" })).toMatchObject({ notificationTargets: "public" });
    const onlyLocal = /notificationTargets is "loopback", which only the local cloud may have: remove it/;
    for (const stage of [{}, { stage: "dev", issuer: prod.issuer, region: "eu-central-1" }, prod]) {
      expect(() => parseContext({ ...stage, notificationTargets: "loopback" })).toThrow(onlyLocal);
    }
    expect(() =>
      parseContext({ ...prod, notificationTargets: "loopback" }, undefined, undefined, { isLocal: true }),
    ).toThrow(onlyLocal);
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

  it("protects every stage but dev, unless the key says otherwise, and names stages freely", () => {
    const isProtected = (context: object) => parseContext({ issuer, audience: "plants", ...context }).isProtected;
    expect(isProtected({})).toBe(false);
    expect(isProtected({ protected: "true" })).toBe(true);
    for (const stage of ["prod", "Tenant-7-staging", "7", "x".repeat(20)]) {
      expect(parseContext({ ...prod, stage })).toMatchObject({ stage, isProtected: true });
      expect(isProtected({ stage, protected: "false" })).toBe(false);
    }
    expect(parseContext({ stage: "test", protected: false }).issuer).toBe(NO_ISSUER);
    expect(() => parseContext({ protected: true })).toThrow("stage dev needs issuer and audience");
  });

  it.each([['{"cost-center":"4711","team":"plants"}'], [{ "cost-center": "4711", team: "plants" }]])(
    "accepts the tags %j",
    (tags) => {
      expect(parseContext({ tags }).tags).toEqual({ "cost-center": "4711", team: "plants" });
    },
  );

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
      /^the context key roleMapping is [^\n]+: expected a JSON object [^\n]+$/,
    );
  });

  it("refuses a role mapping that is too large for a function's environment", () => {
    expect(() => parseContext({ roleMapping: { ["x".repeat(1_500)]: "admin" } })).toThrow("more than 1500 bytes");
  });

  it.each([
    [{ isuer: issuer }, "the context key isuer does not exist: use issuer, or leave it out"],
    [{ retention_days: "7" }, "use RETENTION_DAYS"],
    [{ organisationClaim: "org" }, "use organizationClaim"],
    [{ colour: "green" }, "the context key colour does not exist: the keys are ALERT_THRESHOLD, RETENTION_DAYS, "],
    ...["", "with_underscore", "x".repeat(21), "ä"].map(
      (stage) =>
        [{ stage }, `the context key stage is "${stage}": expected 1 to 20 letters, digits and hyphens`] as const,
    ),
    [{ protected: "maybe" }, "expected true or false"],
    [{ tags: "cost-center=4711" }, 'expected a JSON object of tags, such as {"cost-center":"4711"}'],
    [{ tags: { team: 7 } }, "expected a JSON object of tags"],
    [{ tags: { "aws:team": "plants" } }, "no name with aws: at its beginning"],
    [{ tags: { "": "plants" } }, "expected names of at most 128"],
    [{ tags: { team: "x".repeat(257) } }, "values of at most 256 characters"],
    [{ tags: { team: "<plants>" } }, "that AWS accepts in tags"],
    [{ tags: { Stage: "blue" } }, "product or stage are tags of every deployment"],
    [{ tags: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`t${n}`, ""])) }, "expected at most 40 tags"],
    [{ stge: "prod", isuer: issuer }, "use stage, or leave it out\nthe context key isuer does not exist"],
    [{ issuer: "http://login.example.com" }, "expected an https URL"],
    [{ issuer: "login.example.com" }, "expected an https URL"],
    [{ issuer: 5 }, "the context key issuer is 5: expected an https URL"],
    [{ audience: "" }, 'the context key audience is "": expected a text that is not empty'],
    [{ roleClaim: "" }, "roleClaim"],
    [{ emailSender: "Alerts <alerts@example.com>" }, "expected an e-mail address"],
    [{ emailSender: `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(140)}.example` }, "expected"],
    [{ emailConfigurationSet: "mails" }, "emailConfigurationSet needs emailSender"],
    [{ emailSender: "a@example.com", emailConfigurationSet: "my set" }, "expected the name of a configuration set"],
    [{ mailsPerDay: "0" }, "expected a whole number from 1 to 1000000"],
    [{ notificationTargets: "private" }, "expected public or loopback"],
    [{ webhookConcurrency: "1" }, "expected a whole number from 2 to 1000"],
    [{ webhookConcurrency: "1001" }, "expected a whole number from 2 to 1000"],
    [{ reservedConcurrency: "run-sync" }, 'not "run-sync"'],
    [{ reservedConcurrency: "run-sync=0" }, 'not "run-sync=0"'],
    [{ reservedConcurrency: "run-sync=5,run-sync=6" }, 'not "run-sync=6"'],
    [{ reservedConcurrency: "run-synk=5" }, "of receive-webhook, dispatch-detection"],
    [{ reservedConcurrency: "process-webhook=4" }, "process-webhook needs at least webhookConcurrency"],
    [
      { expectedOrganizations: "100000", reservedConcurrency: "process-webhook=27" },
      "process-webhook needs at least webhookConcurrency",
    ],
    [{ expectedOrganizations: "0" }, "expected a whole number from 1 to 1000000"],
    [{ expectedOrganizations: "1000001" }, "expected a whole number from 1 to 1000000"],
    [{ prewarmTables: "true" }, "prewarmTables needs expectedOrganizations"],
    [{ prewarmTables: "perhaps" }, "expected true or false"],
    [{ reservedConcurrency: "restore-security-events=1" }, "restore-security-events at least 2"],
    [{ RETENTION_DAYS: "0" }, 'the context key RETENTION_DAYS is "0": expected a whole number from 1 to 3650'],
    [{ RETENTION_DAYS: "ninety" }, "expected a whole number"],
    [{ RETENTION_DAYS: " 5" }, "expected a whole number"],
    [{ RETENTION_DAYS: 7.5 }, "expected a whole number"],
    [{ SYNC_INTERVAL_HOURS: "0" }, "SYNC_INTERVAL_HOURS"],
    [{ providerApiUrl: "http://provider.example" }, "expected an https URL"],
    [{ providerOauthClientId: "ca_1" }, "both or neither"],
    [{ providerOauthClientId: "ca_1", providerOauthSecretArn: "secret" }, "expected the ARN of a secret"],
    [{ alarmTopicArn: "operators" }, "expected the ARN of a topic"],

    [
      { SECURITY_LOG_LEVEL: "debug" },
      'the context key SECURITY_LOG_LEVEL is "debug": expected low, medium, high or critical',
    ],
    [{ ALERT_THRESHOLD: "" }, "ALERT_THRESHOLD"],
    [{ domainName: "api.example.com" }, "both or neither"],
    [{ certificateArn: "arn:aws:acm:eu-central-1:1:certificate/x" }, "both or neither"],
    [{ domainName: "api.example.com", certificateArn: "x" }, "certificateArn"],
    [{ domainName: "https://api.example.com", certificateArn: CERTIFICATE }, "expected a domain name"],
    [{ region: "Frankfurt" }, "expected a region"],
    [{ webhookDomainName: "hooks.example.com" }, "both or neither"],
    [{ webhookEntrance: "lambda" }, "expected url, api or both"],
    [
      { webhookEntrance: "url", webhookDomainName: "hooks.example.com", webhookCertificateArn: CERTIFICATE },
      "a function URL cannot have a domain name",
    ],
    [
      {
        domainName: "api.example.com",
        certificateArn: CERTIFICATE,
        webhookDomainName: "api.example.com",
        webhookCertificateArn: CERTIFICATE,
      },
      "domainName and webhookDomainName must differ",
    ],
    [{ hostedZoneId: "Z1" }, "both or neither"],
    [{ hostedZoneId: "Z1", hostedZoneName: "example.com" }, "needs at least one of them"],
    [
      { domainName: "api.example.org", certificateArn: CERTIFICATE, hostedZoneId: "Z1", hostedZoneName: "example.com" },
      "hostedZoneName must contain domainName",
    ],
    [{ ipAddressType: "ipv6" }, "expected ipv4 or dualstack"],
    [{ xrayTracing: "maybe" }, "expected true or false"],
    [{ apiDocs: "maybe" }, "expected true or false"],
    [{ nodeFlags: "none" }, "expected keep, report or trim"],
    [{ consoleClientId: "two words" }, 'the context key consoleClientId is "two words": expected 1 to 256 printable'],
    [{ consoleClientId: "" }, "expected 1 to 256 printable characters without spaces"],
    [{ consoleAudience: "ü" }, "expected 1 to 256 printable characters without spaces"],
    [{ consoleScope: "profile" }, 'expected scopes separated by one space each, "openid" among them'],
    [{ consoleScope: "openid  profile" }, "expected scopes separated by one space each"],
    [{ consoleScope: 'openid "quoted"' }, "expected scopes separated by one space each"],
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
      "expected origins",
    ]),
    [{ ...prod, allowedOrigins: "http://localhost:5173" }, "a protected stage allows no pages of a local server"],
    [{ clientAddressHeader: "x-client-address" }, "both or neither"],
    [{ originSecretHashes: HASH }, "both or neither"],
    [{ clientAddressHeader: "x-forwarded-for", originSecretHashes: HASH }, "x-forwarded-for is a list"],
    [{ clientAddressHeader: "X-Client", originSecretHashes: HASH }, "expected the name of a header"],
    [{ clientAddressHeader: "x-client", originSecretHashes: "secret" }, "expected one or two SHA-256 hashes"],
    [{ clientAddressHeader: "x-client", originSecretHashes: HASH, originSecretHeader: "x-client" }, "must differ"],
  ])("refuses %p", (context, message) => {
    expect(() => parseContext(context)).toThrow(message);
  });

  it("cuts a long value in the sentence about it", () => {
    expect(() => parseContext({ stage: "x".repeat(1_000) })).toThrow(
      /^the context key stage is "x{79} …: expected 1 to 20 letters, digits and hyphens$/,
    );
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
    const own = {
      "@aws-cdk/core:x": true,
      "aws:cdk:y": 1,
      "cli-telemetry": false,
      "acknowledged-issue-numbers": [1],
      "availability-zones:account=1": [],
    };
    expect(parseContext(own).stage).toBe("dev");
  });
});
