const escapeRegExp = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");

const compiled = new Map<string, RegExp>();

/** Whether the whole text matches the pattern, in which `*` stands for any characters and `?` for one. */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(`^${escapeRegExp(pattern).replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
    compiled.set(pattern, expression);
  }
  return expression.test(text);
};

/** An ARN's six parts; the last part contains any further colons. */
const partsOf = (arn: string): string[] => {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), parts.slice(5).join(":")];
};

export const isArnPattern = (text: string): boolean => text.split(":").length >= 6;

/** Whether an ARN matches: part by part, so that a wildcard never reaches over a colon into the next part. */
export const matchesArn = (pattern: string, arn: string): boolean => {
  if (pattern === "*") return true;
  const parts = partsOf(arn);
  return partsOf(pattern).every((part, index) => matchesWildcard(part, parts[index] ?? ""));
};
