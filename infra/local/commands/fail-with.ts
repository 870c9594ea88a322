/**
 * Ends a command with one clear line. Errors of JavaScript itself (such as TypeError) are bugs and keep their stack.
 * The process ends with code 1 even if work is still running.
 */
export const failWith = (error: unknown): never => {
  const isBug = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  // The rest of the message of parseArgs is about positional arguments that start with "-".
  if (isUsage) console.error(`${error.message.split(". ")[0]}: --help lists the options`);
  else console.error(error instanceof Error ? (isBug ? error.stack : error.message) : String(error));
  process.exit(1);
};
