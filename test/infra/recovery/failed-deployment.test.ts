import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { listen } from "../../../infra/local/http/listen.ts";
import { usePerFile } from "../../support/use-started.ts";

type Resource = { type: string; id: string; status?: string };

const LEFT: readonly Resource[] = [
  { type: "AWS::DynamoDB::Table", id: "plants" },
  { type: "AWS::DynamoDB::Table", id: "gone" },
  { type: "AWS::SQS::Queue", id: "https://sqs/received" },
  { type: "AWS::KMS::Key", id: "key-1" },
  { type: "AWS::Lambda::Function", id: "deleted", status: "DELETE_COMPLETE" },
];

const resourceXml = ({ type, id, status = "DELETE_FAILED" }: Resource) =>
  `<member><LogicalResourceId>${type}</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId>` +
  `<ResourceType>${type}</ResourceType><ResourceStatus>${status}</ResourceStatus></member>`;

/** CloudFormation, DynamoDB and SQS of an account with one stack. */
const startAccount = async () => {
  let status: string | undefined;
  let items = 0;
  let calls: string[] = [];
  const cloudFormation = (name: string): { code: number; text: string } => {
    if (name === "DescribeStacks" && status === undefined) {
      const text =
        "<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></ErrorResponse>";
      return { code: 400, text };
    }
    if (name === "DeleteStack") status = undefined;
    const result =
      name === "ListStackResources"
        ? `<StackResourceSummaries>${LEFT.map(resourceXml).join("")}</StackResourceSummaries>`
        : `<Stacks><member><StackStatus>${status}</StackStatus></member></Stacks>`;
    return { code: 200, text: `<${name}Response><${name}Result>${result}</${name}Result></${name}Response>` };
  };
  const answer = (target: string | undefined, body: string): { code: number; text: string } => {
    if (target === undefined) {
      const form = new URLSearchParams(body);
      const name = form.get("Action") ?? "";
      if (/^(Update|Delete)/.test(name)) calls.push(`${name} ${form.get("EnableTerminationProtection") ?? ""}`.trim());
      return cloudFormation(name);
    }
    const name = target.split(".")[1] ?? "";
    const { TableName, QueueUrl, DeletionProtectionEnabled: isProtected } = JSON.parse(body);
    if (TableName === "gone") return { code: 400, text: '{"__type":"ResourceNotFoundException","message":"no"}' };
    if (name !== "Scan")
      calls.push(`${name} ${TableName ?? QueueUrl}${isProtected === undefined ? "" : ` ${isProtected}`}`);
    return { code: 200, text: JSON.stringify(name === "Scan" ? { Count: TableName === "plants" ? items : 0 } : {}) };
  };
  const server = createServer((request, response) => {
    request.toArray().then((chunks) => {
      const { code, text } = answer(request.headers["x-amz-target"]?.toString(), Buffer.concat(chunks).toString());
      response.writeHead(code, { "content-type": "application/x-amz-json-1.0" }).end(text);
    });
  });
  const { url, close } = await listen(server, 0);
  return {
    url,
    close,
    calls: () => calls,
    set: (given: { status?: string; items?: number }) => {
      ({ status, items = 0 } = given);
      calls = [];
    },
  };
};

const account = usePerFile(startAccount);
const program = join(import.meta.dirname, "..", "..", "..", "infra", "recovery", "remove-failed.ts");

/** Runs the command with these lines as the operator's answers. */
const run = async (...answers: string[]) => {
  const env = {
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL: account.url,
  };
  const child = spawn(process.execPath, [program, "plant-store-prod"], { env });
  child.stdin.end(answers.map((line) => `${line}\n`).join(""));
  const textOf = async (stream: typeof child.stdout) => (await stream.setEncoding("utf8").toArray()).join("");
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = await once(child, "close");
  return { code, stdout: await stdout, stderr: await stderr };
};

describe("npm run remove-failed", () => {
  it("removes what a failed first deployment left, after two right answers", async () => {
    account.set({ status: "ROLLBACK_FAILED" });
    const { code, stdout, stderr } = await run("plant-store-prod", "4");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(account.calls()).toEqual([
      "UpdateTerminationProtection false",
      "UpdateTable plants false",
      "DeleteStack",
      "DeleteTable plants",
      "DeleteQueue https://sqs/received",
    ]);
    expect(stdout).toContain("By hand: aws kms schedule-key-deletion --key-id key-1");
    expect(stdout).not.toContain("AWS::Lambda::Function");
  });

  it.each([
    ["no answer", []],
    ["one right answer", ["plant-store-prod"]],
    ["another name", ["plant-store-dev", "4"]],
    ["another number", ["plant-store-prod", "yes"]],
  ])("removes nothing after %s", async (_, answers) => {
    account.set({ status: "ROLLBACK_FAILED" });
    const { code, stderr } = await run(...answers);
    expect({ code, stderr, calls: account.calls() }).toEqual({ code: 1, stderr: "Nothing was removed.\n", calls: [] });
  });

  it.each([
    [
      "of a deployment that succeeded",
      { status: "UPDATE_ROLLBACK_COMPLETE" },
      /is UPDATE_ROLLBACK_COMPLETE: this command/,
    ],
    ["with an item in a table", { status: "DELETE_FAILED", items: 1 }, /The table plants has items/],
    ["that does not exist", {}, /There is no stack plant-store-prod/],
  ])("refuses a stack %s", async (_, given, sentence) => {
    account.set(given);
    const { code, stderr } = await run("plant-store-prod", "4");
    expect({ code, stderr, calls: account.calls() }).toEqual({
      code: 1,
      stderr: expect.stringMatching(sentence),
      calls: [],
    });
  });
});
