/**
 * Ends a command with one sentence if Node is too old for the rest. Old syntax, CommonJS: any Node since version 6 can
 * read it, where other files would end in a syntax error.
 */
const OLDEST = 20;

if (Number(process.versions.node.split(".")[0]) < OLDEST) {
  console.error(
    "Node " +
      process.versions.node +
      " is too old: install Node " +
      OLDEST +
      " or newer (the newest LTS from nodejs.org), and run the command again",
  );
  process.exit(1);
}
