import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { TourLine } from "./read-tour.ts";

/** Ends the output of each line. No command prints it. */
const MARK = "\u001e";
/** A status that `ask` writes about a failure: `403 Forbidden  GET /plants  as acme/guest/eve  12 ms`. */
const ASKED = /^([45]\d\d) [A-Z].*ms$/gm;
/** A status that `curl -i` prints about a failure. */
const CURLED = /^HTTP\/\S+ ([45]\d\d)/gm;

/** A line that has run. `problem` says why it failed; undefined if it did not. */
export type RunLine = TourLine & { output: string; elapsedMs: number; problem: string | undefined };

const script = (lines: readonly TourLine[]) =>
  [
    "shopt -s expand_aliases",
    `printf '${MARK}0 %s\\n' "$EPOCHREALTIME"; printf '${MARK}\\n' >&2`,
    ...lines.flatMap(({ command }) => [
      command,
      `printf '${MARK}%d %s\\n' $? "$EPOCHREALTIME"; printf '${MARK}\\n' >&2`,
    ]),
  ].join("\n");

const problemOf = (expected: number | undefined, code: number, statuses: readonly number[]): string | undefined => {
  if (expected === undefined && statuses.length > 0) return `answered ${statuses.join(", ")}`;
  if (expected === undefined) return code === 0 ? undefined : `ended with code ${code}`;
  if (statuses.length === 0) return `did not answer ${expected}`;
  return statuses.every((status) => status === expected) ? undefined : `answered ${statuses.join(", ")}`;
};

/** Every answer but a 204 has a body, and no list of the tour is empty. */
const isEmpty = ({ command }: TourLine, output: string) =>
  /^ask (?!DELETE)/.test(command) && /^(?:\[\])?$/.test(output.trim());

/** Runs the lines in one bash, as if they were pasted. Each runs, whether or not the one before failed. */
export const runLines = async (lines: readonly TourLine[], directory: string): Promise<RunLine[]> => {
  const bash = spawn("bash", ["-s"], { cwd: directory, stdio: ["pipe", "pipe", "pipe"] });
  bash.stdin.end(`${script(lines)}\n`);
  const [stdout, stderr] = await Promise.all([text(bash.stdout), text(bash.stderr)]);
  const outputs = stdout.split(MARK);
  const errors = stderr.split(MARK);
  let before = 0;
  return outputs.slice(1).flatMap((ended, index) => {
    const [, code = "0", time = ""] = /^(\d+) (\S*)\n/.exec(ended) ?? [];
    const at = Number(time) * 1_000;
    const line = lines[index - 1];
    const elapsedMs = Math.round(at - before);
    before = at;
    if (line === undefined) return [];
    const [printed = "", said = ""] = [outputs[index], errors[index]];
    const output = `${printed.replace(/^\d+ \S*\n/, "")}${said.trimStart()}`;
    const statuses = [...said.matchAll(ASKED), ...printed.matchAll(CURLED)].map(([, status]) => Number(status));
    const problem =
      problemOf(line.status, Number(code), statuses) ?? (isEmpty(line, output) ? "printed nothing" : undefined);
    return [{ ...line, output, elapsedMs, problem }];
  });
};
