import * as z from "zod";
import { busNameOf, DEFAULT_BUS, type RuleModel, type ScheduleModel, type TargetModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { compileEventPattern } from "../events/event-pattern.ts";
import { requireTargetInput } from "../events/target-input.ts";
import { parseScheduleExpression } from "../schedules/schedule-expression.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, nameOf } from "../template/template.ts";

const busPlan = { supported: z.object({ Name: z.string().optional() }), ignored: ["Description", "Tags"] };

const Target = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  InputTransformer: z
    .strictObject({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
});

const rulePlan = {
  supported: z.object({
    Name: z.string().optional(),
    EventBusName: z.string().default(DEFAULT_BUS),
    ScheduleExpression: z.string().optional(),
    EventPattern: z.unknown().optional(),
    State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
    Targets: z.array(Target).default([]),
  }),
  ignored: ["Description", "Tags"],
};

/** Runs a check and names the rule in its error. */
const checked = ({ logicalId }: Resource, check: () => unknown, subject = ""): void => {
  try {
    check();
  } catch (error) {
    throw new TemplateError(logicalId, subject + (error instanceof Error ? error.message : String(error)));
  }
};

const readTarget = (
  resource: Resource,
  { Id: id, Arn, InputTransformer, DeadLetterConfig }: z.infer<typeof Target>,
): TargetModel => {
  const target = { id, arn: Arn, ...(DeadLetterConfig && { deadLetterArn: DeadLetterConfig.Arn }) };
  if (InputTransformer === undefined) return target;
  const input = { paths: InputTransformer.InputPathsMap, template: InputTransformer.InputTemplate };
  checked(resource, () => requireTargetInput(input), `the input of its target ${id} `);
  return { ...target, input };
};

type Read = { schedules?: ScheduleModel; rules?: RuleModel };

const readRule = (stack: StackReader, resource: Resource, queueArns: readonly string[]): Read => {
  const { EventBusName, ScheduleExpression, EventPattern, State, Targets } = stack.properties(resource, rulePlan);
  const { logicalId, arn } = resource;
  const name = arn.slice(arn.lastIndexOf("/") + 1);
  const targets = Targets.map((target) => readTarget(resource, target));
  for (const { deadLetterArn } of targets)
    if (deadLetterArn !== undefined && !queueArns.includes(deadLetterArn))
      throw new TemplateError(logicalId, `the template declares no dead-letter queue ${deadLetterArn}`);
  const rule = { logicalId, name, arn, enabled: State === "ENABLED", targets };
  if (ScheduleExpression !== undefined && EventPattern === undefined) {
    checked(resource, () => parseScheduleExpression(ScheduleExpression, 0));
    return { schedules: { ...rule, expression: ScheduleExpression } };
  }
  if (ScheduleExpression !== undefined || EventPattern === undefined)
    throw new TemplateError(logicalId, "a rule has either a ScheduleExpression or an EventPattern");
  checked(resource, () => compileEventPattern(EventPattern), "its event pattern: ");
  return { rules: { ...rule, busName: busNameOf(EventBusName), pattern: EventPattern } };
};

/** AWS::Events::EventBus and Rule. A rule has a schedule or an event pattern. */
export const events: ResourceFamily = {
  identities: {
    "AWS::Events::EventBus": (resource) => {
      const name = nameOf(resource, "Name");
      return { ref: name, attributes: { Name: name, Arn: arnIn(resource.scope, "events", `event-bus/${name}`) } };
    },
    "AWS::Events::Rule": (resource) => {
      const name = nameOf(resource, "Name");
      const bus = busNameOf(resource.text("EventBusName") ?? DEFAULT_BUS);
      const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
      return { attributes: { Arn: arnIn(resource.scope, "events", `rule/${path}`) } };
    },
  },
  read: (stack) => {
    const buses = stack.resources("AWS::Events::EventBus").map((resource) => {
      stack.properties(resource, busPlan);
      return { name: resource.ref, arn: resource.arn };
    });
    const queueArns = stack.resources("AWS::SQS::Queue").map(({ arn }) => arn);
    const read = stack.resources("AWS::Events::Rule").map((resource) => readRule(stack, resource, queueArns));
    return {
      buses: [{ name: DEFAULT_BUS, arn: arnIn(stack.scope, "events", `event-bus/${DEFAULT_BUS}`) }, ...buses],
      schedules: read.flatMap(({ schedules }) => schedules ?? []),
      rules: read.flatMap(({ rules }) => rules ?? []),
    };
  },
};
