import * as z from "zod";
import { nameOf } from "../identity.ts";
import type { ScheduleModel } from "../model.ts";
import type { Resource, ResourceFamily, StackReader } from "../stack-reader.ts";
import { arnIn } from "../template.ts";
import { TemplateError } from "../template-error.ts";

/** Catches every key, so that what is not applied can be said. */
const Target = z.looseObject({ Id: z.string(), Arn: z.string(), Input: z.string().optional() });

const plan = {
  understood: z.object({
    Name: z.string().optional(),
    ScheduleExpression: z.string().optional(),
    EventPattern: z.unknown().optional(),
    State: z.string().default("ENABLED"),
    Targets: z.array(Target).default([]),
  }),
  nothingLocally: ["Description", "Tags"],
};

const parseInput = (resource: Resource, input: string): unknown => {
  try {
    return JSON.parse(input);
  } catch {
    throw new TemplateError(resource.logicalId, "the Input of a target is not JSON");
  }
};

const readTarget = (
  stack: StackReader,
  resource: Resource,
  { Id: id, Arn: functionArn, Input, ...others }: z.infer<typeof Target>,
): ScheduleModel["targets"] => {
  if (!/^arn:aws:lambda:[^:]+:\d+:function:/.test(functionArn)) {
    stack.notRun(resource, `its target ${functionArn} is not called: only functions are`);
    return [];
  }
  if ("InputPath" in others || "InputTransformer" in others) {
    throw new TemplateError(
      resource.logicalId,
      "InputPath and InputTransformer of a schedule's target are not understood",
    );
  }
  for (const name of Object.keys(others)) stack.notRun(resource, `the ${name} of its target ${id} is not applied`);
  return [{ id, functionArn, ...(Input !== undefined && { input: parseInput(resource, Input) }) }];
};

const readRule = (stack: StackReader, resource: Resource): ScheduleModel[] => {
  const { ScheduleExpression: expression, EventPattern, State, Targets } = stack.properties(resource, plan);
  if (EventPattern !== undefined) stack.notRun(resource, "no events are matched with its pattern");
  if (expression === undefined) return [];
  return [
    {
      logicalId: resource.logicalId,
      name: resource.ref,
      arn: resource.arn,
      expression,
      enabled: State !== "DISABLED",
      targets: Targets.flatMap((target) => readTarget(stack, resource, target)),
    },
  ];
};

/** AWS::Events::Rule with a ScheduleExpression and functions as targets. */
export const schedules: ResourceFamily = {
  identities: {
    "AWS::Events::Rule": (resource) => {
      const name = nameOf(resource, "Name");
      return { ref: name, attributes: { Arn: arnIn(resource.scope, "events", `rule/${name}`) } };
    },
  },
  read: (stack) => ({
    schedules: stack.resources("AWS::Events::Rule").flatMap((resource) => readRule(stack, resource)),
  }),
};
