/** docs/operations.md, "When work is given up", has a row for each way in which the stack passes work on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readTemplates } from "../../infra/flat-template.ts";
import { allBackgroundFunctions } from "../../shared/api/background-functions.ts";
import { busEvents } from "../../shared/api/bus-events.ts";
import { givenUpWork } from "../faults/workers/given-up-work.ts";
import { assemblyDirectory } from "../support/assembly.ts";

type Reference = { Ref?: string; "Fn::GetAtt"?: [string, string] };
type Properties = {
  Description?: string;
  ScheduleExpression?: string;
  EventPattern?: { "detail-type": string[] };
  Targets?: { Arn: Reference }[];
  EventSourceArn?: Reference;
  FunctionName?: Reference;
};

const { Resources } = readTemplates(assemblyDirectory).flat as {
  Resources: Record<string, { Type: string; Properties: Properties }>;
};
const resourcesOf = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
const idOf = (reference: Reference = {}): string => reference["Fn::GetAtt"]?.[0] ?? reference.Ref ?? "";

/** The background function of a logical id, which its description identifies. */
const functionOf = (id: string): string => {
  const description = Resources[id]?.Properties.Description;
  const [name] = allBackgroundFunctions.find(([, found]) => found.description === description) ?? [id];
  return `\`${name}\``;
};

const targetOf = (id: string): string => {
  if (Resources[id]?.Type !== "AWS::SQS::Queue") return functionOf(id);
  const mappings = resourcesOf("AWS::Lambda::EventSourceMapping").filter(
    ([, { Properties }]) => idOf(Properties.EventSourceArn) === id,
  );
  return `queue → ${mappings.map(([, { Properties }]) => functionOf(idOf(Properties.FunctionName))).join(", ")}`;
};

/** The ways of the synthesised stack, and those to subscribers. */
const ways = new Set([
  ...resourcesOf("AWS::Events::Rule").flatMap(([, { Properties }]) => {
    const events = Properties.EventPattern?.["detail-type"];
    const sources = events?.map((event) => `\`${event}\``) ?? ["schedule"];
    return sources.flatMap((source) =>
      (Properties.Targets ?? []).map(({ Arn }) => `${source} → ${targetOf(idOf(Arn))}`),
    );
  }),
  ...Object.entries(busEvents).flatMap(([name, event]) =>
    "isForSubscribers" in event ? [`\`${name}\` → subscribers`] : [],
  ),
]);

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "operations.md"), "utf8");
const rows = page
  .split("| Way |")[1]
  ?.split("\n\n")[0]
  ?.split("\n")
  .slice(2)
  .map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

const hourly = allBackgroundFunctions
  .filter(([, { triggers }]) => triggers.some((trigger) => "hourlyAtMinute" in trigger || "everyMinutes" in trigger))
  .map(([name]) => `\`${name}\``);

describe("work that is given up", () => {
  it("has a row for each way of the stack, and no other row", () => {
    expect(rows?.map(([way]) => way).sort()).toEqual([...ways].sort());
  });

  it("is found by an hourly function, or kept by a dead-letter queue with an alarm", () => {
    for (const [way = "", , finder = ""] of rows ?? []) {
      const isQueue = way.includes("→ queue →");
      if (isQueue) expect(finder).toMatch(/^\[(\w+DeadLettered)\]\(#\w+deadlettered\)$/);
      else expect(hourly).toContain(finder);
    }
  });

  it("has a case for each way, which gives it up", () => {
    expect(Object.keys(givenUpWork).sort()).toEqual([...ways].map((way) => way.replaceAll("`", "")).sort());
  });
});
