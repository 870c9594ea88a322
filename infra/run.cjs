/**
 * Starts each command of package.json: `node infra/run.cjs [options of Node] PROGRAM [arguments]`. Checks the Node that
 * started npm, installs what is missing, and runs the program on the pinned Node. With `--comment-is-help` in front, the
 * command's `--help` prints the comment at the top of the program.
 */
require("./check-node.cjs");
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const PARENT_CHECK_MS = 500;
const node = join(__dirname, "..", "node_modules", ".bin", "node");
const given = process.argv.slice(2);
const isDescribed = given[0] === "--comment-is-help";
const args = isDescribed ? given.slice(1) : given;

/** For a Node that cannot replace its process: the child gets the signals, and its end is the end of this process. */
const runAsChild = () => {
  const child = spawn(node, args, { stdio: "inherit" });
  const signals = ["SIGHUP", "SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  // The shell between npm and this process dies of a signal, and passes nothing on.
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const one of signals) process.removeAllListeners(one);
    process.kill(process.pid, signal);
  });
};

if (isDescribed && args.some((arg) => arg === "--help" || arg === "-h")) {
  const program = readFileSync(
    args.find((arg) => arg.endsWith(".ts")),
    "utf8",
  );
  const comment = program.slice(0, program.indexOf("*/"));
  console.log(comment.replace(/^(?:\/\*)?\*? ?\*? ?/gm, "").trim());
} else {
  require("./bootstrap.cjs");
  // The program takes the place of this process, so npm's signals reach it.
  if (process.execve === undefined) runAsChild();
  else process.execve(node, [node, ...args]);
}
