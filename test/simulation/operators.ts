/** Operators and strangers of a simulation: what they ask for, what was acknowledged, and what must be true of it at the end. */
import { createHmac } from "node:crypto";
import type { Answer, ApiRequest } from "./cloud.ts";
import { createTokens } from "./process.ts";
import type { Organization, World } from "./world.ts";

/** A broken promise of the service. */
export class Problem extends Error {}

const API = "/api/integrations/provider";
const MINUTE_MS = 60_000;

export type Operators = ReturnType<typeof createOperators>;

export const createOperators = (world: World) => {
  const { scheduler, cloud, organizations, note, database } = world;
  const { between, pick, now, sleep } = scheduler;
  const startedAt = now();
  const tokenOf = createTokens(startedAt);
  /** What was asked for; `isAcknowledged`: the answer was 2xx. */
  const alerts: { organization: Organization; title: string; isAcknowledged: boolean }[] = [];
  const runs: { organization: Organization; id: string }[] = [];
  const settings = new Map<Organization, { type: string; isAcknowledged: boolean }[]>();
  const erased: { organization: Organization; userId: string; isAcknowledged: boolean }[] = [];
  let names = 0;

  /** A request of an admin, or of another role. @throws Problem for an answer that no fault excuses. */
  const call = async (
    organization: Organization,
    request: ApiRequest,
    user = "ada",
    role = "admin",
  ): Promise<Answer> => {
    const token = tokenOf({ sub: user, org_id: organization.id, org_role: role });
    const answer = await cloud.request({ token, ...request, path: API + request.path });
    note(`${organization.id} ${request.method} ${request.path} ${answer.status}`);
    // The gateway's own 500 has no body: an instance died.
    if (answer.status >= 500 && answer.status !== 503 && answer.body !== undefined) {
      throw new Problem(`${request.method} ${request.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (answer.status === 503 && !(Number(answer.headers["retry-after"]) >= 1) && !request.path.endsWith("/sync")) {
      throw new Problem(`${request.method} ${request.path} answered 503 without Retry-After`);
    }
    return answer;
  };

  /** Repeats a request until it succeeds. */
  const insist = async (organization: Organization, request: ApiRequest): Promise<Answer> => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await call(organization, request);
      if (answer.status < 300) return answer;
      await sleep(20_000);
    }
    throw new Problem(`${request.method} ${request.path} never succeeds`);
  };

  const connect = ({ apiKey, webhookSecret }: Organization): ApiRequest => ({
    method: "PUT",
    path: "/connection",
    body: { method: "api_key", apiKey, webhookSecret },
  });

  const actions: Record<string, (organization: Organization) => Promise<unknown>> = {
    async alert(organization) {
      const asked = { organization, title: `Alert ${++names}`, isAcknowledged: false };
      alerts.push(asked);
      const body = { action: "generate_alert", title: asked.title, riskLevel: "HIGH" };
      asked.isAcknowledged =
        (await call(organization, { method: "POST", path: "/security/alert", body })).status === 200;
    },

    async settings(organization) {
      const asked = { type: pick(["customers", "invoices", "payments", "subscriptions"]), isAcknowledged: false };
      settings.set(organization, [...(settings.get(organization) ?? []), asked]);
      const body = { ipAllowlist: [], recordAccess: { member: [asked.type] } };
      asked.isAcknowledged = (await call(organization, { method: "PUT", path: "/settings", body })).status === 200;
    },

    async circuit(organization) {
      const body = pick([
        { action: "force_open", until: now() + 2 * MINUTE_MS },
        { action: "force_close" },
        { action: "reset" },
      ]);
      await call(organization, { method: "POST", path: "/circuit-breaker", body });
    },

    async sync(organization) {
      const headers = { "idempotency-key": `key-${++names}` };
      const body = { mode: pick(["full", "incremental"]) };
      const ids = new Set<string>();
      for (let i = between(1, 2); i > 0; i--) {
        const answer = await call(organization, { method: "POST", path: "/sync", headers, body });
        if (answer.status === 202) ids.add((answer.body as { id: string }).id);
        await sleep(between(1, MINUTE_MS));
      }
      if (ids.size > 1) throw new Problem(`One Idempotency-Key started the runs ${[...ids].join(" and ")}`);
      for (const id of ids) runs.push({ organization, id });
    },

    async reconnect(organization) {
      await call(organization, { method: "DELETE", path: "/connection" });
      await sleep(between(1, MINUTE_MS));
      await call(organization, connect(organization));
    },

    /** A user reads something and is erased. */
    async erase(organization) {
      const asked = { organization, userId: `eve-${++names}-${between(1_000, 9_999)}`, isAcknowledged: false };
      await call(organization, { method: "GET", path: "/records/customers" }, asked.userId, pick(["admin", "guest"]));
      erased.push(asked);
      const body = { scope: "user", userId: asked.userId };
      asked.isAcknowledged = (await call(organization, { method: "POST", path: "/erasure", body })).status === 202;
    },

    /** Strangers must be refused whatever fails. */
    async intrude(organization) {
      const others = organizations.filter((one) => one !== organization);
      const webhookSecret = others.length === 0 ? "whsec_unknown" : pick(others).webhookSecret;
      const body = JSON.stringify({
        id: "evt_forged",
        object: "event",
        type: "customer.updated",
        created: 1,
        data: {},
      });
      const seconds = Math.floor(now() / 1_000);
      const signed = createHmac("sha256", webhookSecret).update(`${seconds}.${body}`).digest("hex");
      const headers = { "stripe-signature": `t=${seconds},v1=${signed}` };
      const forged = await cloud.webhook({ path: `/${encodeURIComponent(organization.id)}`, body, headers });
      if (forged.status < 400)
        throw new Problem(`A webhook with another organization's secret was answered ${forged.status}`);
      const guest = await call(organization, { method: "GET", path: "/security" }, "mallory", "guest");
      if (guest.status < 400) throw new Problem(`A guest read security events: ${guest.status}`);
    },
  };

  /** Restores what operators left behind, once nothing fails any more. */
  const restore = async (organization: Organization): Promise<void> => {
    await insist(organization, { method: "POST", path: "/circuit-breaker", body: { action: "reset" } });
    const { body } = await insist(organization, { method: "GET", path: "/connection" });
    if ((body as { status: string }).status !== "connected") await insist(organization, connect(organization));
  };

  const judgeAlerts = async (organization: Organization): Promise<void> => {
    const { body } = await insist(organization, { method: "GET", path: "/security/alert?limit=1000" });
    const titles = (body as { title: string }[]).map(({ title }) => title);
    for (const { title, isAcknowledged, organization: owner } of alerts) {
      const count = titles.filter((one) => one === title).length;
      if (owner !== organization && count > 0) throw new Problem(`${title} is in the alerts of another organization`);
      if (owner === organization && (count > 1 || (isAcknowledged && count === 0)))
        throw new Problem(`${title} was raised once and is listed ${count} times`);
    }
  };

  const judgeRuns = async (organization: Organization): Promise<void> => {
    const own = runs.filter((run) => run.organization === organization);
    if (own.length === 0) return;
    const { body } = await insist(organization, { method: "GET", path: "/sync?limit=1000" });
    for (const { id } of own) {
      const run = (body as { id: string; status: string }[]).find((one) => one.id === id);
      if (run === undefined) throw new Problem(`The run ${id} was acknowledged and is not listed`);
      if (run.status === "running") throw new Problem(`The run ${id} never ends`);
    }
  };

  const judgeSettings = async (organization: Organization): Promise<void> => {
    const asked = settings.get(organization) ?? [];
    const last = asked.findLastIndex(({ isAcknowledged }) => isAcknowledged);
    if (last < 0) return;
    const { body } = await insist(organization, { method: "GET", path: "/settings" });
    const [type = ""] = (body as { recordAccess: { member: string[] } }).recordAccess.member;
    if (!asked.slice(last).some((one) => one.type === type)) throw new Problem(`The settings are ${type} again`);
  };

  const judgeStatistics = async (organization: Organization, scope: string): Promise<void> => {
    // Reading is no event of its own, so the stored events are those that the answer counts.
    const answer = await insist(organization, {
      method: "GET",
      path: `/security?limit=1&since=${startedAt - MINUTE_MS}`,
    });
    const stored = database
      .items("SecurityEvents")
      .filter((item) => item.scope === scope && item.eventType !== undefined);
    const { stats } = answer.body as { stats: { totalEvents: number } };
    if (stats.totalEvents !== stored.length)
      throw new Problem(
        `${organization.id} has ${stored.length} events, and its statistics count ${stats.totalEvents}`,
      );
  };

  const judgeErasures = (): void => {
    for (const { userId, isAcknowledged } of erased) {
      if (!isAcknowledged) continue;
      for (const [table, item] of database.everything()) {
        if (
          JSON.stringify(item, (_name, value) => (typeof value === "bigint" ? String(value) : value)).includes(userId)
        )
          throw new Problem(`${userId} was erased and is in ${table}: ${JSON.stringify(item)}`);
      }
    }
  };

  return {
    call,
    insist,
    connect,
    restore,
    /** One action of somebody. */
    act: () => actions[pick(Object.keys(actions))]?.(pick(organizations)) ?? Promise.resolve(),
    async judge(organization: Organization, scope: string): Promise<void> {
      await judgeAlerts(organization);
      await judgeRuns(organization);
      await judgeSettings(organization);
      await judgeStatistics(organization, scope);
    },
    judgeErasures,
  };
};
