/** Operators and strangers of a simulation: what they ask for, what was acknowledged, and what must be true of it at the end. */
import { createHmac } from "node:crypto";
import { createAlertOperators } from "./alert-operators.ts";
import type { Answer, ApiRequest } from "./cloud.ts";
import { Problem } from "./invariants.ts";
import { createNotificationOperators } from "./notification-operators.ts";
import { createTokens } from "./process.ts";
import { createRepeatOperators } from "./repeat-operators.ts";
import type { Organization, World } from "./world.ts";

const API = "/api/integrations/provider";
const MINUTE_MS = 60_000;

export type Operators = ReturnType<typeof createOperators>;

export const createOperators = (world: World) => {
  const { scheduler, cloud, organizations, note, database, provider } = world;
  const { between, pick, now, sleep } = scheduler;
  const startedAt = now();
  const tokenOf = createTokens(startedAt);
  /** What was asked for; `isAcknowledged`: the answer was 2xx. */
  const plants: { organization: Organization; id: number; name: string; isDeleted: boolean }[] = [];
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
    const path = request.path.startsWith("/plants") ? request.path : API + request.path;
    const answer = await cloud.request({ token, ...request, path });
    note(`${organization.id} ${request.method} ${request.path} ${answer.status}`);
    // The gateway's own 500 has no body: an instance died.
    if (answer.status >= 500 && answer.status !== 503 && answer.body !== undefined) {
      throw new Problem(`${request.method} ${request.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (
      answer.status === 503 &&
      !(Number(answer.headers["retry-after"]) >= 1) &&
      !/\/(sync|connection)$/.test(request.path)
    ) {
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

  const onAlerts = createAlertOperators(world, { call, insist });
  const repeating = createRepeatOperators(world, { call, insist });
  const notifying = createNotificationOperators(world, { call, insist, raise: onAlerts.actions.alert });
  const marked = new Set<string>();
  /** Users who have read something, or were refused. */
  const visitors: { organization: Organization; userId: string }[] = [];
  const visit = async (organization: Organization) => {
    const userId = `eve-${++names}-${between(1_000, 9_999)}`;
    await call(organization, { method: "GET", path: "/records/customers" }, userId, pick(["admin", "guest"]));
    return { organization, userId };
  };

  const connect = ({ apiKey, webhookSecret }: Organization): ApiRequest => ({
    method: "PUT",
    path: "/connection",
    body: { method: "api_key", apiKey, webhookSecret },
  });

  const actions: Record<string, (organization: Organization) => Promise<unknown>> = {
    ...onAlerts.actions,

    export: repeating.export,

    /** Creates a plant by a request that several senders repeat under one key: it is no conflict with itself. */
    async repeat(organization) {
      const made = { organization, id: ++names, name: `Plant ${names}`, isDeleted: false };
      const body = { id: made.id, name: made.name };
      const answers = await repeating.repeat(organization, { method: "POST", path: "/plants", body });
      if (answers.length > 0) plants.push(made);
    },

    /** Marks an event that nobody has marked. */
    async mark(organization) {
      const { status, body } = await call(organization, { method: "GET", path: "/security?limit=5&processed=false" });
      const [event] =
        status === 200 ? (body as { events: { id: string }[] }).events.filter(({ id }) => !marked.has(id)) : [];
      if (event === undefined) return;
      marked.add(event.id);
      await onAlerts.expectOutcome(
        organization,
        { action: "mark_processed", eventIds: [event.id] },
        "processed",
        event.id,
      );
    },

    /** Creates plants of ids that were never used, and may delete the last. */
    async plant(organization) {
      let made = { organization, id: 0, name: "", isDeleted: false };
      for (let i = 0; i < 5; i++) {
        made = { organization, id: ++names, name: `Plant ${names}`, isDeleted: false };
        const { id, name } = made;
        const { status } = await call(organization, { method: "POST", path: "/plants", body: { id, name } });
        if (status === 409) throw new Problem(`The plant ${id} was created once and exists already`);
        if (status !== 200) return;
        plants.push(made);
      }
      const body = { id: made.id, name: "Another" };
      const again = await call(organization, { method: "POST", path: "/plants", body });
      if (again.status === 200) throw new Problem(`The plant ${made.id} was created twice`);
      if (between(0, 1) === 0) return;
      made.isDeleted = true;
      const removed = await call(organization, { method: "DELETE", path: `/plants/${made.id}` });
      if (removed.status === 404) throw new Problem(`The plant ${made.id} was acknowledged and is not found`);
    },

    /** A cursor is good for its own organization only. */
    async cursor(organization) {
      const path = "/security?limit=1";
      const { status, headers } = await call(organization, { method: "GET", path });
      const cursor = /[?&]cursor=([^&>]+)/.exec(headers.link ?? "")?.[1];
      const other = organizations.find((one) => one !== organization);
      if (status !== 200 || cursor === undefined || other === undefined) return;
      const foreign = await call(other, { method: "GET", path: `${path}&cursor=${cursor}` });
      if (foreign.status < 400) throw new Problem(`Another organization's cursor was answered ${foreign.status}`);
    },

    /** The provider replaces the account's key, which the organization connects at once or at the end. */
    async rotate(organization) {
      organization.apiKey = `sk_test_${organization.accountId}_${++names}`;
      organization.isKeyReplaced = true;
      provider.rotateKey(organization.accountId, organization.apiKey);
      if (between(0, 1) === 0) return;
      await sleep(between(1, MINUTE_MS));
      const { apiKey } = organization;
      const { status } = await call(organization, connect(organization));
      if (status === 200 && apiKey === organization.apiKey) organization.isKeyReplaced = false;
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

    /** A user reads something, may be named by an alert, and is erased; one of a sealed hour first. */
    async erase(organization) {
      const known = visitors.findIndex((one) => one.organization === organization);
      const [visitor = await visit(organization)] = known === -1 ? [] : visitors.splice(known, 1);
      const asked = { ...visitor, isAcknowledged: false };
      erased.push(asked);
      const named = between(0, 1) === 0 ? await notifying.mention(organization, asked.userId) : undefined;
      if (between(0, 1) === 0) await onAlerts.discuss(organization, pick(["ada", asked.userId]), asked.userId);
      const body = { scope: "user", userId: asked.userId };
      asked.isAcknowledged = (await call(organization, { method: "POST", path: "/erasure", body })).status === 202;
      if (asked.isAcknowledged && named !== undefined) named.isErased = true;
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
    if ((body as { status: string }).status !== "connected" || organization.isKeyReplaced)
      await insist(organization, connect(organization));
    // Announces transitions whose instance died.
    await insist(organization, { method: "GET", path: "/circuit-breaker" });
    await notifying.restore(organization);
  };

  const judgePlants = async (organization: Organization): Promise<void> => {
    if (plants.length === 0) return;
    const { body } = await insist(organization, { method: "GET", path: "/plants" });
    const listed = (body as { name: string }[]).map(({ name }) => name);
    for (const { name, isDeleted, organization: owner } of plants) {
      const count = listed.filter((one) => one === name).length;
      if (owner !== organization ? count > 0 : !isDeleted && count !== 1)
        throw new Problem(`${name} of ${owner.id} is listed ${count} times in ${organization.id}`);
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
    const { stats } = answer.body as { stats: { totalEvents: number; highRiskEvents: number; failureRate: number } };
    const isHigh = ({ riskLevel }: (typeof stored)[number]) => riskLevel === "HIGH" || riskLevel === "CRITICAL";
    const failed = stored.filter(({ success }) => success === false).length;
    const wanted = [stored.length, stored.filter(isHigh).length, stored.length === 0 ? 0 : failed / stored.length];
    const counted = [stats.totalEvents, stats.highRiskEvents, stats.failureRate];
    if (String(counted) !== String(wanted))
      throw new Problem(`${organization.id}: the statistics are ${counted}, but the events have ${wanted}`);
    if (stored.length === 0) return;
    const filter = pick(["eventType", "category", "riskLevel"]);
    const value = pick(stored)[filter];
    const path = `/security?limit=1&since=${startedAt - MINUTE_MS}&${filter}=${value}`;
    const { totalEvents } = (
      (await insist(organization, { method: "GET", path })).body as typeof answer.body & { stats: typeof stats }
    ).stats;
    const matching = stored.filter((item) => item[filter] === value).length;
    if (totalEvents !== matching)
      throw new Problem(
        `${organization.id} has ${matching} events of ${filter} ${value}, and ${totalEvents} are counted`,
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
    /** A user does something who may be erased later. */
    visit: async (organization: Organization): Promise<void> => void visitors.push(await visit(organization)),
    notify: notifying.act,
    addDestinations: notifying.addFirst,
    judgeNotifications: notifying.judge,
    async judge(organization: Organization, scope: string): Promise<void> {
      await onAlerts.judge(organization);
      await judgeRuns(organization);
      await judgePlants(organization);
      await judgeSettings(organization);
      await judgeStatistics(organization, scope);
      await repeating.judge(
        organization,
        scope,
        erased.some((one) => one.organization === organization),
      );
    },
    judgeErasures,
  };
};
