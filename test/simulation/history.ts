/** What happens in a simulation, and what must be true at its end. */
import { inspect } from "node:util";
import { organizationKey } from "../../shared/terms/keys.ts";
import type { Answer, ApiRequest } from "./cloud.ts";
import { connectEdges } from "./edges.ts";
import type { Handler } from "./functions.ts";
import { createTokens } from "./process.ts";
import { activate } from "./scheduler.ts";
import { createWorld, type Organization, type Trace, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const API = "/api/integrations/provider";

export type Result = {
  seed: number;
  problem: string | undefined;
  digest: string;
  steps: number;
  counts: World["counts"];
};

class Problem extends Error {}

const createApi = (world: World) => {
  const tokenOf = createTokens(world.scheduler.now());
  /** A request of an admin, or of another role. */
  const call = async (
    organization: Organization,
    request: ApiRequest,
    role = "admin",
    user = "ada",
  ): Promise<Answer> => {
    const token = tokenOf({ sub: user, org_id: organization.id, org_role: role });
    const answer = await world.cloud.request({ token, ...request, path: API + request.path });
    world.note(`${organization.id} ${request.method} ${request.path} ${answer.status}`);
    // The gateway's own 500 has no body: an instance died.
    if (answer.status >= 500 && answer.status !== 503 && answer.body !== undefined) {
      throw new Problem(`${request.method} ${request.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (answer.status === 503 && !(Number(answer.headers["retry-after"]) >= 1)) {
      throw new Problem(`${request.method} ${request.path} answered 503 without Retry-After`);
    }
    return answer;
  };
  return {
    call,
    /** Repeats a request until it succeeds. */
    async insist(organization: Organization, request: ApiRequest): Promise<Answer> {
      for (let attempt = 0; attempt < 20; attempt++) {
        const answer = await call(organization, request);
        if (answer.status < 300) return answer;
        await world.scheduler.sleep(20_000);
      }
      throw new Problem(`${request.method} ${request.path} never succeeds`);
    },
  };
};

const connectRequest = ({ apiKey, webhookSecret }: Organization): ApiRequest => ({
  method: "PUT",
  path: "/connection",
  body: { method: "api_key", apiKey, webhookSecret },
});

const play = async (world: World): Promise<void> => {
  const { scheduler, cloud, provider, organizations, undelivered } = world;
  const { sleep, between, chance, pick, now } = scheduler;
  const api = createApi(world);
  let isOver = false;

  await sleep(55 * MINUTE_MS);
  cloud.startSchedules(() => isOver);
  for (const organization of organizations) await api.insist(organization, connectRequest(organization));

  const severity = chance(0.15) ? 0 : scheduler.random() * 2;
  world.setFaults({
    refuse: 0.01 * severity,
    loseRequest: 0.005 * severity,
    loseAnswer: 0.01 * severity,
    hang: 0.002 * severity,
    kill: 0.004 * severity,
  });
  const end = now() + between(6, 17) * MINUTE_MS;

  const changes = async () => {
    while (now() < end) {
      await sleep(between(1_000, 4 * MINUTE_MS));
      provider.change(pick(organizations).accountId, between(1, 2), between(1, 1_000_000));
    }
  };
  const syncs = async () => {
    for (let i = 0; i < 2; i++) {
      await sleep(between(1_000, 10 * MINUTE_MS));
      const mode = pick(["full", "incremental", undefined]);
      await api.call(pick(organizations), { method: "POST", path: "/sync", ...(mode && { body: { mode } }) });
    }
  };
  await Promise.all([changes(), syncs()]);
  await sleep(Math.max(0, end - now()));

  world.setFaults({});
  for (const { organization, event } of undelivered.splice(0)) {
    if (!(await world.post(organization, event))) throw new Problem(`${event.id} is never acknowledged`);
  }
  await sleep(HALF_HOUR_MS);
  cloud.redrive();
  isOver = true;
  for (let i = 0; !cloud.isIdle(); i++) {
    if (i > 600) throw new Problem("Work goes on for ever.");
    await sleep(10_000);
  }
};

/** Invariants at the end. @throws Problem */
const judge = async (world: World): Promise<void> => {
  const { database, provider, organizations, cloud } = world;
  for (const { id, accountId } of organizations) {
    const scope = organizationKey(id);
    const records = database.items("Records").filter((item) => item.scope === scope);
    const difference = provider.difference(accountId, records);
    if (difference !== undefined) throw new Problem(`${id}: ${difference}`);
  }
  const waiting = database.items("WebhookEvents").filter((item) => item.pendingShard !== undefined);
  if (waiting.length > 0) throw new Problem(`${waiting.length} webhook events wait for ever`);
  if (cloud.deadLetters.length > 0) throw new Problem("A message cannot be processed");
  const active = database.items("SyncRuns").filter((item) => item.activeShard !== undefined);
  if (active.length > 0) throw new Problem(`${active.length} sync runs never end`);
};

/** Plays one simulation. */
export const simulate = async (
  seed: number,
  factories: ReadonlyMap<string, () => Handler>,
  trace?: Trace,
): Promise<Result & { world: World }> => {
  const world = createWorld(seed, factories, { trace });
  let problem: string | undefined;
  try {
    const work = play(world).then(() => judge(world));
    await world.scheduler.runUntil(work, () => undefined);
  } catch (error) {
    problem = error instanceof Problem ? error.message : inspect(error);
  } finally {
    activate(undefined);
    connectEdges(undefined);
  }
  return { seed, problem, digest: world.digest(), steps: world.scheduler.steps(), counts: world.counts, world };
};
