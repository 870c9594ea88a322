import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { contextKeys } from "../../infra/config.ts";
import { readTemplates } from "../../infra/flat-template.ts";
import { frontEndIds } from "../../infra/local/cloud/start-front-ends.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import { createApp } from "../../infra/synth.ts";
import { newDirectory } from "../support/temporary-directory.ts";

/** What `npx cdk synth` does: the text of all templates, and the messages that the command line would print. */
const synthesised = (context: Record<string, string>, region?: string) => {
  const outputDirectory = newDirectory("assembly-");
  const [stack] = createApp({ outputDirectory, context, region }).synth().stacks;
  if (stack === undefined) throw new Error("the app has no stack");
  const { root, nested } = readTemplates(outputDirectory);
  return { template: JSON.stringify([root, ...nested.values()]), messages: stack.messages };
};

const arn = (partition: string, region: string, service: string, resource: string) =>
  `arn:${partition}:${service}:${region}:123456789012:${resource}`;

const texts = (messages: ReturnType<typeof synthesised>["messages"]) => messages.map(({ entry }) => String(entry.data));

/** Keys of services that the region has not. */
const ofMailsAndTraces = {
  emailSender: "alerts@example.com",
  emailConfigurationSet: "alerts",
  mailsPerDay: "500",
  xrayTracing: "true",
};

/** Every key of the context, but those that a test adds. */
const everything = (partition: string, region: string) => ({
  stage: "prod",
  protected: "true",
  tags: '{"cost-center":"4711"}',
  organizationClaim: "org",
  roleClaim: "role",
  roleMapping: '{"org:admin":"admin"}',
  RETENTION_DAYS: "365",
  SECURITY_LOG_LEVEL: "MEDIUM",
  ALERT_THRESHOLD: "CRITICAL",
  SYNC_INTERVAL_HOURS: "85",
  providerApiUrl: "https://provider.example.com",
  providerAuthorizeUrl: "https://provider.example.com/authorize",
  platformWebhookSecretArn: arn(partition, region, "secretsmanager", "secret:webhooks-AbCdEf"),
  apiDocs: "true",
  consoleClientId: "console",
  consoleScope: "openid org",
  consoleAudience: "plants",
  siemFeed: "true",
  notificationTargets: "public",
  nodeFlags: "trim",
  expectedOrganizations: "100000",
  prewarmTables: "true",
  webhookConcurrency: "40",
  reservedConcurrency: "run-sync=100",
  webhookEntrance: "api",
  clientAddressHeader: "x-client-address",
  originSecretHeader: "x-origin-secret",
  originSecretHashes: "0123456789abcdef".repeat(4),
  backupDays: "5",
  issuer: "https://login.example.com",
  audience: "plants",
  domainName: "api.example.com",
  certificateArn: arn(partition, region, "acm", "certificate/1"),
  webhookDomainName: "hooks.example.com",
  webhookCertificateArn: arn(partition, region, "acm", "certificate/2"),
  hostedZoneId: "Z0123456789ABCDEFGHIJ",
  hostedZoneName: "example.com",
  ipAddressType: "dualstack",
  allowedOrigins: "https://app.example.com",
  providerOauthClientId: "ca_1",
  providerOauthSecretArn: arn(partition, region, "secretsmanager", "secret:oauth-AbCdEf"),
  alarmTopicArn: arn(partition, region, "sns", "operators"),
  backup: "true",
  backupCopyVaultArn: arn(partition, "elsewhere-1", "backup", "backup-vault:copies"),
});

describe("the synthesis", () => {
  it("is tried with every key of the context", () => {
    const tried = { ...everything("aws", "eu-central-1"), ...ofMailsAndTraces };
    // Of a deployment that is new, or bound to one region.
    expect([...Object.keys(tried), "region", "multiRegionKey"].sort()).toEqual([...contextKeys].sort());
  });

  it.each([
    ["aws", "eu-central-1", "url", ofMailsAndTraces, []],
    ["aws", "us-east-1", "url", ofMailsAndTraces, []],
    ["aws-us-gov", "us-gov-west-1", "api", ofMailsAndTraces, []],
    ["aws-cn", "cn-north-1", "api", {}, [expect.stringMatching(/^In the region cn-north-1, .* an ICP licence\./)]],
  ])(
    "is clean in the partition %s, region %s, for dev, prod and every key",
    (partition, region, entrance, more, warnings) => {
      const { issuer, audience, alarmTopicArn, ...others } = everything(partition, region);
      const plain = synthesised({}, region);
      const production = synthesised({ stage: "prod", issuer, audience, alarmTopicArn }, region);
      const whole = synthesised({ ...others, ...more, issuer, audience, alarmTopicArn }, region);
      const bound = synthesised({ region });
      for (const { template, messages } of [plain, production, whole, bound]) {
        expect(texts(messages)).toEqual(warnings);
        // CloudFormation fills in partition and domain. The names of service principals are the same in all partitions.
        const own = template
          .replaceAll(/"[a-z.]+\.amazonaws\.com"/g, "")
          .replaceAll(new RegExp(`arn:${partition}:\\w+:(?:${region}|elsewhere-1)`, "g"), "");
        expect(own).not.toContain("amazonaws.com");
        if (partition !== "aws") expect(own).not.toMatch(/arn:aws:/);
      }
      expect(plain.template.includes("AWS::Lambda::Url")).toBe(entrance === "url");
      expect(whole.template).not.toContain("AWS::Lambda::Url");
    },
  );

  it("fails with one sentence in a region without function URLs, and is clean with the cure", () => {
    expect(() => synthesised({}, "eu-south-2")).toThrow(
      "AWS Lambda has no function URLs in the region eu-south-2: add --context webhookEntrance=api, so that webhooks arrive at an HTTP API instead.",
    );
    expect(synthesised({ webhookEntrance: "api" }, "eu-south-2").messages).toEqual([]);
    expect(synthesised(everything("aws", "eu-south-2"), "eu-south-2").messages).toEqual([]);
  });

  it.each(["eu-south-2", "ap-east-1", "cn-north-1"])(
    "fails with one sentence for mails in %s, without SES",
    (region) => {
      expect(() => synthesised({ emailSender: "alerts@example.com", webhookEntrance: "api" }, region)).toThrow(
        `Amazon SES does not exist in the region ${region}, and mails are sent from the region of the deployment: leave emailSender out.`,
      );
      expect(synthesised({ webhookEntrance: "api" }, region).template).not.toContain("EMAIL_SENDER");
    },
  );

  it.each([
    [{}, /^AWS Lambda has no function URLs in the region eu-south-2: [^\n]+\n$/],
    [{ stge: "prod" }, /^the context key stge does not exist: use stage, or leave it out\n$/],
    [
      { stage: "pro_duction" },
      /^the context key stage is "pro_duction": expected 1 to 20 letters, digits and hyphens\n$/,
    ],
  ])("prints only the sentence about the context %j, without a stack", async (context, sentence) => {
    const env = {
      ...process.env,
      CDK_DEFAULT_REGION: "eu-south-2",
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CDK_OUTDIR: newDirectory("assembly-"),
    };
    const app = join(import.meta.dirname, "..", "..", "infra", "app.ts");
    await expect(promisify(execFile)(process.execPath, [app], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(sentence),
    });
  });

  it("makes nothing that the local cloud does not understand", async () => {
    const assemblyDirectory = newDirectory("assembly-");
    const dataDirectory = newDirectory("data-");
    createApp({ outputDirectory: assemblyDirectory, context: everything("aws", "eu-central-1") }).synth();
    const { apis } = await frontEndIds(assemblyDirectory);
    const urls = new Map(apis.map((id) => [id, "http://127.0.0.1:1"]));
    const { httpApis, notRun } = await readStack({ assemblyDirectory, dataDirectory, urls });
    expect(httpApis.map(({ cors }) => cors?.allowOrigins)).toEqual([["https://app.example.com"], undefined]);
    const types = notRun.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["AWS::ApiGatewayV2::DomainName", "AWS::Route53::RecordSet"]));
  });

  it("keeps the function URL beside the HTTP API while endpoints move", () => {
    const { template } = synthesised({ webhookEntrance: "both" }, "eu-central-1");
    expect(template).toContain("AWS::Lambda::Url");
    expect(template).toContain("WebhooksApi");
  });
});
