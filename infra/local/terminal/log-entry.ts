/** A log line of a function or of the local cloud, as one entry. */
export type LogEntry = { level: "info" | "warn" | "error"; message: string } & Readonly<Record<string, unknown>>;

const LEVELS = ["info", "warn", "error"] as const;
/** What the local cloud itself writes about a failure: a denied call, a lost event, a failed invocation. */
const FAILURE = /^(?:DENIED|LOST|DEAD LETTER|Invoke Error)\b|\bmay not invoke\b/;

const parseObject = (line: string): Record<string, unknown> | undefined => {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Parses a line: JSON with a message as the functions write it, or any other text. */
export const parseLogLine = (line: string): LogEntry => {
  const fields = parseObject(line);
  const level = LEVELS.find((one) => one === fields?.level);
  return fields === undefined || level === undefined || typeof fields.message !== "string"
    ? { level: FAILURE.test(line) ? "error" : "info", message: line }
    : { ...fields, level, message: fields.message };
};

/** A function's name without its group and CloudFormation's hash: `SyncRunSyncFunction513F751D` is `run-sync`. */
export const sourceName = (source: string): string => {
  const [, name] = /^[A-Z][a-z]+([A-Z]\w*)Function[0-9A-F]{8}$/.exec(source) ?? [];
  return name === undefined
    ? source.replace(/[0-9A-F]{8}$/, "")
    : name.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
};
