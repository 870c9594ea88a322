import * as z from "zod";
import type { RuleModel, ScheduleModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { compileEventPattern } from "../events/event-pattern.ts";
import { nameOf } from "../template/identity.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";
import { busNameOf, DEFAULT_BUS } from "./event-buses.ts";
import { readTarget, Target } from "./rule-targets.ts";

const plan = {
  understood: z.object({
    Name: z.string().optional(),
    EventBusName: z.string().default(DEFAULT_BUS),
    ScheduleExpression: z.string().optional(),
    EventPattern: z.unknown().optional(),
    State: z.string().default("ENABLED"),
    Targets: z.array(Target).default([]),
  }),
  nothingLocally: ["Description", "Tags"],
  notApplied: { RoleArn: "targets are called under their own permissions, not under this role" },
};

const requirePattern = ({ logicalId }: Resource, pattern: unknown): void => {
  try {
    compileEventPattern(pattern);
  } catch (error) {
    throw new TemplateError(logicalId, `its event pattern: ${error instanceof Error ? error.message : error}`);
  }
};

type Read = { schedules: ScheduleModel[]; rules: RuleModel[] };

const readRule = (stack: StackReader, resource: Resource): Read => {
  const { EventBusName, ScheduleExpression, EventPattern, State, Targets } = stack.properties(resource, plan);
  const { logicalId, arn } = resource;
  const rule = {
    logicalId,
    name: arn.slice(arn.lastIndexOf("/") + 1),
    arn,
    enabled: State !== "DISABLED",
    targets: Targets.flatMap((target) => readTarget(stack, resource, target)),
  };
  if (EventPattern !== undefined) requirePattern(resource, EventPattern);
  return {
    schedules: ScheduleExpression === undefined ? [] : [{ ...rule, expression: ScheduleExpression }],
    rules: EventPattern === undefined ? [] : [{ ...rule, busName: busNameOf(EventBusName), pattern: EventPattern }],
  };
};

/** AWS::Events::Rule: with a ScheduleExpression, with an EventPattern, or with both. */
export const rules: ResourceFamily = {
  identities: {
    "AWS::Events::Rule": (resource) => {
      const name = nameOf(resource, "Name");
      const bus = busNameOf(resource.text("EventBusName") ?? DEFAULT_BUS);
      const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
      return {
        ref: bus === DEFAULT_BUS ? name : `${bus}|${name}`,
        attributes: { Arn: arnIn(resource.scope, "events", `rule/${path}`) },
      };
    },
  },
  read: (stack) => {
    const read = stack.resources("AWS::Events::Rule").map((resource) => readRule(stack, resource));
    return { schedules: read.flatMap((one) => one.schedules), rules: read.flatMap((one) => one.rules) };
  },
};
