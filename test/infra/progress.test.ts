import { describe, expect, it } from "@jest/globals";
import { createProgress } from "../../infra/progress.ts";

/** What a step of this length prints. */
const printed = async (isTTY: boolean, milliseconds: number, work = async () => {}): Promise<string> => {
  const parts: unknown[] = [];
  let now = 0;
  const output = { isTTY, write: (part: unknown) => parts.push(part) > 0 };
  const step = createProgress(output, () => now);
  await step("Building", async () => {
    now += milliseconds;
    await work();
  }).catch(() => undefined);
  return parts.join("");
};

describe("the progress of a start", () => {
  it("is a line for each step that takes longer than a second", async () => {
    expect(await printed(false, 999)).toBe("");
    expect(await printed(false, 1_840)).toBe("Building … 1.8 s\n");
  });

  it("shows the step on a terminal while it runs", async () => {
    expect(await printed(true, 999)).toBe("Building …\r\x1b[K");
    expect(await printed(true, 1_840)).toBe("Building …\r\x1b[KBuilding … 1.8 s\n");
  });

  it("leaves the title of a failed step on a terminal, and passes the error on", async () => {
    const fail = () => Promise.reject(new Error("broken"));
    expect(await printed(true, 10, fail)).toBe("Building …\n");
    await expect(createProgress({ isTTY: false, write: () => true })("Building", fail)).rejects.toThrow("broken");
  });
});
