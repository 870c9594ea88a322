import * as z from "zod";
import type { TargetInput, TargetModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { requirePath, requireTemplate } from "../events/target-input.ts";
import type { Resource, StackReader } from "../template/stack-reader.ts";
import { wholeNumber } from "../template/values.ts";

/** Catches every key, so that what is not applied can be said. */
export const Target = z.looseObject({
  Id: z.string(),
  Arn: z.string(),
  Input: z.string().optional(),
  InputPath: z.string().optional(),
  InputTransformer: z
    .object({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  RetryPolicy: z
    .object({
      // The defaults of EventBridge: a day and 185 tries.
      MaximumRetryAttempts: wholeNumber.default(185),
      MaximumEventAgeInSeconds: wholeNumber.default(86_400),
    })
    .default({ MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 }),
  DeadLetterConfig: z.object({ Arn: z.string().optional() }).default({}),
});

type Declared = z.infer<typeof Target>;

const readInput = ({ Input, InputPath, InputTransformer }: Declared): TargetInput | undefined => {
  if (Input !== undefined) return { kind: "constant", value: JSON.parse(Input) };
  if (InputPath !== undefined) return { kind: "path", path: requirePath(InputPath) };
  if (InputTransformer === undefined) return undefined;
  const { InputPathsMap: paths, InputTemplate: template } = InputTransformer;
  for (const path of Object.values(paths)) requirePath(path);
  return { kind: "template", paths, template: requireTemplate(template, paths) };
};

/** One target of a rule, in a list; an empty one where the target is none that is run here, which is said. */
export const readTarget = (stack: StackReader, resource: Resource, declared: Declared): TargetModel[] => {
  const { Id: id, Arn: arn, Input, InputPath, InputTransformer, RetryPolicy, DeadLetterConfig, ...others } = declared;
  if (!/^arn:aws:(lambda:[^:]+:\d+:function|sqs:[^:]+:\d+):/.test(arn)) {
    stack.notRun(resource, `its target ${id} gets nothing: ${arn} is neither a function nor a queue`);
    return [];
  }
  for (const name of Object.keys(others)) stack.notRun(resource, `the ${name} of its target ${id} is not applied`);
  try {
    const input = readInput(declared);
    return [
      {
        id,
        arn,
        ...(input !== undefined && { input }),
        retryPolicy: {
          maximumRetryAttempts: RetryPolicy.MaximumRetryAttempts,
          maximumEventAgeSeconds: RetryPolicy.MaximumEventAgeInSeconds,
        },
        ...(DeadLetterConfig.Arn !== undefined && { deadLetterArn: DeadLetterConfig.Arn }),
      },
    ];
  } catch (error) {
    const problem = error instanceof SyntaxError ? "is not JSON" : error instanceof Error ? error.message : "";
    throw new TemplateError(resource.logicalId, `the input of its target ${id} ${problem}`);
  }
};
