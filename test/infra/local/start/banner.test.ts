import { describe, expect, it } from "@jest/globals";
import { banner } from "../../../../infra/local/start/banner.ts";
import { stackModel } from "../../../support/stack-model.ts";

const stack = {
  issuerUrl: "http://127.0.0.1:1",
  providerUrl: "http://127.0.0.1:5",
  jwksUrl: "http://127.0.0.1:1/keys",
  audience: "a",
  dynamodbUrl: "http://127.0.0.1:2",
  controlUrl: "http://127.0.0.1:3",
  tables: [],
  pid: 1,
};

describe("the banner", () => {
  it("shows the webhook URL if there is one", () => {
    const lines = (webhookUrl?: string) =>
      banner({ ...stack, ...(webhookUrl !== undefined && { webhookUrl }) }, stackModel({})).split("\n");
    expect(lines("http://127.0.0.1:4")).toContain("  webhooks  http://127.0.0.1:4");
    expect(lines().join()).not.toContain("webhooks");
  });

  it("shows commands to try, and one line of curl with the API's address", () => {
    const text = banner({ ...stack, apiUrl: "http://127.0.0.1:6" }, stackModel({}), "demo");
    expect(text).toContain("npm run --silent ask -- records/invoices limit=3");
    expect(text).toMatch(/curl -i http:\/\/127\.0\.0\.1:6\/plants -H .*token/);
    expect(banner({ ...stack, apiUrl: "http://127.0.0.1:6" }, stackModel({}))).not.toContain("records/invoices");
  });

  it("begins with the console's address, which a newcomer opens first", () => {
    const { consoleUrl, ...without } = { ...stack, consoleUrl: "http://127.0.0.1:6/console" };
    const lines = (running: typeof without & { consoleUrl?: string }) =>
      banner(running, stackModel({}))
        .split("\n")
        .filter((line) => line !== "");
    expect(lines({ ...without, consoleUrl })[0]).toBe("Open http://127.0.0.1:6/console");
    expect(lines(without).join()).not.toContain("Open");
  });

  it("groups resources with the same type and reason in one line, and lists the others one by one", () => {
    const model = stackModel({});
    const alarm = (logicalId: string) => ({
      logicalId,
      type: "AWS::CloudWatch::Alarm",
      reason: "the alarm is never raised",
    });
    model.notRun.push(alarm("A"), { logicalId: "Topic", type: "AWS::SNS::Topic", reason: "nobody hears" }, alarm("B"));
    const lines = banner(stack, model).split("\n");
    expect(lines).toContain("  2 × AWS::CloudWatch::Alarm: the alarm is never raised");
    expect(lines).toContain("  Topic (AWS::SNS::Topic): nobody hears");
  });
});
