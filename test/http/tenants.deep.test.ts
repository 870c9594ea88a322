/**
 * Two organizations with data of every kind. One sends the other's ids, cursors, filters and idempotency keys to every
 * endpoint that takes them. No answer has a text that only the other organization has, and nothing of it changes.
 */
import { beforeAll, expect, it } from "@jest/globals";
import { allRoutes } from "../../shared/api/routes.ts";
import { eventually, organizationOf, PROVIDER } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { addTrials } from "../support/trials.ts";
import { useSharedService } from "../support/use-service.ts";

const RECORD_TYPES = ["customers", "subscriptions", "invoices", "payments"];
const LISTS = [
  "security",
  "security/alert",
  "sync",
  "erasure",
  "reports",
  ...RECORD_TYPES.map((type) => `records/${type}`),
];
/** Ids of each list that are tried one by one. */
const IDS_PER_LIST = 8;

const service = await useSharedService();
const victim = organizationOf(service, "tenant-victim");
const stranger = organizationOf(service, "tenant-stranger");
beforeAll(async () => {
  const provider = simulatedProvider(service);
  const fill = async (organization: typeof victim, name: string) => {
    const { apiKey } = await provider.account(60, { seed: `tenant ${name}` });
    await organization.connect(apiKey, { webhookSecret: `whsec_${name}` });
    await organization.lastRun();
    await organization.call("POST", "sync", undefined, undefined, { "idempotency-key": "key-of-the-victim" });
    await organization.lastRun();
    for (const userId of [`eve-of-${name}`, `bob-of-${name}`]) {
      await organization.call("GET", "security", undefined, { role: "guest", userId });
    }
    await organization.call("POST", "circuit-breaker", { action: "force_open", reason: `maintenance of ${name}` });
    await organization.call("POST", "circuit-breaker", { action: "reset", reason: `end of maintenance of ${name}` });
    await organization.call("POST", "erasure", { scope: "user", userId: `mallory-of-${name}` });
    await eventually("the erasure has ended", async () => {
      const [{ status } = { status: "" }] = (await organization.call("GET", "erasure")).body as { status: string }[];
      return status === "completed";
    });
    await organization.call("POST", "/plants", { id: name === "victim" ? 4711 : 1, name: `plant of ${name}` });
  };
  await fill(victim, "victim");
  await fill(stranger, "stranger");
});

const isText = (value: unknown): value is string => typeof value === "string";

/** All texts in a JSON value, of six characters and more. */
const textsIn = (value: unknown): string[] => {
  if (isText(value)) return value.length < 6 ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const readAll = async ({ call }: typeof victim) => {
  const paths = [...LISTS.map((list) => `${list}?limit=1000`), "connection", "settings", "circuit-breaker", "/plants"];
  return Promise.all(paths.map(async (path) => (await call("GET", path)).body));
};

const idsOf = (body: unknown): string[] => {
  const list = Array.isArray(body) ? body : (body as { events?: unknown[] }).events;
  return (list ?? []).slice(0, IDS_PER_LIST).map((one) => (one as { id: string }).id);
};

/** What the stranger sends, and the texts that an answer may repeat from it. */
type Attempt = { method: string; path: string; body?: object; key?: string; mayHave?: readonly string[] };

const attemptsWith = async (): Promise<Attempt[]> => {
  const lists = await Promise.all(LISTS.map(async (list) => (await victim.call("GET", `${list}?limit=1000`)).body));
  const ids = [...new Set(lists.flatMap(idsOf))];
  const cursors = await Promise.all(LISTS.map(async (list) => (await victim.call("GET", `${list}?limit=1`)).next));
  const withId = allRoutes.filter(([, { path }]) => path.endsWith("/{id}"));
  const customers = idsOf(lists[LISTS.indexOf("records/customers")]);
  return [
    ...withId.flatMap(([, { method, path }]) => ids.map((id) => ({ method, path: path.replace("{id}", id) }))),
    { method: "DELETE", path: "/plants/4711" },
    ...cursors.filter(isText).map((path) => ({ method: "GET", path })),
    ...["eve-of-victim", "bob-of-victim", "ada"].map((user) => ({
      method: "GET",
      path: `${PROVIDER}/security?userId=${user}`,
    })),
    ...customers.flatMap((id) =>
      RECORD_TYPES.map((type) => ({ method: "GET", path: `${PROVIDER}/records/${type}?customerId=${id}` })),
    ),
    ...ids.flatMap((id) =>
      ["mark_processed", "acknowledge", "assign", "comment", "resolve", "generate_alert"].map((action) => ({
        method: "POST",
        path: `${PROVIDER}/security/alert`,
        body: {
          action,
          eventIds: [id],
          alertIds: [id],
          title: "foreign evidence",
          riskLevel: "low",
          assignee: "bob",
          text: "foreign",
        },
        mayHave: [id],
      })),
    ),
    { method: "POST", path: `${PROVIDER}/sync`, key: "key-of-the-victim" },
    {
      method: "POST",
      path: `${PROVIDER}/erasure`,
      body: { scope: "user", userId: "eve-of-victim" },
      mayHave: ["eve-of-victim"],
    },
  ];
};

it("no endpoint returns data of another organization for its ids, cursors, filters and keys", async () => {
  const before = await readAll(victim);
  const shared = new Set((await readAll(stranger)).flatMap(textsIn));
  const secrets = [...new Set(before.flatMap(textsIn))].filter((text) => !shared.has(text));
  expect(secrets.length).toBeGreaterThan(100);

  const attempts = await attemptsWith();
  const leaks: string[] = [];
  let failed = 0;
  for (const { method, path, body, key, mayHave = [] } of attempts) {
    const { status, text } = await stranger.call(
      method,
      path,
      body,
      {},
      key === undefined ? {} : { "idempotency-key": key },
    );
    if (status >= 500 && status !== 503) failed++;
    const found = secrets.filter((secret) => text.includes(secret) && !mayHave.some((part) => part.includes(secret)));
    if (found.length > 0) leaks.push(`${method} ${path} ${JSON.stringify(body ?? {})}: ${found.join(", ")}`);
  }
  addTrials({
    name: "foreign ids, cursors, filters and keys",
    tried: attempts.length,
    lost: 0,
    doubled: 0,
    leaked: leaks.length,
    failed,
  });
  expect(leaks).toEqual([]);
  expect(failed).toBe(0);
  expect(attempts.length).toBeGreaterThan(150);
  // Reads of records are events, so the list of events may be longer.
  const withoutEvents = ([, ...others]: unknown[]) => others;
  expect(withoutEvents(await readAll(victim))).toEqual(withoutEvents(before));
});
