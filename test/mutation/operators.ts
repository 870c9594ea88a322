/**
 * The faults that the mutation test plants: small changes that the type checker accepts. Changes that it refuses (an
 * empty object, a function without result, a missing `?.`) are no faults that could be committed, so they are left out.
 */
import { regexChanges } from "./regex-changes.ts";

/** A node of the syntax tree in the form of ESTree. Offsets are in UTF-16 units. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** A planted fault: the source text from `start` to `end` becomes `replacement`. */
export type Change = {
  operator: string;
  start: number;
  end: number;
  replacement: string;
  /** How the text can be put into place: another expression, a left-out statement, or another property name. */
  form: "expression" | "statement" | "name";
};

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The children in source order, without types: type annotations change nothing at run time. */
export const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .filter(({ type }) => !type.startsWith("TS") || runtimeWrappers.has(type))
    .sort((left, right) => left.start - right.start);

const runtimeWrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

const nodeAt = (node: Node, field: string): Node | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

const comparisons = new Set(["===", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);
const boundaries: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const arithmetic: Record<string, string> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
  "&": "|",
  "|": "&",
  "<<": ">>",
  ">>": "<<",
  ">>>": "<<",
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
};
const methods = new Map(
  Object.entries({
    every: "some",
    some: "every",
    filter: "slice",
    find: "findLast",
    findLast: "find",
    min: "max",
    max: "min",
    floor: "ceil",
    ceil: "floor",
    trunc: "ceil",
    round: "floor",
    startsWith: "endsWith",
    endsWith: "startsWith",
    indexOf: "lastIndexOf",
    lastIndexOf: "indexOf",
    toLowerCase: "toUpperCase",
    toUpperCase: "toLowerCase",
    trim: "toString",
    trimEnd: "toString",
    slice: "valueOf",
    toSorted: "slice",
    toReversed: "slice",
    padStart: "padEnd",
    replaceAll: "replace",
    allSettled: "all",
  }),
);

/** The operand that decides, for example `a < b` in `!(a < b)`. */
const isLogical = (node: Node): boolean => node.type === "LogicalExpression" && node.operator !== "??";
const isComparison = (node: Node): boolean =>
  node.type === "BinaryExpression" && comparisons.has(String(node.operator));
const isText = (node: Node | undefined): boolean =>
  node !== undefined &&
  (node.type === "TemplateLiteral" ||
    (node.type === "Literal" && typeof node.value === "string") ||
    (node.type === "BinaryExpression" &&
      node.operator === "+" &&
      [node.left, node.right].some((side) => isNode(side) && isText(side))));

/** The texts that a condition expression of the store becomes when one of its clauses is left out. */
const withoutOneClause = (text: string): string[] => {
  const cuts: { at: number; length: number }[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "{") depth++;
    else if (character === ")" || character === "}") depth--;
    const word = /^ (AND|OR) /.exec(text.slice(at, at + 5))?.[0];
    if (depth === 0 && word !== undefined) cuts.push({ at, length: word.length });
  }
  if (cuts.length === 0) return [];
  // Each clause is left out with the word before it, the first one with the word after it.
  return [
    text.slice((cuts[0]?.at ?? 0) + (cuts[0]?.length ?? 0)),
    ...cuts.map(({ at }, index) => text.slice(0, at) + text.slice(cuts[index + 1]?.at ?? text.length)),
  ];
};

/** All changes of a program, in the order of the source. */
export const changesOf = (program: Node, source: string): Change[] => {
  const changes: Change[] = [];
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  const add = (operator: string, node: Node, replacement: string, form: Change["form"] = "expression"): void => {
    if (replacement !== textOf(node)) changes.push({ operator, start: node.start, end: node.end, replacement, form });
  };

  const condition = (node: Node, replacements = ["true", "false"]): void => {
    if (isLogical(node)) {
      for (const side of [nodeAt(node, "left"), nodeAt(node, "right")]) if (side) condition(side);
      return;
    }
    const argument = nodeAt(node, "argument");
    if (node.type === "UnaryExpression" && node.operator === "!" && argument) {
      condition(argument);
      return;
    }
    for (const replacement of replacements) add("condition", node, replacement);
  };

  const literal = (node: Node): void => {
    const { value } = node;
    if (typeof value === "boolean") add("boolean", node, String(!value));
    if (typeof value === "number") add("number", node, String(value + 1));
    if (typeof value === "bigint") add("number", node, `${value + 1n}n`);
    if (typeof value === "string" && /^\S+$/.test(value)) add("word", node, '""');
    if ("regex" in node) for (const changed of regexChanges(textOf(node))) add("pattern", node, changed);
  };

  const binary = (node: Node, parent: Node): void => {
    const operator = String(node.operator);
    const [left, right] = [nodeAt(node, "left"), nodeAt(node, "right")];
    if (left === undefined || right === undefined) return;
    const replaced = (by: string): string => `(${textOf(left)}) ${by} (${textOf(right)})`;
    const boundary = boundaries[operator];
    if (boundary !== undefined) add("boundary", node, replaced(boundary));
    const other = arithmetic[operator];
    if (other !== undefined && !isText(left) && !isText(right)) add("arithmetic", node, replaced(other));
    if (isComparison(node) && !isDecided.has(node)) condition(node);
    void parent;
  };

  /** Comparisons that an enclosing condition already replaces. */
  const isDecided = new Set<Node>();
  const markDecided = (node: Node | undefined): void => {
    if (node === undefined) return;
    isDecided.add(node);
    if (isLogical(node)) for (const side of ["left", "right"]) markDecided(nodeAt(node, side));
    if (node.type === "UnaryExpression" && node.operator === "!") markDecided(nodeAt(node, "argument"));
  };
  const decide = (node: Node | undefined, replacements?: string[]): void => {
    if (node === undefined || isDecided.has(node)) return;
    markDecided(node);
    condition(node, replacements);
  };

  const visit = (node: Node, parent: Node): void => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return;
      case "IfStatement":
      case "ConditionalExpression":
        decide(nodeAt(node, "test"));
        break;
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
        decide(nodeAt(node, "test"), ["false"]);
        break;
      case "LogicalExpression": {
        const [left, right] = [nodeAt(node, "left"), nodeAt(node, "right")];
        if (left === undefined || right === undefined) break;
        if (node.operator === "??") {
          add("default", node, `(${textOf(left)})`);
          add("default", node, `(${textOf(right)})`);
        } else if (!isDecided.has(node)) decide(left, node.operator === "||" ? ["false"] : undefined);
        break;
      }
      case "UnaryExpression":
        if (node.operator === "!") decide(nodeAt(node, "argument"));
        if (node.operator === "-") {
          const argument = nodeAt(node, "argument");
          if (argument) add("arithmetic", node, `(${textOf(argument)})`);
        }
        break;
      case "BinaryExpression":
        binary(node, parent);
        break;
      case "AssignmentExpression": {
        const other = arithmetic[String(node.operator)];
        const [left, right] = [nodeAt(node, "left"), nodeAt(node, "right")];
        if (other && left && right && !isText(right))
          add("arithmetic", node, `${textOf(left)} ${other} ${textOf(right)}`);
        break;
      }
      case "UpdateExpression":
        if (parent.type !== "ExpressionStatement") {
          add(
            "arithmetic",
            node,
            textOf(node).replace(/\+\+|--/, (operator) => (operator === "++" ? "--" : "++")),
          );
        }
        break;
      case "ExpressionStatement":
        if (!("directive" in node) || node.directive === null) add("statement", node, "", "statement");
        break;
      case "ThrowStatement":
      case "ContinueStatement":
      case "BreakStatement":
        if (parent.type !== "SwitchCase") add("statement", node, "", "statement");
        break;
      case "ArrayExpression":
        if (Array.isArray(node.elements) && node.elements.length > 0) add("list", node, "[]");
        break;
      case "TemplateLiteral": {
        const text = textOf(node).slice(1, -1);
        for (const changed of withoutOneClause(text)) add("clause", node, `\`${changed}\``);
        break;
      }
      case "Literal":
        literal(node);
        if (typeof node.value === "string") {
          for (const changed of withoutOneClause(node.value)) add("clause", node, JSON.stringify(changed));
        }
        break;
      case "CallExpression": {
        const callee = nodeAt(node, "callee");
        const name = callee?.type === "MemberExpression" && callee.computed === false && nodeAt(callee, "property");
        const other = name ? methods.get(String(name.name)) : undefined;
        if (name && other !== undefined) add("method", name, other, "name");
        break;
      }
      default:
        break;
    }
    for (const child of childrenOf(node)) {
      const isKey = child === node.key && node.computed !== true;
      if (!(isKey || child === node.source)) visit(child, node);
    }
  };
  visit(program, program);
  return changes;
};
