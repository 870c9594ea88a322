/** What no template shows: the stack's properties, its warnings and the checks at synthesis. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, jest } from "@jest/globals";
import { App, Validations } from "aws-cdk-lib";
import { Annotations as CdkAnnotations, Match, Template } from "aws-cdk-lib/assertions";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { parseContext } from "../../infra/config.ts";
import { ServiceStack } from "../../infra/service-stack.ts";
import { createApp } from "../../infra/synth.ts";

const directories: string[] = [];
const createServiceApp = () => {
  const outputDirectory = mkdtempSync(join(tmpdir(), "assembly-"));
  directories.push(outputDirectory);
  return createApp({ outputDirectory });
};

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

const OPERATORS = "arn:aws:sns:eu-central-1:123456789012:operators";

describe("the stack", () => {
  it("protects only the stack of production from deletion", () => {
    const isProtected = (context: Record<string, string>) =>
      new ServiceStack(new App(), "test", parseContext(context)).terminationProtection;
    expect(isProtected({})).toBe(false);
    expect(isProtected({ stage: "prod", issuer: "https://login.example.com", audience: "plants" })).toBe(true);
  });

  it("grants no right to read a secret of the platform if the context names none", () => {
    const template = Template.fromStack(new ServiceStack(new App(), "test", parseContext({})));
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

describe("the checks", () => {
  it("refuse AwsSolutions findings that are not acknowledged", () => {
    // The check also prints the expected finding to the terminal.
    jest.spyOn(console, "error").mockImplementation(() => undefined);
    const app = createServiceApp();
    const [stack] = app.node.children.filter((child) => child.node.id.startsWith("plant-store"));
    if (stack === undefined) throw new Error("the app has no stack");
    new Bucket(stack, "Open");
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
    ).toEqual(["AwsSolutions-APIG4", "AwsSolutions-SMG4"]);
    jest.restoreAllMocks();
  });
});
