import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import {
  allBackgroundFunctions,
  type BackgroundFunctionName,
  type Trigger,
} from "../../../shared/api/background-functions.ts";
import { type BusEventName, busEvents, RECORDERS } from "../../../shared/api/bus-events.ts";
import { consumedEvents } from "../../../shared/api/consumed-events.ts";
import { awsEventsOf, eventsOf } from "../../../shared/api/queues.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const architecture = readFileSync(join(root, "docs", "architecture.md"), "utf8");

/** The rows of the table of docs/architecture.md whose header starts with a column's name. */
const rowsOf = (firstColumn: string): string[] => {
  const lines = architecture.split("\n");
  const header = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`));
  const rows = lines.slice(header + 2);
  return rows.slice(
    0,
    rows.findIndex((line) => !line.startsWith("|")),
  );
};

const code = (text: string): string => `\`${text}\``;

const describeTrigger = (trigger: Trigger): string => {
  if ("hourlyAtMinute" in trigger) return `hourly at minute ${trigger.hourlyAtMinute}`;
  if ("everyMinutes" in trigger) return `every ${trigger.everyMinutes} minutes`;
  if ("everyHours" in trigger) return `every ${code(trigger.everyHours)}`;
  if ("event" in trigger) return code(trigger.event);
  const ofAws = awsEventsOf(trigger.queueOf).map((event) => event.slice(event.indexOf("/") + 1));
  const events = [...eventsOf(trigger.queueOf), ...ofAws];
  return events.length === 0 ? `the queue ${code(trigger.queueOf)}` : `the queue of ${events.map(code).join(" and ")}`;
};

const describeTimeout = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);

const eventNames = Object.keys(busEvents) as BusEventName[];

const consumersOf = (event: BusEventName): BackgroundFunctionName[] =>
  allBackgroundFunctions.flatMap(([name, { triggers }]) =>
    triggers.some(
      (trigger) =>
        ("event" in trigger && trigger.event === event) ||
        ("queueOf" in trigger && eventsOf(trigger.queueOf).includes(event)),
    )
      ? [name]
      : [],
  );

const isForSubscribers = (event: BusEventName): boolean => "isForSubscribers" in busEvents[event];

describe("the background functions", () => {
  it.each<[BackgroundFunctionName, string[]]>([
    ["run-sync", ["integration-security/SyncRequested"]],
    ["dispatch-syncs", ["aws.events/Scheduled Event", "integration-security/SyncDispatchContinued"]],
    [
      "dispatch-notifications",
      [
        "integration-security/SecurityAlertChanged",
        "integration-security/ReportMade",
        "integration-security/EscalationDue",
      ],
    ],
    ["dispatch-reports", []],
    ["send-notifications", []],
    ["apply-mail-feedback", ["aws.ses/Email Bounced", "aws.ses/Email Complaint Received"]],
  ])("accept the events of their triggers: %s", (name, events) => {
    expect(consumedEvents(name)).toEqual(events);
  });

  it("are the functions without a route, each in the folder of its subject", () => {
    const files = globSync("functions/*/*.ts", { cwd: root });
    for (const [name, { subject }] of allBackgroundFunctions)
      expect(files).toContain(`functions/${subject}/${name}.ts`);
    const bySchedule = files.filter((file) =>
      /create(Scheduled|Bus|Queue|Message)Handler/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(bySchedule.map((file) => basename(file, ".ts")).sort()).toEqual(
      allBackgroundFunctions.map(([name]) => name).sort(),
    );
  });

  it("are listed in docs/architecture.md", () => {
    const rows = allBackgroundFunctions.map(([name, { triggers, timeoutSeconds }]) => {
      const cells = [code(name), triggers.map(describeTrigger).join("; "), describeTimeout(timeoutSeconds)];
      return `| ${cells.join(" | ")} |`;
    });
    expect(rowsOf("Function")).toEqual(rows);
  });
});

describe("the events of the bus", () => {
  it("have a consumer each", () => {
    for (const event of eventNames) {
      expect({ event, isConsumed: consumersOf(event).length > 0 || isForSubscribers(event) }).toEqual({
        event,
        isConsumed: true,
      });
    }
  });

  it("are listed in docs/architecture.md", () => {
    const rows = eventNames.map((event) => {
      const publishers = busEvents[event].publishers.map((name) => (name === RECORDERS ? name : code(name)));
      const consumers = [...consumersOf(event).map(code), ...(isForSubscribers(event) ? ["subscribers"] : [])];
      return `| ${code(event)} | ${publishers.join(", ")} | ${consumers.join(", ")} |`;
    });
    expect(rowsOf("Event")).toEqual(rows);
  });

  it("are not named elsewhere in the product", () => {
    const files = globSync("{functions,infra,shared}/**/*.ts", { cwd: root, exclude: ["infra/local/**"] });
    const named = eventNames.map((event) => ({
      event,
      files: files.filter((file) => readFileSync(join(root, file), "utf8").includes(`Type: "${event}"`)),
    }));
    expect(named.filter(({ files: found }) => found.length > 0)).toEqual([]);
  });
});
