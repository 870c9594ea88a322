/**
 * One JSON object a line on standard output, which CloudWatch Logs indexes as it is. Written to the stream rather
 * than with console.log, which Lambda would prefix.
 */
export type LogLevel = "info" | "warn" | "error";

type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

// Node creates the stream at its first use: at initialisation instead of the first request.
const { stdout } = process;

/**
 * Writes one line, without undefined fields. Callers must not pass tokens, bodies or personal data.
 * A field `alarm` alarms the operators (infra/constructs/operator-alarm.ts); its value names the problem.
 */
export const writeLog = (level: LogLevel, message: string, fields: LogFields): void => {
  stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`);
};
