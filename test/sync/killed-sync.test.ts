import { expect, it } from "@jest/globals";
import type { Run } from "../support/integration.ts";
import { killUntilEnd } from "../support/killed-sync.ts";

const running: Run = { id: "1", trigger: "manual", mode: "full", status: "running", progress: {} };

it("reports what failed while the clock moved, not that the service then stopped", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const stopped = Promise.withResolvers<never>();
  let hours = 0;
  const service = {
    codeDirectoryOf: () => "/nowhere",
    advance: () => {
      hours++;
      return stopped.promise;
    },
  };
  const runs = async (): Promise<Run[]> => {
    if (hours > 0) throw new Error("GET sync answered 401");
    return [running];
  };
  try {
    const killed = killUntilEnd({ service, organization: { runs }, moments: [], random: () => 0, stalledMs: -1 });
    await expect(killed).rejects.toThrow("GET sync answered 401");
    stopped.reject(new Error("the local cloud is stopping"));
    await new Promise(setImmediate);
    expect({ hours, unhandled }).toEqual({ hours: 1, unhandled: [] });
  } finally {
    process.off("unhandledRejection", note);
  }
});
