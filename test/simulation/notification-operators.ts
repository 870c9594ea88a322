/**
 * Operators of a simulation who have destinations of notifications: they create, pause, resume, delete and test them, retry
 * deliveries, and meet receivers that fail and a queue that takes nothing. What must be true of it: notification-invariants.ts.
 */
import type { Answer, ApiRequest } from "./cloud.ts";
import { type Destination, judgeNotifications } from "./notification-invariants.ts";
import { moods, RECEIVER_HOST } from "./receivers.ts";
import type { Organization, World } from "./world.ts";

type Ask = {
  call(organization: Organization, request: ApiRequest): Promise<Answer>;
  insist(organization: Organization, request: ApiRequest): Promise<Answer>;
  raise(organization: Organization): Promise<unknown>;
};

const MINUTE_MS = 60_000;
const MAX_DESTINATIONS = 6;
/** An instance makes about this many requests for a retry, a pause or a deletion. It may die at each. */
const REQUESTS = 9;

const SETTINGS = [
  {},
  {},
  { digest: { every: "hour" } },
  { filter: { levels: ["CRITICAL"] } },
  { filter: { changes: ["raised"] } },
];

export const createNotificationOperators = (world: World, { call, insist, raise }: Ask) => {
  const { scheduler, organizations, network, cloud, receivers } = world;
  const { between, chance, now, pick, sleep } = scheduler;
  const destinations: Destination[] = [];
  /** Deliveries whose retry was asked for and not answered. */
  const unanswered: { destination: Destination; path: string }[] = [];
  /** The ids of the samples that were acknowledged. */
  const samples = new Set<string>();
  let names = 0;

  const of = (organization: Organization) =>
    destinations.filter((one) => one.organization === organization && one.isDeletion !== true);

  const create = async (
    organization: Organization,
    ask: Ask["call"],
    path: string,
  ): Promise<Destination | undefined> => {
    const settings = {
      type: "webhook",
      name: `Receiver ${++names}`,
      url: `https://${RECEIVER_HOST}${path}`,
      ...pick(SETTINGS),
    };
    const { status, body } = await ask(organization, { method: "POST", path: "/notifications", body: settings });
    if (status !== 201) return undefined;
    const { id } = body as { id: string };
    const made: Destination = { organization, id, path, settings, knownSince: now(), isSteady: true, silences: [] };
    destinations.push(made);
    return made;
  };

  const change = (ask: Ask["call"], { organization, id, settings }: Destination, status: "active" | "paused") => {
    const { type: _, ...body } = settings;
    return ask(organization, { method: "PUT", path: `/notifications/${id}`, body: { ...body, status } });
  };

  const pause = async (destination: Destination): Promise<void> => {
    destination.isSteady = false;
    if (chance(0.3)) network.doom("change-destination", between(1, REQUESTS));
    const { status } = await change(call, destination, "paused");
    if (status === 200) destination.silences.push({ from: now() });
  };

  const resume = async (destination: Destination, ask: Ask["call"]): Promise<void> => {
    const last = destination.silences.at(-1);
    if (last !== undefined) last.to ??= now();
    await change(ask, destination, "active");
  };

  /** @returns whether it was answered. 409 may mean that an earlier request has retried it, or that the destination is paused. */
  const retry = async ({ organization }: Destination, path: string): Promise<boolean> =>
    [202, 409].includes((await call(organization, { method: "POST", path })).status);

  /** Retries deliveries that failed. The instance may die at any of its requests. */
  const retryFailed = async (destination: Destination): Promise<void> => {
    const { organization, id } = destination;
    const { status, body } = await call(organization, { method: "GET", path: `/notifications/${id}/deliveries` });
    if (status !== 200) return;
    const failed = (body as { id: string; status: string }[]).filter((one) => one.status === "failed");
    for (const delivery of failed.slice(0, 3)) {
      if (chance(0.7)) network.doom("retry-delivery", between(1, REQUESTS));
      const path = `/notifications/deliveries/${delivery.id}/retry`;
      if (!(await retry(destination, path))) unanswered.push({ destination, path });
    }
  };

  /** The receiver is well again, and the destination gets what it missed. */
  const recover = async (destination: Destination): Promise<void> => {
    receivers.moodOf.delete(destination.path);
    await resume(destination, call);
    await retryFailed(destination);
  };

  const actions: readonly ((destination: Destination) => Promise<unknown>)[] = [
    ({ organization }) => raise(organization),

    async ({ organization, id }) => {
      const { status, body } = await call(organization, { method: "POST", path: `/notifications/${id}/test` });
      if (status === 202) samples.add((body as { id: string }).id);
    },

    async (destination) => {
      const mood = pick(moods);
      receivers.moodOf.set(destination.path, mood);
      if (mood === "gone") destination.isSteady = false;
      await raise(destination.organization);
      if (mood !== "gone") return;
      await sleep(between(1, MINUTE_MS));
      await recover(destination);
    },

    /** Is silent for some minutes, in which tries of earlier deliveries come. */
    async (destination) => {
      if (chance(0.7)) receivers.moodOf.set(destination.path, "failing");
      await raise(destination.organization);
      await sleep(between(1, 5_000));
      await pause(destination);
      await sleep(between(1, 7 * MINUTE_MS));
      await recover(destination);
    },

    async (destination) => {
      destination.isSteady = false;
      destination.isDeletion = true;
      const { organization, id } = destination;
      if (chance(0.5)) network.doom("delete-destination", between(1, REQUESTS));
      const { status } = await call(organization, { method: "DELETE", path: `/notifications/${id}` });
      if (status === 204) destination.silences.push({ from: now() });
    },

    /** The queue takes nothing while an alert is dispatched, and the destination is paused when its event comes again. */
    async (destination) => {
      cloud.queues.breakFor(between(7_000, 11_000));
      await raise(destination.organization);
      await sleep(between(9_000, 14_000));
      await pause(destination);
      await sleep(between(30_000, 2 * MINUTE_MS));
      await resume(destination, call);
    },
  ];

  return {
    /** Creates the first destinations of some organizations. */
    async addFirst(): Promise<void> {
      for (const organization of organizations)
        for (let i = pick([0, 1, 3]); i > 0; i--) await create(organization, insist, `/hooks/${++names}`);
    },

    /** Creates a destination whose URL names a user, so that the user's erasure deletes it. */
    async mention(organization: Organization, userId: string): Promise<Destination | undefined> {
      const made = await create(organization, call, `/hooks/${userId}`);
      return made && Object.assign(made, { isSteady: false, isDeletion: true as const });
    },

    /** One action at a destination of somebody. */
    async act(): Promise<void> {
      const organization = pick(organizations);
      const own = of(organization);
      if (own.length === 0 || (own.length < MAX_DESTINATIONS && chance(0.1)))
        await create(organization, call, `/hooks/${++names}`);
      else await pick(actions)(pick(own));
    },

    /** Most receivers are well again, all destinations are active, and what was not answered is asked again. */
    async restore(organization: Organization): Promise<void> {
      for (const destination of of(organization)) {
        if (chance(0.8) || ["gone", "hanging"].includes(receivers.moodOf.get(destination.path) ?? ""))
          receivers.moodOf.delete(destination.path);
        if (!destination.isSteady) await resume(destination, insist);
      }
      for (const { destination, path } of unanswered) {
        if (destination.organization !== organization || destination.isDeletion === true) continue;
        while (!(await retry(destination, path))) await sleep(MINUTE_MS);
      }
    },

    /** Waits until no delivery is tried any more, up to two days. @throws Problem */
    judge: () => judgeNotifications(world, { destinations, samples }),
  };
};
