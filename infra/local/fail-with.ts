/**
 * Ends a command with one clear line. Errors of JavaScript itself (such as TypeError) are bugs and keep their stack.
 * The process ends with code 1 even if work is still running.
 */
export const failWith = (error: unknown): never => {
  const isBug = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  console.error(error instanceof Error ? (isBug && !isUsage ? error.stack : error.message) : String(error));
  process.exit(1);
};
