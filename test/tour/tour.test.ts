import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readTour } from "./read-tour.ts";
import { runLines } from "./run-lines.ts";

const README = readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8");

describe("the README's tour", () => {
  it("is short lines that need no formatter", () => {
    const commands = readTour(README).map(({ command }) => command);
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((command) => !/^(?:ask|clock|alias|for|curl) /.test(command))).toEqual([]);
    expect(commands.filter((command) => command.length > 130)).toEqual([]);
  });

  it("names the statuses of answers that are meant to fail", () => {
    const loop = "for i in 1 2; do\n  ask /plants # 401\ndone";
    const blocks = [`\`\`\`sh\nask security # 403\n${loop}`, "```text\nx", "```sh\nask /plants"];
    const readme = `## Tour\n${blocks.map((block) => `${block}\n\`\`\`\n`).join("\n")}## Next\n\`\`\`sh\nrm x\n\`\`\`\n`;
    expect(readTour(readme)).toEqual([
      { command: "ask security # 403", status: 403 },
      { command: loop, status: 401 },
      { command: "ask /plants", status: undefined },
    ]);
    expect(() => readTour("## Tour\n## Next\n")).toThrow("no shell block");
  });

  it("fails in lines that fail, that answer another status or that print nothing", async () => {
    const refused = "echo '{}'; echo '403 Forbidden  GET /x  1 ms' >&2; (exit 4)";
    const tried = [
      ["alias ask='echo hello'", undefined, undefined],
      ["ask", undefined, undefined],
      ["alias ask='echo'", undefined, undefined],
      ["ask []", undefined, "printed nothing"],
      ["ask DELETE >/dev/null", undefined, undefined],
      [refused, 403, undefined],
      [refused, 404, "answered 403"],
      [refused, undefined, "answered 403"],
      [`echo $(${refused})`, undefined, "answered 403"],
      ["echo 'HTTP/1.1 401 Unauthorized'", undefined, "answered 401"],
      ["echo fine", 403, "did not answer 403"],
      ["(exit 3)", undefined, "ended with code 3"],
      ["echo end", undefined, undefined],
    ] as const;
    const lines = tried.map(([command, status]) => ({ command, status }));
    const run = await runLines(lines, tmpdir());
    expect(run.map(({ problem }) => problem)).toEqual(tried.map(([, , problem]) => problem));
    expect(run.at(-1)?.output).toBe("end\n");
  });
});
