/** What no template shows: the stack's properties, its warnings and the checks at synthesis. */
import { describe, expect, it, jest } from "@jest/globals";
import { App, CfnResource, Validations } from "aws-cdk-lib";
import { Annotations as CdkAnnotations, Match, Template } from "aws-cdk-lib/assertions";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Bucket } from "aws-cdk-lib/aws-s3";
import type { IConstruct } from "constructs";
import { contextKeys, parseContext } from "../../infra/config.ts";
import { inParts, sectionOf, sumOf } from "../../infra/constructs/monitoring/watched.ts";
import { readTemplates } from "../../infra/flat-template.ts";
import { ServiceStack } from "../../infra/service-stack.ts";
import { createApp } from "../../infra/synth.ts";
import { newDirectory } from "../support/temporary-directory.ts";

const synthesised = (context: Record<string, string>) => {
  const app = new App({ outdir: newDirectory("assembly-") });
  new ServiceStack(app, "test", parseContext(context));
  return readTemplates(app.synth().directory);
};

const createServiceApp = () => createApp({ outputDirectory: newDirectory("assembly-") });

const OPERATORS = "arn:aws:sns:eu-central-1:123456789012:operators";

describe("the stack", () => {
  it("protects stacks from deletion, except that of development and those that ask for no protection", () => {
    const isProtected = (context: Record<string, string>) =>
      new ServiceStack(new App(), "test", parseContext(context)).terminationProtection;
    expect(isProtected({})).toBe(false);
    const production = { stage: "prod", issuer: "https://login.example.com", audience: "plants" };
    expect(isProtected(production)).toBe(true);
    expect(isProtected({ ...production, protected: "false" })).toBe(false);
  });

  it("grants no right to read a secret of the platform if the context names none", () => {
    const template = Template.fromJSON(synthesised({}).flat as Record<string, unknown>);
    expect(JSON.stringify(template.findResources("AWS::IAM::Role"))).not.toContain("secretsmanager:");
  });

  it("warns about production without a topic for alarms, and about nothing else", () => {
    const warningsOf = (context: Record<string, string>) => {
      const stack = new ServiceStack(new App(), "test", parseContext(context));
      return CdkAnnotations.fromStack(stack)
        .findWarning("*", Match.anyValue())
        .map(({ entry }) => String(entry.data));
    };
    const production = { stage: "prod", issuer: "https://login.example.com", audience: "plants" };
    expect(warningsOf({})).toEqual([]);
    expect(warningsOf({ ...production, alarmTopicArn: OPERATORS })).toEqual([]);
    expect(warningsOf(production)).toEqual([expect.stringMatching(/^No alarmTopicArn was given/)]);
  });
});

describe("a deployment without mails", () => {
  it("has no events of mails, and no alarm about them", () => {
    const text = JSON.stringify(synthesised({}).flat);
    expect(text).toContain("AWS::Events::Rule");
    expect(text).not.toMatch(/AWS::SES::ConfigurationSetEventDestination|MailsBouncing|aws\.ses/);
  });
});

describe("an alarm", () => {
  it("is over at most the ten metrics that CloudWatch accepts", () => {
    const metrics = Array(10).fill(new Metric({ namespace: "test", metricName: "test" }));
    expect(sumOf({ metrics, label: "ten" })).toBeDefined();
    const many = [...metrics, ...metrics, ...metrics.slice(0, 1)];
    const parts = inParts({ name: "Lost", description: "", metrics: many, label: "many", atLeast: 1, periods: 1 });
    expect(parts.map(({ name }) => [name, sectionOf({ name })])).toEqual([
      ["Lost", "lost"],
      ["Lost2", "lost"],
      ["Lost3", "lost"],
    ]);
    expect(parts.flatMap(({ metric }) => Object.values(Object(metric).usingMetrics))).toEqual(many);
    expect(() => sumOf({ metrics: [...metrics, ...metrics.slice(1, 2)], label: "eleven" })).toThrow(
      "at most 10 metrics",
    );
  });
});

describe("the number of resources", () => {
  const everything = {
    stage: "Tenant-7-of-20-chars",
    protected: "true",
    tags: '{"cost-center":"4711"}',
    issuer: "https://login.example.com",
    audience: "plants",
    domainName: "api.example.com",
    certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/1",
    webhookEntrance: "both",
    webhookDomainName: "hooks.example.com",
    webhookCertificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/2",
    hostedZoneId: "Z0123456789ABCDEFGHIJ",
    hostedZoneName: "example.com",
    ipAddressType: "dualstack",
    allowedOrigins: "https://app.example.com",
    clientAddressHeader: "cloudfront-viewer-address",
    originSecretHeader: "x-origin-secret",
    originSecretHashes: "0123456789abcdef".repeat(4),
    alarmTopicArn: OPERATORS,
    apiDocs: "true",
    emailSender: "alerts@example.com",
    emailConfigurationSet: "mails",
    mailsPerDay: "500",
    notificationTargets: "public",
    siemFeed: "true",
    xrayTracing: "true",
    nodeFlags: "trim",
    region: "eu-central-1",
    providerApiUrl: "https://provider.example.com",
    providerAuthorizeUrl: "https://provider.example.com/authorize",
    providerOauthClientId: "ca_1",
    providerOauthSecretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:oauth-AbCdEf",
    platformWebhookSecretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:webhooks",
    webhookConcurrency: "20",
    reservedConcurrency: "receive-webhook=50,process-webhook=20",
    consoleClientId: "console",
    consoleScope: "openid",
    consoleAudience: "plants",
    organizationClaim: "org_id",
    roleClaim: "org_role",
    roleMapping: "{}",
    expectedOrganizations: "10000",
    prewarmTables: "true",
    backup: "true",
    backupDays: "7",
    backupCopyVaultArn: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies",
    multiRegionKey: "false",
    RETENTION_DAYS: "90",
    SECURITY_LOG_LEVEL: "LOW",
    ALERT_THRESHOLD: "HIGH",
    SYNC_INTERVAL_HOURS: "4",
  };

  it("is at most half of CloudFormation's 500 in each stack with every context key", () => {
    expect(Object.keys(everything).sort()).toEqual([...contextKeys].sort());
    const { root, nested } = synthesised(everything);
    for (const { Resources } of [root, ...nested.values()])
      expect(Object.keys(Resources).length).toBeLessThanOrEqual(250);
  });

  it("prints no notice, and more than 500 are refused", () => {
    const app = new App();
    const stack = new ServiceStack(app, "test", parseContext({}));
    const present = Object.keys(Template.fromStack(stack).toJSON().Resources).length;
    const more = new ServiceStack(new App(), "test", parseContext({}));
    for (let count = present; count < 500; count += 1) new CfnResource(more, `More${count}`, { type: "Custom::More" });
    expect(Object.keys(Template.fromStack(more).toJSON().Resources)).toHaveLength(500);
    CdkAnnotations.fromStack(more).hasNoInfo("*", Match.stringLikeRegexp("Number of resources"));
    const most = new ServiceStack(new App(), "test", parseContext({}));
    for (let count = present; count < 501; count += 1) new CfnResource(most, `More${count}`, { type: "Custom::More" });
    expect(() => Template.fromStack(most)).toThrow("The stack test has 501 resources");
  });
});

describe("the checks", () => {
  it.each([
    ["the stack", (stack: IConstruct) => stack],
    ["a nested stack", (stack: IConstruct) => stack.node.findChild("Subjects").node.findChild("Plants")],
  ])("refuse AwsSolutions findings that are not acknowledged in %s", (_, place) => {
    // The check also prints the expected finding to the terminal.
    jest.spyOn(console, "error").mockImplementation(() => undefined);
    const app = createServiceApp();
    const [stack] = app.node.children.filter((child) => child.node.id.startsWith("plant-store"));
    if (stack === undefined) throw new Error("the app has no stack");
    new Bucket(place(stack), "Open");
    expect(() => app.synth()).toThrow(/validation/i);
    jest.restoreAllMocks();
  });

  it("would refuse each acknowledged finding without its acknowledgement", () => {
    jest.spyOn(console, "error").mockImplementation(() => undefined);
    const acknowledge = jest.spyOn(Validations.prototype, "acknowledge").mockImplementation(() => undefined);
    const app = createServiceApp();
    expect(() => app.synth()).toThrow(/validation/i);
    expect(
      acknowledge.mock.calls
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([
      "AwsSolutions-APIG4",
      // Of the worker of exports, of the erasure, and of the links.
      ...Array.from({ length: 3 }, () =>
        expect.stringMatching(/^AwsSolutions-IAM5\[Resource::<referencetoplantstoredevExportsBucket\w+Arn>\/\*\]$/),
      ),
      "AwsSolutions-S1",
      "AwsSolutions-SMG4",
    ]);
    jest.restoreAllMocks();
  });
});
