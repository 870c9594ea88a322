/**
 * One JSON object a line on standard output, which CloudWatch Logs indexes as it is. Written to the stream rather
 * than with console.log, which Lambda would prefix.
 */
export type LogLevel = "info" | "warn" | "error";

type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

// Node makes the stream when it is first asked for: in the initialisation, rather than in the first request.
const { stdout } = process;

/**
 * Writes one line; fields that are undefined are left out. Callers pass no tokens, bodies or personal data.
 * A field `alarm` calls the operators (infra/constructs/operator-alarm.ts); its value says what is the matter.
 */
export const writeLog = (level: LogLevel, message: string, fields: LogFields): void => {
  stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`);
};
