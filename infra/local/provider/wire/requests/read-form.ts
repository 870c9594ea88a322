/**
 * The parameters of a write, as the SDK encodes them: `items[0][price]=…`, `metadata[order]=…`, `enabled_events[]=…`.
 * A schema accepts them as a whole. A parameter that the schema lacks is refused, even if the provider knows it.
 */
import type * as z from "zod";
import { invalidParameter, type RefusedError } from "./answer.ts";

/** A text, or parameters in brackets by their name. A list has its indexes as names. */
type Node = string | { [name: string]: Node };

const emptyNode = (): { [name: string]: Node } => Object.create(null);

/** The name of the list element that `[]` stands for: a new one, unless the last element lacks the field that follows. */
const appended = (list: { [name: string]: Node }, next: string | undefined): string => {
  const count = Object.keys(list).length;
  const last = list[count - 1];
  return String(typeof last === "object" && next !== undefined && !(next in last) ? count - 1 : count);
};

const treeOf = (search: URLSearchParams): { [name: string]: Node } => {
  const tree = emptyNode();
  for (const [full, value] of search) {
    const [, first = full, rest = ""] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(full) ?? [];
    const names = [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, name = ""]) => name)];
    let node = tree;
    for (const [index, given] of names.entries()) {
      const name = given === "" ? appended(node, names[index + 1]) : given;
      if (index === names.length - 1) node[name] = value;
      else {
        const next = node[name];
        const child = typeof next === "object" ? next : emptyNode();
        node[name] = child;
        node = child;
      }
    }
  }
  return tree;
};

const nameOf = (path: readonly PropertyKey[]): string =>
  path.map((name, index) => (index === 0 ? String(name) : `[${String(name)}]`)).join("");

/** The value at the path of a schema's issue. The path has the position of an element in its list, not its name. */
const valueAt = (tree: Node, path: readonly PropertyKey[]): Node | undefined =>
  path.reduce<Node | undefined>((node, name) => {
    if (typeof node !== "object") return undefined;
    return typeof name === "number" ? Object.values(node)[name] : node[String(name)];
  }, tree);

/** The provider's words for what a schema found. */
const refusalOf = (issue: z.core.$ZodIssue, tree: Node, supported: readonly string[]): RefusedError => {
  const param = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    const unknown = nameOf([...issue.path, ...issue.keys.slice(0, 1)]);
    const list = issue.path.length > 0 ? "" : ` The simulator supports: ${supported.join(", ") || "no parameters"}.`;
    return invalidParameter(unknown, `Received unknown parameter: ${unknown}.${list}`, "parameter_unknown");
  }
  const value = valueAt(tree, issue.path);
  if (value === undefined) return invalidParameter(param, `Missing required param: ${param}.`, "parameter_missing");
  if (value === "" && issue.code !== "custom")
    return invalidParameter(
      param,
      `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
      "parameter_invalid_empty",
    );
  if (issue.code === "custom") return invalidParameter(param, issue.message, issue.params?.code);
  if (issue.code === "invalid_type") return invalidParameter(param, `Invalid ${issue.expected}`);
  return invalidParameter(param, `Invalid ${param}: ${issue.message}`);
};

/** @throws RefusedError that names the first parameter that is wrong, as `items[0][price]`. */
export const readForm = <Shape extends z.ZodRawShape>(search: URLSearchParams, schema: z.ZodObject<Shape>) => {
  const tree = treeOf(search);
  const parsed = schema.safeParse(tree);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (first === undefined) throw parsed.error;
  throw refusalOf(first, tree, Object.keys(schema.shape));
};
