/** What happens in a simulation, and what must be true at its end. */
import { inspect } from "node:util";
import { organizationKey } from "../../shared/terms/keys.ts";
import { connectEdges } from "./edges.ts";
import { judgeEvidence } from "./evidence-invariants.ts";
import type { Handler } from "./functions.ts";
import { judgeItems, judgePublished, Problem } from "./invariants.ts";
import { createOperators, type Operators } from "./operators.ts";
import { activate } from "./scheduler.ts";
import { createWorld, type Organization, type StoreCall, type Trace, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export type Result = {
  seed: number;
  problem: string | undefined;
  digest: string;
  steps: number;
  counts: World["counts"];
};

/** `minutes`: the longest time with faults. */
type Watch = { minutes?: number; trace?: Trace | undefined; onCall?: (call: StoreCall) => void };

/** So often beyond its normal rates that faults of two kinds meet in some simulations, and none comes in others. */
const setFaults = (world: World, severity: number): void =>
  world.setFaults({
    refuse: 0.015 * severity,
    loseRequest: 0.005 * severity,
    loseAnswer: 0.015 * severity,
    hang: 0.002 * severity,
    kill: 0.004 * severity,
  });

const EVIDENCE_WORKERS = ["close-security-hours", "seal-security-hours", "write-siem-feed"] as const;
/** As their schedules are apart. */
const APART_MS = 3 * MINUTE_MS;

/** Closes the hours that are over, seals them and writes them to the archive, by runs that wait for no hour's minute. */
const keepHours = async ({ scheduler: { sleep, now }, cloud }: World): Promise<void> => {
  await sleep(HOUR_MS - (now() % HOUR_MS) + 10 * MINUTE_MS);
  for (const name of EVIDENCE_WORKERS) {
    cloud.fire(name);
    await sleep(APART_MS);
  }
};

const VISITORS = 3;

/** The sealed log begins with the hour after the first events. That hour is sealed and archived, with events of users. */
const begin = async (world: World, { insist, visit }: Operators): Promise<void> => {
  for (const organization of world.organizations)
    await insist(organization, { method: "PUT", path: "/settings", body: {} });
  await keepHours(world);
  for (const organization of world.organizations) for (let i = 0; i < VISITORS; i++) await visit(organization);
  await keepHours(world);
};

const play = async (world: World, operators: Operators, minutes: number): Promise<void> => {
  const { scheduler, cloud, provider, organizations, undelivered } = world;
  const { sleep, between, chance, pick, now } = scheduler;
  let isOver = false;

  await begin(world, operators);
  await sleep(55 * MINUTE_MS - (now() % HOUR_MS));
  cloud.startSchedules(() => isOver);
  // At least one organization is connected from the start; operators may connect the others later.
  const first = pick(organizations);
  for (const organization of organizations)
    if (organization === first || chance(0.4)) await operators.insist(organization, operators.connect(organization));
  await operators.addDestinations();

  setFaults(world, chance(0.15) ? 0 : scheduler.random() * 2);
  const end = now() + between(3, minutes) * MINUTE_MS;
  const repeat = async (mostMs: number, work: () => unknown) => {
    for (await sleep(between(1, mostMs)); now() < end; await sleep(between(1, mostMs))) await work();
  };
  await Promise.all([
    repeat(4 * MINUTE_MS, () => provider.change(pick(organizations).accountId, between(1, 2), between(1, 1_000_000))),
    repeat(5 * MINUTE_MS, operators.act),
    repeat(3 * MINUTE_MS, operators.notify),
    repeat(4 * MINUTE_MS, () => cloud.fire(pick(EVIDENCE_WORKERS))),
  ]);
  await sleep(Math.max(0, end - now()));

  world.setFaults({});
  cloud.state.isQuiet = true;
  for (const organization of organizations) await operators.restore(organization);
  for (const { organization, event } of undelivered.splice(0)) {
    if (!(await world.post(organization, event))) throw new Problem(`${event.id} is never acknowledged`);
  }
  await sleep(15 * MINUTE_MS);
  // As their schedules do within the hour.
  for (const name of ["sweep-alert-outbox", "hand-over-webhooks", "resume-erasures", "resume-exports"] as const)
    cloud.fire(name);
  cloud.queues.redrive();
  await sleep(15 * MINUTE_MS);
  isOver = true;
  await keepHours(world);
  for (let i = 0; !cloud.isIdle(); i++) {
    if (i > 600) throw new Problem("Work goes on for ever.");
    await sleep(10_000);
  }
};

/** Each run that succeeded, and each transition of the circuit, must have one event. */
const judgeEvents = ({ database }: World, { id }: Organization, scope: string): void => {
  const events = database.items("SecurityEvents").filter((item) => item.scope === scope);
  for (const run of database.items("SyncRuns")) {
    if (run.scope !== scope || run.status !== "succeeded") continue;
    const own = events.filter(
      ({ eventType, metadata }) => eventType === "PROVIDER_SYNC_COMPLETED" && String(metadata).includes(String(run.id)),
    );
    if (own.length !== 1) throw new Problem(`${id}: the run ${run.id} has ${own.length} events of its end`);
  }
  const generations = events
    .filter((item) => String(item.eventType).startsWith("CIRCUIT"))
    .map(({ metadata }) => (JSON.parse(String(metadata)) as { generation?: number }).generation);
  if (new Set(generations).size < generations.length)
    throw new Problem(`${id}: a transition has several events: ${generations.join(", ")}`);
};

/** Invariants at the end. @throws Problem */
const judge = async (world: World, operators: Operators): Promise<void> => {
  const { database, provider, organizations, cloud } = world;
  if (cloud.unexcused.length > 0) throw new Problem(`Without a fault: ${cloud.unexcused[0]}`);
  if (cloud.queues.deadLetters.length > 0) throw new Problem("A message cannot be processed");
  for (const organization of organizations) {
    const scope = organizationKey(organization.id);
    const records = database.items("Records").filter((item) => item.scope === scope);
    const difference = provider.difference(organization.accountId, records);
    if (difference !== undefined) throw new Problem(`${organization.id}: ${difference}`);
    judgeEvents(world, organization, scope);
    await operators.judge(organization, scope);
  }
  for (const organization of organizations) await judgeEvidence(world, operators, organization);
  operators.judgeErasures();
  judgeItems(database.everything());
  judgePublished(database.items, world.published);
  const unprocessed = database
    .items("WebhookEvents")
    .filter((item) => item.type !== undefined && item.processedAt === undefined);
  if (unprocessed.length > 0) throw new Problem(`${unprocessed[0]?.id} was acknowledged and is never processed`);
  for (const [table, shard, what] of [
    ["WebhookEvents", "pendingShard", "webhook event waits"],
    ["SyncRuns", "activeShard", "sync run is under way"],
    ["Erasures", "openShard", "erasure is under way"],
    ["SecurityAlerts", "outboxShard", "alert waits in the outbox"],
  ] as const) {
    const waiting = database.items(table).find((item) => item[shard] !== undefined);
    if (waiting !== undefined) throw new Problem(`A ${what} for ever: ${inspect(waiting)}`);
  }
  await operators.judgeNotifications();
};

/** Plays one simulation. */
export const simulate = async (
  seed: number,
  factories: ReadonlyMap<string, () => Handler>,
  { minutes = 16, ...watch }: Watch = {},
): Promise<Result> => {
  const world = createWorld(seed, factories, watch);
  const operators = createOperators(world);
  let problem: string | undefined;
  try {
    const work = play(world, operators, minutes).then(() => judge(world, operators));
    await world.scheduler.runUntil(work, world.checkStore);
  } catch (error) {
    problem = error instanceof Problem ? error.message : inspect(error);
  } finally {
    activate(undefined);
    connectEdges(undefined);
  }
  return { seed, problem, digest: world.digest(), steps: world.scheduler.steps(), counts: world.counts };
};
