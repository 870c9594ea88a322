/** Exports with proof at a running service, and what the verifier says of them. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Export } from "../../shared/exports/export.ts";
import { eventually, type organizationOf } from "./integration.ts";
import { newDirectory } from "./temporary-directory.ts";

type Organization = Pick<ReturnType<typeof organizationOf>, "call">;

/** The exports with proof of an organization. */
export const proofsOf = ({ call }: Organization) => {
  const ended = (id: string): Promise<Export> =>
    eventually("the export has ended", async () => {
      const one = (await call("GET", `security/exports/${id}`)).body as Export;
      return ["completed", "failed"].includes(one.status) && one;
    });
  return {
    ended,

    /** Requests one of whole hours. @param span epoch ms, `until` exclusive. @returns its id. */
    async start(span: { since: number; until: number }): Promise<string> {
      const { status, text, body } = await call("POST", "security/exports", { format: "ndjson", proof: true, ...span });
      if (status !== 202) throw new Error(`POST security/exports answered ${status}: ${text}`);
      return (body as Export).id;
    },

    /** Downloads the files of an export into a folder, as soon as it is completed. */
    async download(id: string): Promise<string> {
      const folder = newDirectory("proof-");
      const { status, files } = await ended(id);
      if (status !== "completed") throw new Error(`The export is ${status}.`);
      for (const { name, url = "" } of files)
        writeFileSync(join(folder, name), Buffer.from(await (await fetch(url)).arrayBuffer()));
      return folder;
    },
  };
};

/** What the verifier prints of the files in a folder. */
export const verify = async (folder: string, ...options: string[]): Promise<string> => {
  const run = await promisify(execFile)(process.execPath, ["docs/verify.mjs", folder, ...options]).catch(
    (refused) => refused,
  );
  return run.stdout;
};

/** Has a user erased. @returns the erasure's id, when it is completed. */
export const completedErasure = async ({ call }: Organization, userId: string): Promise<string> => {
  const { id } = (await call("POST", "erasure", { scope: "user", userId })).body as { id: string };
  await eventually("the erasure is completed", async () => {
    const listed = (await call("GET", "erasure")).body as { id: string; status: string }[];
    return listed.some((one) => one.id === id && one.status === "completed");
  });
  return id;
};
