import { beforeAll, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf, PROVIDER } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useSharedService } from "../support/use-service.ts";

type Result = { kind: string; id: string; title: string; href: string };
type Customer = { id: string; name: string; email: string };

const service = await useSharedService();
const ours = organizationOf(service, "search");
const search = async (q: string, claims?: object) => {
  const { status, body } = await ours.call("GET", `search?q=${encodeURIComponent(q)}`, undefined, claims);
  expect(status).toBe(200);
  return body as Result[];
};

let customer: Customer;
beforeAll(async () => {
  const { apiKey } = await simulatedProvider(service).account(200);
  await ours.connect(apiKey);
  await ours.lastRun();
  const customers = (await ours.records("customers")) as unknown as Customer[];
  const [first] = customers.filter(({ name, email }) => name && email);
  if (first === undefined) throw new Error("The account has no customer with a name and an e-mail address.");
  customer = first;
});

describe("GET …/search", () => {
  it.each(["name", "email"] as const)("finds customers by the beginning of the %s, in any case", async (field) => {
    const beginning = customer[field].slice(0, -1);
    for (const q of [beginning, beginning.toUpperCase()]) {
      const found = await search(q);
      expect(found).toContainEqual({
        kind: "customer",
        id: customer.id,
        title: customer.name,
        href: `${PROVIDER}/records/customers?id=${customer.id}`,
      });
    }
    expect(await search(`x${beginning}`)).toEqual([]);
  });

  it("finds at most 20 results", async () => {
    const names = (await ours.records("customers")).map((one) => String(one.name).slice(0, 2).toLowerCase());
    const [frequent = ""] = [...Map.groupBy(names, (name) => name)]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([name]) => name);
    expect((await search(frequent)).length).toBeLessThanOrEqual(20);
  });

  it("finds what has an exact id, and answers with its address", async () => {
    await ours.call("GET", "security", undefined, { userId: "eve", role: "guest" });
    const [event] = await ours.events("userId=eve");
    const [alert] = (await ours.call("GET", "security/alert")).body as { id: string; title: string }[];
    const [run] = await ours.runs();
    const [invoice] = await ours.records("invoices");
    for (const [kind, id] of [
      ["event", event?.id],
      ["alert", alert?.id],
      ["run", run?.id],
      ["invoice", invoice?.id],
      ["customer", customer.id],
      ["user", "eve"],
      ["address", "192.0.2.7"],
    ] as const) {
      const found = await search(String(id));
      expect(found).toEqual([{ kind, id, title: expect.any(String), href: expect.stringContaining(PROVIDER) }]);
      expect((await ours.call("GET", String(found[0]?.href))).status).toBe(200);
    }
    expect(await search(String(alert?.id))).toMatchObject([{ title: alert?.title }]);
    // Ids and users are exact.
    for (const q of [String(alert?.id).slice(0, -1), String(invoice?.id).slice(0, -1), "EVE", "ev"]) {
      expect(await search(q)).toEqual([]);
    }
  });

  it("finds only what the role may read", async () => {
    const [run] = await ours.runs();
    const guest = { role: "guest", userId: "gus" };
    const member = { role: "member", userId: "mia" };
    const [alert] = (await ours.call("GET", "security/alert")).body as { id: string }[];
    for (const q of [customer.name, customer.id, "eve", String(run?.id), String(alert?.id), "192.0.2.7"]) {
      expect(await search(q, guest)).toEqual([]);
    }
    expect(await search(String(run?.id), member)).toMatchObject([{ kind: "run" }]);
    await ours.call("PUT", "settings", { recordAccess: { guest: ["customers"] } });
    expect(await search(customer.name, guest)).toMatchObject([{ kind: "customer" }]);
    const reads = await eventually("the read is recorded", async () => {
      const events = await ours.events("category=data_access&userId=gus");
      return events.length > 0 && events;
    });
    expect(reads).toEqual([expect.objectContaining({ action: "read_customers" })]);
    await ours.call("PUT", "settings", {});
  });

  it("finds nothing of another organization", async () => {
    const others = organizationOf(service, "search-of-others");
    const [event] = await ours.events();
    const [run] = await ours.runs();
    for (const q of [customer.name, customer.email, customer.id, "eve", String(event?.id), String(run?.id)]) {
      expect((await others.call("GET", `search?q=${encodeURIComponent(q)}`)).body).toEqual([]);
    }
  });

  it.each(["", "?q=", "?q=a", `?q=${"a".repeat(129)}`, "?q=ada&kind=user"])("refuses the query %j", async (query) => {
    expect((await ours.call("GET", `search${query}`)).status).toBe(400);
  });

  it("accepts 2 to 128 characters of any kind", async () => {
    // No customer of the simulator has such a name.
    for (const q of ["zq", "\u{1F331}".repeat(128), "#%&", "__proto__", "a b"]) expect(await search(q)).toEqual([]);
  });

  it("needs a token of an organization", async () => {
    expect((await service.request("GET", `${PROVIDER}/search?q=ada`, {})).status).toBe(401);
    const token = await service.mint({ userId: "ada" });
    expect((await service.request("GET", `${PROVIDER}/search?q=ada`, { token })).status).toBe(403);
  });

  it("no longer finds a customer whose data is erased", async () => {
    await ours.call("POST", "erasure", { scope: "all" });
    await eventually("the customer is erased", async () => (await search(customer.name)).length === 0);
  });
});
