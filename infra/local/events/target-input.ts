import type { TargetInput } from "../core/model.ts";

/** What a target's input is made from: the event as the bus has it, and the rule that matched it. */
export type InputSource = { event: unknown; ruleArn: string; ingestedAt: string };

const pathShape = /^\$((?:\.[\w-]+)|(?:\[\d+\]))*$/;

/** @throws Error for a path that is more than fields and positions: `$.detail.items[0].id`. */
export const requirePath = (path: string): string => {
  if (pathShape.test(path)) return path;
  throw new Error(`has the path ${path}, which is not understood`);
};

const valueAt = (path: string, event: unknown): unknown => {
  let value = event;
  for (const [, name, position] of path.matchAll(/\.([\w-]+)|\[(\d+)\]/g)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === (name ?? position))?.[1];
  }
  return value;
};

const inText = (value: unknown): string =>
  value === undefined ? "" : JSON.stringify(typeof value === "string" ? value : JSON.stringify(value)).slice(1, -1);

const alone = (value: unknown): string => (value === undefined ? "null" : JSON.stringify(value));

/** Variables that need no path. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html */
const reserved = ({ event, ruleArn, ingestedAt }: InputSource): Record<string, unknown> => ({
  "aws.events.rule-arn": ruleArn,
  "aws.events.rule-name": ruleArn.slice(ruleArn.lastIndexOf("/") + 1),
  "aws.events.event": event,
  "aws.events.event.json": event,
  "aws.events.event.ingestion-time": ingestedAt,
});

const variable = /\\.|"|<([\w.-]+)>/gs;

/** @throws Error for a variable that nothing defines. */
export const requireTemplate = (template: string, paths: Record<string, string>): string => {
  const known = { ...reserved({ event: {}, ruleArn: "", ingestedAt: "" }), ...paths };
  const names = [...template.matchAll(variable)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new Error(`uses <${unknown}>, which InputPathsMap does not have`);
  return template;
};

/** `<name>` is replaced by JSON, within quotation marks by bare text. */
const fill = (template: string, values: Record<string, unknown>): string => {
  let quoted = false;
  return template.replace(variable, (match, name?: string) => {
    if (match === '"') quoted = !quoted;
    if (name === undefined || !Object.hasOwn(values, name)) return match;
    return quoted ? inText(values[name]) : alone(values[name]);
  });
};

/**
 * What the target gets, as JSON text.
 * @throws Error when a template does not make JSON of this event.
 */
export const targetPayload = (input: TargetInput | undefined, source: InputSource): string => {
  switch (input?.kind) {
    case undefined:
      return JSON.stringify(source.event);
    case "constant":
      return JSON.stringify(input.value);
    case "path":
      return alone(valueAt(input.path, source.event));
    case "template": {
      const found = Object.entries(input.paths).map(([name, path]) => [name, valueAt(path, source.event)]);
      const text = fill(input.template, { ...reserved(source), ...Object.fromEntries(found) });
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        throw new Error(`the input template makes no JSON of the event: ${text}`);
      }
    }
  }
};
