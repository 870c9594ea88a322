/** The values that an intrinsic function needs from its surroundings; each throws with the logical id when stuck. */
export type Surroundings = {
  resolve(value: unknown): unknown;
  reference(name: string): unknown;
  attribute(logicalId: string, name: string): string;
  condition(name: string): boolean;
  fail(problem: string): never;
};

type Intrinsic = (argument: unknown, surroundings: Surroundings) => unknown;

/** Stands for AWS::NoValue: whatever holds it is left out. */
export const noValue = Symbol("AWS::NoValue");

const list = (value: unknown, name: string, { resolve, fail }: Surroundings): unknown[] => {
  const resolved = resolve(value);
  return Array.isArray(resolved) ? resolved : fail(`${name} takes a list`);
};

const text = (value: unknown, name: string, { resolve, fail }: Surroundings): string => {
  const resolved = resolve(value);
  return typeof resolved === "string" || typeof resolved === "number" || typeof resolved === "boolean"
    ? String(resolved)
    : fail(`${name} takes text, not ${JSON.stringify(value)}`);
};

const truth = (value: unknown, surroundings: Surroundings): boolean => {
  const resolved = surroundings.resolve(value);
  return typeof resolved === "boolean" ? resolved : surroundings.fail("a condition is neither true nor false");
};

const substitute = (argument: unknown, surroundings: Surroundings): string => {
  const [pattern, variables]: unknown[] = Array.isArray(argument) ? argument : [argument, {}];
  const given = new Map(Object.entries(variables ?? {}));
  return text(pattern, "Fn::Sub", surroundings).replace(/\$\{(!?)([^}]+)\}/g, (_all, literal: string, name: string) => {
    if (literal !== "") return `\${${name}}`;
    if (given.has(name)) return text(given.get(name), "Fn::Sub", surroundings);
    return text({ [name.includes(".") ? "Fn::GetAtt" : "Ref"]: name }, "Fn::Sub", surroundings);
  });
};

const attributeOf = (argument: unknown, surroundings: Surroundings): string => {
  const [logicalId, ...name] =
    typeof argument === "string" ? argument.split(".") : list(argument, "Fn::GetAtt", surroundings);
  return surroundings.attribute(String(logicalId), name.join("."));
};

/** CloudFormation's intrinsic functions by their key; one that is not here is an error wherever it stands. */
export const intrinsics: Record<string, Intrinsic> = {
  Ref: (name, { reference }) => reference(String(name)),
  "Fn::GetAtt": attributeOf,
  "Fn::Sub": substitute,
  "Fn::Join": (argument, surroundings) => {
    const [separator, parts] = Array.isArray(argument) ? argument : [];
    return list(parts, "Fn::Join", surroundings)
      .map((part) => text(part, "Fn::Join", surroundings))
      .join(text(separator, "Fn::Join", surroundings));
  },
  "Fn::Select": (argument, surroundings) => {
    const [index, items] = Array.isArray(argument) ? argument : [];
    const chosen = list(items, "Fn::Select", surroundings)[Number(surroundings.resolve(index))];
    return chosen ?? surroundings.fail(`Fn::Select finds nothing at ${JSON.stringify(index)}`);
  },
  "Fn::Split": (argument, surroundings) => {
    const [separator, whole] = Array.isArray(argument) ? argument : [];
    return text(whole, "Fn::Split", surroundings).split(text(separator, "Fn::Split", surroundings));
  },
  "Fn::If": (argument, surroundings) => {
    const [name, whenTrue, whenFalse] = Array.isArray(argument) ? argument : [];
    return surroundings.resolve(surroundings.condition(String(name)) ? whenTrue : whenFalse);
  },
  Condition: (name, { condition }) => condition(String(name)),
  "Fn::Equals": (argument, surroundings) => {
    const [left, right] = list(argument, "Fn::Equals", surroundings);
    return String(left) === String(right);
  },
  "Fn::Not": (argument, surroundings) => !truth(list(argument, "Fn::Not", surroundings)[0], surroundings),
  "Fn::And": (argument, surroundings) =>
    list(argument, "Fn::And", surroundings).every((part) => truth(part, surroundings)),
  "Fn::Or": (argument, surroundings) =>
    list(argument, "Fn::Or", surroundings).some((part) => truth(part, surroundings)),
};
