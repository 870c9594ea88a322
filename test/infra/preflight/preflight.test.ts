import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createAwsCaller } from "../../../infra/aws/call-aws.ts";
import { describeStacks } from "../../../infra/aws/stack-status.ts";
import { parseContext } from "../../../infra/config.ts";
import * as operations from "../../../infra/preflight/read-operations.ts";
import { runChecks } from "../../../infra/preflight/run-checks.ts";
import { usePerFile } from "../../support/use-started.ts";
import { type Case, cures, missing, stackIn } from "./cures.ts";
import { ACCOUNT, healthy, NOW, REGION, settings } from "./healthy-account.ts";
import { type Answers, CREDENTIALS, Refusal, startMockedAccount } from "./mocked-account.ts";

const account = usePerFile(startMockedAccount);

/** The findings of an account, with settings that differ from those of all checks. */
const findingsOf = async (answers: Answers = {}, context: Readonly<Record<string, string | undefined>> = {}) => {
  account.answer(Object.assign({}, healthy, answers));
  const call = createAwsCaller({ region: REGION, credentials: CREDENTIALS, endpointUrl: account.endpointUrl });
  const given = Object.entries(Object.assign({}, settings, context)).filter(([, value]) => value !== undefined);
  const config = parseContext(Object.fromEntries(given), REGION);
  return (await runChecks(call, config, REGION, NOW)).findings;
};

afterEach(() => {
  // Requests that AWS would not understand, or answers that it would not give.
  expect(account.faults).toEqual([]);
});

describe("preflight", () => {
  it("finds nothing in an account where every check is content", async () => {
    const findings = await findingsOf();
    expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(new Set(findings.map(({ check }) => check)).size).toBe(12);
  });

  it.each(cures)("names the cure of %s", async (...[, answers, expected, context]: Case) => {
    const { check, status, sentence, cure } = expected;
    const findings = (await findingsOf(answers, context)).filter((one) => one.check === check && one.status !== "ok");
    expect(findings[0]).toEqual({
      check,
      status,
      sentence: expect.stringContaining(sentence),
      cure: expect.stringContaining(cure),
    });
  });

  it("accepts a JSON list where a secret may be rolled, and only there", async () => {
    const findings = await findingsOf({ "secretsmanager:GetSecretValue": { SecretString: '["whsec_1","whsec_2"]' } });
    expect(findings.filter(({ check }) => check === "secrets").map(({ status }) => status)).toEqual(["failed", "ok"]);
  });

  it("shows no part of a secret", async () => {
    const findings = await findingsOf({ "secretsmanager:GetSecretValue": { SecretString: '{"key":"sk_live_1"}' } });
    expect(JSON.stringify(findings)).not.toContain("sk_live");
  });

  it("skips what the settings do not need", async () => {
    const none = Object.fromEntries(Object.keys(settings).map((key) => [key, undefined]));
    const findings = await findingsOf({}, Object.assign(none, { webhookEntrance: "api" }));
    const skipped = findings.filter(({ status }) => status === "skipped").map(({ check }) => check);
    expect(skipped).toEqual([
      "function-urls",
      "email",
      "certificates",
      "secrets",
      "alarm-topic",
      "domain-names",
      "backups",
    ]);
    expect(account.calls).not.toContain("ses:GetAccount");
  });

  it("does not take the names of its own stack for collisions", async () => {
    const findings = await findingsOf(Object.assign({ "apigateway:GetDomainName": {} }, stackIn("UPDATE_COMPLETE")));
    expect(findings.filter(({ status }) => status === "failed")).toEqual([]);
  });

  it("names the missing right of a check, and goes on with the others", async () => {
    const findings = await findingsOf({
      "acm:DescribeCertificate": new Refusal("AccessDeniedException", "not authorized"),
      "iam:SimulatePrincipalPolicy": new Refusal("AccessDenied", "not authorized", 403),
    });
    const others = findings.filter(({ status }) => status !== "ok");
    expect(others.map(({ check, status }) => [check, status])).toEqual([
      ["function-urls", "unknown"],
      ["certificates", "unknown"],
    ]);
    expect(others[0]?.sentence).toContain("no right to iam:SimulatePrincipalPolicy");
  });

  it("repeats a call that AWS throttles", async () => {
    let calls = 0;
    const findings = await findingsOf({
      "ses:GetAccount": () => {
        calls++;
        return calls === 1
          ? new Refusal("TooManyRequestsException", "slow down", 429)
          : (healthy["ses:GetAccount"] as object);
      },
    });
    expect([calls, findings.filter(({ status }) => status !== "ok")]).toEqual([2, []]);
  });

  it("counts stacks over all pages", async () => {
    const page = {
      StackSummaries: Array.from({ length: 100 }, () => ({ StackName: "x", StackStatus: "CREATE_COMPLETE" })),
    };
    const findings = await findingsOf({
      "cloudformation:ListStacks": ({ NextToken }) =>
        NextToken === "2" ? page : Object.assign({ NextToken: "2" }, page),
      "cloudformation:DescribeAccountLimits": { AccountLimits: [{ Name: "StackLimit", Value: 204 }] },
    });
    expect(findings.find(({ check }) => check === "limits")?.sentence).toContain("room for 4 more stacks");
  });

  it("has only operations that read", () => {
    const names = [...Object.values(operations), describeStacks].map(({ name }) => name);
    expect(names.filter((name) => !/^(Get|Describe|List|Simulate)[A-Z]/.test(name))).toEqual([]);
  });
});

const root = join(import.meta.dirname, "..", "..", "..");
const runner = join(root, "infra", "run.cjs");
const program = join(root, "infra", "preflight", "preflight.ts");

/** Runs the command against the mocked account. */
const run = async (...args: string[]) => {
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: account.endpointUrl,
  };
  const child = spawn(process.execPath, [program, "--region", REGION, ...args], { env });
  const textOf = async (stream: typeof child.stdout) => (await stream.setEncoding("utf8").toArray()).join("");
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = await once(child, "close");
  return { code, stdout: await stdout, stderr: await stderr };
};

describe("npm run preflight", () => {
  it("prints its help", () => {
    const { status, stdout } = spawnSync(process.execPath, [runner, "--comment-is-help", program, "--help"], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining("npm run preflight -- --context stage=prod")]);
  });

  it("prints a line a check with its cure, a report as JSON, and ends with 1 if a check failed", async () => {
    account.answer(healthy);
    const fine = await run();
    expect(fine).toEqual({ code: 0, stdout: expect.stringContaining("ok    bootstrap: The account is"), stderr: "" });
    expect(fine.stdout).toContain(`plant-store-dev in ${ACCOUNT}, ${REGION}: 0 failed, 0 warnings, 0 not checked`);
    account.answer(Object.assign({}, healthy, { "ssm:GetParameter": missing("ParameterNotFound") }));
    const { code, stdout } = await run("--json", "-c", "emailSender=alerts@example.com");
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout);
    expect(findings[0]).toMatchObject({ check: "bootstrap", status: "failed" });
    expect(findings.find(({ check }: { check: string }) => check === "email").status).toBe("ok");
  });

  it("ends with 2 and one sentence if settings or credentials are wrong", async () => {
    expect(await run("-c", "emailSendr=a@b.example")).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^the context key emailSendr does not exist: use emailSender/),
    });
    account.answer({
      "sts:GetCallerIdentity": new Refusal("InvalidClientTokenId", "The security token is invalid", 403),
    });
    expect(await run()).toEqual({
      code: 2,
      stdout: "",
      stderr: "AWS refused sts:GetCallerIdentity (InvalidClientTokenId): The security token is invalid\n",
    });
  });
});
