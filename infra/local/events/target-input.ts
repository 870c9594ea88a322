import type { TargetModel } from "../core/model.ts";

type Input = NonNullable<TargetModel["input"]>;

const VARIABLE = /<([\w.-]+)>/g;

/**
 * Checks an input transformer. Supported: paths of fields such as `$.detail.one`, variables outside quotation marks.
 * @throws Error naming the path or the variable that is not supported.
 */
export const requireTargetInput = ({ paths, template }: Input): void => {
  for (const path of Object.values(paths))
    if (!/^\$(\.[\w-]+)*$/.test(path)) throw new Error(`has the path ${path}, which the local cloud does not support`);
  for (const [, name = ""] of template.matchAll(VARIABLE))
    if (!Object.hasOwn(paths, name)) throw new Error(`uses <${name}>, which InputPathsMap does not have`);
  if ([...template.matchAll(/"(?:\\.|[^"\\])*"/g)].some(([quoted]) => /<[\w.-]+>/.test(quoted)))
    throw new Error("has a variable inside quotation marks, which the local cloud does not support");
};

const valueAt = (path: string, event: unknown): unknown => {
  let value = event;
  for (const name of path.split(".").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
};

/**
 * The target's input as JSON text: the event, or the template with each `<name>` replaced by JSON.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 * @throws Error if the filled template is not JSON.
 */
export const targetPayload = (input: Input | undefined, event: unknown): string => {
  if (input === undefined) return JSON.stringify(event);
  const text = input.template.replace(VARIABLE, (_all, name: string) =>
    JSON.stringify(valueAt(input.paths[name] ?? "", event) ?? null),
  );
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw new Error(`the input template makes no JSON of the event: ${text}`);
  }
};
