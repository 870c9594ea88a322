/**
 * Every file of a data directory that the service has used, in every damage: the start names the file, and leaves all
 * others as they are. The same for a killed local cloud, and kills at any moment of the first start.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { listen } from "../../../infra/local/http/listen.ts";
import { startTestCloud } from "../../support/local-cloud.ts";
import { createRandom } from "../../support/random.ts";
import { newDirectory } from "../../support/temporary-directory.ts";
import { contentsOf, copyOf, damages } from "./data-directory/used-directory.ts";

const START = join(import.meta.dirname, "..", "..", "..", "infra", "local", "start", "start.ts");
const PLANTS = 40;

const plantsOf = async (dataDirectory: string): Promise<unknown[]> => {
  const cloud = await startTestCloud({ dataDirectory });
  try {
    const response = await cloud.call("GET", "/plants", { token: await cloud.token({ organizationId: "green" }) });
    return (await response.json()) as unknown[];
  } finally {
    await cloud.stop();
  }
};

/** The service's directory after a start, plants, an hour and a stop. */
let used: string;
/** The same without a stop: the databases' last writes are in their write-ahead logs. */
let killed: string;
beforeAll(async () => {
  delete process.env.DYNAMODB_ENDPOINT;
  used = newDirectory("used-");
  const cloud = await startTestCloud({ dataDirectory: used });
  const token = await cloud.token({ organizationId: "green" });
  for (let id = 0; id < PLANTS; id++) await cloud.call("POST", "/plants", { token, body: { id, name: `plant ${id}` } });
  await cloud.control("/clock/advance", { ms: 3_600_000 });
  killed = copyOf(used);
  await cloud.stop();
});

const refusal = (dataDirectory: string): Promise<string | undefined> =>
  startTestCloud({ dataDirectory }).then(
    (cloud) => cloud.stop().then(() => undefined),
    (error: Error) => error.message,
  );

const tryAll = async (directory: string) => {
  const tried: string[] = [];
  for (const name of contentsOf(directory).keys()) {
    for (const [damage, hurt] of Object.entries(damages)) {
      const copy = copyOf(directory);
      hurt(join(copy, name));
      const before = contentsOf(copy);
      const message = await refusal(copy);
      expect([damage, message]).toEqual([damage, expect.stringContaining(`${join(copy, name)} `)]);
      expect(message).toMatch(/: restore the file from a backup, or delete the whole directory/);
      expect(contentsOf(copy)).toEqual(before);
      tried.push(`${name} ${damage}`);
    }
  }
  return tried;
};

describe("the service's data directory", () => {
  it("starts again with all plants, after a stop and after a kill", async () => {
    expect(await plantsOf(copyOf(used))).toHaveLength(PLANTS);
    expect(await plantsOf(copyOf(killed))).toHaveLength(PLANTS);
  });

  it("is refused by the name of each damaged file", async () => {
    const tried = await tryAll(used);
    expect(tried.length).toBeGreaterThanOrEqual(8 * Object.keys(damages).length);
    console.log(`${tried.length} damages of a stopped local cloud's files: all refused by name, no other file changed`);
  });

  it("is refused by the name of each damaged file after a kill", async () => {
    const tried = await tryAll(killed);
    expect(tried.filter((one) => one.includes("-wal")).length).toBeGreaterThan(0);
    console.log(`${tried.length} damages of a killed local cloud's files: all refused by name, no other file changed`);
  });
});

describe("npm start", () => {
  it("starts after a kill at any moment of its first start", async () => {
    const random = createRandom(14);
    const { port, close } = await listen(createServer(), 0);
    await close();
    for (let round = 0; round < 6; round++) {
      const dataDirectory = newDirectory("killed-start-");
      const child = spawn(process.execPath, [START], {
        env: { ...process.env, PORT: String(port), LOCAL_DATA_DIR: dataDirectory },
        stdio: "ignore",
      });
      await wait(300 + random() * 6_000);
      child.kill("SIGKILL");
      await once(child, "exit");
      expect([round, await refusal(dataDirectory)]).toEqual([round, undefined]);
      expect([round, await refusal(dataDirectory)]).toEqual([round, undefined]);
    }
  });
});
