import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type AttributeValue, DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { engineClient, engineScope } from "../../../infra/local/dynamodb/client.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { controlOf } from "../../support/control.ts";
import { eventually, organizationOf } from "../../support/integration.ts";
import { useService } from "../../support/use-service.ts";
import { readAll, startRestoringAws } from "./restoring-aws.ts";

const service = await useService();
const client = engineClient(service.stack.dynamodbUrl);
const events = service.stack.tables.find((name) => name.includes("TablesSecurityEvents")) ?? "";
const points = new Map<string, Record<string, AttributeValue>[]>();
const aws = await startRestoringAws(client, service.stack.dynamodbUrl, service.stack.tables, points);
afterAll(async () => {
  await aws.close();
  client.destroy();
});

const program = join(import.meta.dirname, "..", "..", "..", "infra", "recovery", "restore.ts");
const restore = async (...args: string[]) => {
  const env = {
    AWS_ACCESS_KEY_ID: engineScope.accessKeyId,
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_REGION: engineScope.region,
    AWS_ENDPOINT_URL: aws.url,
  };
  const child = spawn(process.execPath, [program, "--stack", "plant-store-dev", ...args], { env });
  const textOf = async (stream: typeof child.stdout) => (await stream.setEncoding("utf8").toArray()).join("");
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = await once(child, "close");
  return { code, printed: `${await stdout}${await stderr}` };
};

const ofUser = organizationOf(service, "restored-user");
const ofAll = organizationOf(service, "restored-all");
const stored = async (organizationId: string) =>
  (await readAll(client, events)).filter(({ scope }) => scope?.S === organizationKey(organizationId));
const erase = async (organization: typeof ofUser, body: object) => {
  const { body: asked } = await organization.call("POST", "erasure", body);
  await completed(organization, (asked as { id: string }).id);
};
const completed = (organization: typeof ofUser, id: string) =>
  eventually(`the erasure ${id} is completed`, async () => {
    const { body } = await organization.call("GET", "erasure");
    return (body as { id: string; status: string }[]).find((one) => one.id === id && one.status === "completed");
  });
const erasureOf = async (organization: typeof ofUser) =>
  ((await organization.call("GET", "erasure")).body as { id: string; status: string }[])[0];

let to: string;
let before: number;

/** Both organizations have events; then the point in time; then both erase; then the table is damaged. */
beforeAll(async () => {
  for (const userId of ["bob-the-leaver", "carol"])
    await ofUser.call("GET", "security", undefined, { userId, role: "guest" });
  await ofAll.call("GET", "security", undefined, { userId: "dora", role: "guest" });
  to = new Date().toISOString();
  points.set(events, await readAll(client, events));
  before = (await stored("restored-user")).length;
  await Promise.all([erase(ofUser, { scope: "user", userId: "bob-the-leaver" }), erase(ofAll, { scope: "all" })]);
  for (const organizationId of ["restored-user", "restored-all"]) {
    for (const { scope, id } of await stored(organizationId))
      if (scope !== undefined && id !== undefined)
        await client.send(new DeleteItemCommand({ TableName: events, Key: { scope, id } }));
  }
});

describe("npm run restore", () => {
  it("compares a restored table without writing anything", async () => {
    const { code, printed } = await restore("--table", "securityEvents", "--to", to);
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining("Nothing was written") });
    expect(printed).toMatch(/2 erasures completed after that time; 1 of users whom the items name/);
    expect(printed).toMatch(new RegExp(`missing +${before}\\b`));
    expect(await stored("restored-user")).toEqual([]);
  });

  it("writes back what is missing, and the erasures since then hold", async () => {
    const { code, printed } = await restore("--table", "securityEvents", "--to", to, "--write", "missing");
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(new RegExp(`written +${before}\\b`)) });
    expect(JSON.stringify(await stored("restored-user"))).toContain("bob-the-leaver");
    expect(await stored("restored-all")).toEqual([]);

    const again = await erasureOf(ofUser);
    expect(again?.status).toBe("requested");
    await controlOf(service).fire(/resume-erasures/);
    await completed(ofUser, again?.id ?? "");
    const rest = JSON.stringify(await stored("restored-user"));
    expect(rest).not.toContain("bob-the-leaver");
    expect(rest).toContain("carol");
    expect((await erasureOf(ofAll))?.status).toBe("completed");
  });

  it("leaves items that differ, unless they are asked for", async () => {
    const point = points.get(events)?.find(({ userId }) => userId?.S === "carol");
    const damaged = Object.assign({}, point, { action: { S: "damaged" } });
    await client.send(new PutItemCommand({ TableName: events, Item: damaged }));
    await restore("--table", "securityEvents", "--to", to, "--write", "missing");
    expect(JSON.stringify(await stored("restored-user"))).toContain("damaged");
    await restore("--table", "securityEvents", "--to", to, "--write", "different");
    expect(JSON.stringify(await stored("restored-user"))).not.toContain("damaged");
  });

  it("writes nothing while an erasure is under way, and says which word is wrong", async () => {
    await controlOf(service).fire(/resume-erasures/);
    const { body } = await ofUser.call("POST", "erasure", { scope: "user", userId: "nobody" });
    expect(await restore("--table", "securityEvents", "--to", to, "--write", "missing")).toEqual({
      code: 1,
      printed: expect.stringMatching(/erasures are under way: wait/),
    });
    await completed(ofUser, (body as { id: string }).id);
    expect((await restore("--table", "events", "--to", to)).printed).toMatch(/^--table: expected one of plants, /);
    expect((await restore("--table", "records")).printed).toMatch(/^--to: expected a time/);
  });
});
