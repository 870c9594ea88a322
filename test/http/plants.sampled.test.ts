import { describe, expect, it } from "@jest/globals";
import { INT64_MAX, INT64_MIN } from "../../shared/json/int64.ts";
import { deepIt } from "../support/deep-it.ts";
import { depth } from "../support/depth.ts";
import { fc } from "../support/fixed-seed.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
let users = 0;

/** Requests of a caller with these claims; by default of a new organization. */
const asCaller = async (claims: object = { organizationId: `org-${++users}`, userId: "ada" }) => {
  const token = await service.mint(claims);
  return (method: string, path: string, body?: string) => service.request(method, path, { token, body });
};

describe("POST /plants", () => {
  it("creates a plant and returns it without its id", async () => {
    const call = await asCaller();
    const made = await call("POST", "/plants", '{"id":1,"name":"Monstera","tag":"tropical","color":"green"}');
    expect(made).toMatchObject({ status: 200, body: { name: "Monstera", tag: "tropical" } });
    expect(made.text).toBe('{"name":"Monstera","tag":"tropical"}');
    expect((await call("POST", "/plants", '{"id":2,"name":"Ficus"}')).text).toBe('{"name":"Ficus"}');
    expect((await call("GET", "/plants")).body).toEqual([{ name: "Monstera", tag: "tropical" }, { name: "Ficus" }]);
  });

  it("accepts every spelling of an integer in range and distinguishes neighbours beyond 2^53", async () => {
    const call = await asCaller();
    const spelled = [
      "9007199254740992",
      "9007199254740993",
      "9007199254740994.0",
      "9.007199254740995e15",
      `${INT64_MIN}`,
      `${INT64_MAX}`,
    ];
    for (const id of spelled) {
      expect((await call("POST", "/plants", `{"id":${id},"name":"${id}"}`)).status).toBe(200);
    }
    for (const id of ["9007199254740993", "9007199254740993.00", "9007199254740993e0"]) {
      expect(await call("POST", "/plants", `{"id":${id},"name":"again"}`)).toMatchObject({
        status: 409,
        body: { error: 40901 },
      });
    }
    expect((await call("DELETE", "/plants/9007199254740993")).status).toBe(204);
    const names = ((await call("GET", "/plants")).body as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual([spelled[4], spelled[0], spelled[2], spelled[3], spelled[5]]);
  });

  it.each([
    ["{}", "id: expected an integer between -9223372036854775808 and 9223372036854775807"],
    ['{"id":"1","name":"x"}', "id: expected an integer"],
    ['{"id":1.5,"name":"x"}', "id: expected an integer"],
    ['{"id":9223372036854775808,"name":"x"}', "id: expected an integer"],
    ['{"id":1e999999999,"name":"x"}', "id: expected an integer"],
    ['{"id":null,"name":"x"}', "id: expected an integer"],
    ['{"id":1}', "name: expected a text of 1 to 256 characters"],
    ['{"id":1,"name":""}', "name: expected a text of 1 to 256 characters"],
    [`{"id":1,"name":"${"🌵".repeat(257)}"}`, "name: expected a text of 1 to 256 characters"],
    ['{"id":1,"name":"x","tag":""}', "tag: expected a text of 1 to 128 characters"],
    ['{"id":1,"name":"x","tag":null}', "tag: expected a text of 1 to 128 characters"],
    ["[]", "body: "],
    ["null", "body: "],
    ['"x"', "body: "],
  ])("refuses %s", async (body, message) => {
    const call = await asCaller();
    const refused = await call("POST", "/plants", body);
    expect(refused).toMatchObject({ status: 400, body: { error: 40002, message: expect.stringContaining(message) } });
  });

  it("stores any well-formed text unchanged", async () => {
    const name = fc.string({ unit: "binary", minLength: 1, maxLength: 256 });
    const call = await asCaller();
    let id = 0;
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const made = await call("POST", "/plants", JSON.stringify({ id: ++id, name: text }));
        expect(made).toMatchObject({ status: 200, body: { name: text } });
      }),
      { seed: 20_261_121, numRuns: depth(4, 50) },
    );
    expect(((await call("GET", "/plants")).body as unknown[]).length).toBe(id);
  });

  it("has one winner of 50 concurrent requests for one id", async () => {
    const call = await asCaller();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => call("POST", "/plants", `{"id":7,"name":"plant ${i}"}`)),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect((await call("GET", "/plants")).body).toEqual([winners[0]?.body]);
  });
});

describe("GET /plants", () => {
  it("is an empty array if there are no plants", async () => {
    const call = await asCaller();
    expect(await call("GET", "/plants")).toMatchObject({ status: 200, text: "[]" });
  });

  it("returns every plant once over all pages, in order of id", async () => {
    const call = await asCaller();
    const ids = [5, -3, 0, 12, 7, 40, -100];
    for (const id of ids) await call("POST", "/plants", `{"id":${id},"name":"${id}"}`);
    const sorted = [...ids].sort((a, b) => a - b).map(String);
    for (const limit of [1, 2, 3, 7, 100]) {
      const seen: string[] = [];
      let path: string | undefined = `/plants?limit=${limit}`;
      while (path !== undefined) {
        const page = await call("GET", path);
        expect(page.status).toBe(200);
        seen.push(...(page.body as { name: string }[]).map(({ name }) => name));
        path = page.next;
      }
      expect(seen).toEqual(sorted);
    }
  });

  it("accepts a cursor only from its caller", async () => {
    const call = await asCaller();
    for (const id of [1, 2]) await call("POST", "/plants", `{"id":${id},"name":"${id}"}`);
    const next = (await call("GET", "/plants?limit=1")).next ?? "";
    const other = await asCaller();
    for (const refused of [
      await other("GET", next),
      await call("GET", `${next}x`),
      await call("GET", "/plants?cursor=x"),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { error: 40003 } });
    }
  });

  it.each(["limit=0", "limit=10001", "limit=-1", "limit=1.0", "limit=%201", "limit=x", "limit=", "limit=1&limit=2"])(
    "refuses %s",
    async (query) => {
      const call = await asCaller();
      expect(await call("GET", `/plants?${query}`)).toMatchObject({ status: 400, body: { error: 40002 } });
    },
  );

  it("ignores unknown parameters", async () => {
    const call = await asCaller();
    expect((await call("GET", "/plants?limit=10000&color=green&color=")).status).toBe(200);
  });
});

describe("POST /plants with an Idempotency-Key", () => {
  const create = async (claims: object, key: string, body: string) =>
    service.request("POST", "/plants", {
      token: await service.mint(claims),
      body,
      headers: { "idempotency-key": key },
    });

  it("has one effect, and gives the first answer again, also at the same time and after the plant was deleted", async () => {
    const claims = { organizationId: `org-${++users}`, userId: "ada" };
    const body = '{"id":9007199254740993,"name":"Monstera"}';
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(claims, "k", body)));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [200, '{"name":"Monstera"}']));
    const call = await asCaller(claims);
    expect((await call("DELETE", "/plants/9007199254740993")).status).toBe(204);
    expect((await create(claims, "k", body)).status).toBe(200);
    expect((await call("GET", "/plants")).body).toEqual([]);
  });

  it("is 409 with another body, and for an id that existed before", async () => {
    const claims = { organizationId: `org-${++users}` };
    await create(claims, "k", '{"id":1,"name":"Monstera"}');
    expect(await create(claims, "k", '{"id":2,"name":"Monstera"}')).toMatchObject({
      status: 409,
      body: { error: 40905 },
    });
    for (const _attempt of [1, 2]) {
      expect(await create(claims, "other", '{"id":1,"name":"Ficus"}')).toMatchObject({
        status: 409,
        body: { error: 40901 },
      });
    }
    expect((await (await asCaller(claims))("GET", "/plants")).body).toEqual([{ name: "Monstera" }]);
  });

  deepIt("keeps the keys of organizations and of users without one apart", async () => {
    const callers = [{ organizationId: `org-${++users}` }, { userId: `user-${users}` }, { userId: `other-${users}` }];
    for (const [i, claims] of callers.entries()) {
      const body = `{"id":1,"name":"plant ${i}"}`;
      expect(await create(claims, "k", body)).toMatchObject({ status: 200, body: { name: `plant ${i}` } });
    }
  });
});

describe("DELETE /plants/{id}", () => {
  it("deletes a plant once; then it is not found", async () => {
    const call = await asCaller();
    await call("POST", "/plants", `{"id":${INT64_MIN},"name":"x"}`);
    expect(await call("DELETE", `/plants/${INT64_MIN}`)).toMatchObject({ status: 204, text: "" });
    expect(await call("DELETE", `/plants/${INT64_MIN}`)).toMatchObject({ status: 404, body: { error: 40401 } });
    expect((await call("GET", "/plants")).body).toEqual([]);
  });

  it.each(["x", "1.0", "+1", "1e3", "9223372036854775808", "%201", "0x1"])("refuses the id %s", async (id) => {
    const call = await asCaller();
    expect(await call("DELETE", `/plants/${id}`)).toMatchObject({ status: 400, body: { error: 40002 } });
  });
});

describe("scopes", () => {
  it("separate the plants of two organizations and a user under one id", async () => {
    const [acme, globex, ada] = await Promise.all(
      [
        { organizationId: "scope-acme", userId: "ada" },
        { organizationId: "scope-globex", userId: "ada" },
        { userId: "ada" },
      ].map(asCaller),
    );
    for (const call of [acme, globex, ada]) {
      expect((await call?.("POST", "/plants", '{"id":1,"name":"mine"}'))?.status).toBe(200);
    }
    expect((await acme?.("DELETE", "/plants/1"))?.status).toBe(204);
    expect((await globex?.("GET", "/plants"))?.body).toEqual([{ name: "mine" }]);
    expect((await ada?.("GET", "/plants"))?.body).toEqual([{ name: "mine" }]);
  });

  it("are shared by all members of an organization, in any role", async () => {
    const organizationId = "scope-shared";
    const admin = await asCaller({ organizationId, userId: "ada", role: "admin" });
    await admin("POST", "/plants", '{"id":1,"name":"ours"}');
    for (const role of ["billing", "member", "guest", "nobody"]) {
      const call = await asCaller({ organizationId, userId: "bob", role });
      expect((await call("GET", "/plants")).body).toEqual([{ name: "ours" }]);
    }
  });
});
