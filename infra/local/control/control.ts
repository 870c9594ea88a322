import * as z from "zod";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { EventBuses } from "../events/event-buses.ts";
import { type JsonRoutes, refuse, startJsonServer } from "../http/json-server.ts";
import type { Listening } from "../http/listen.ts";
import type { Functions } from "../lambda/functions.ts";
import type { Queues } from "../queues/queues.ts";
import type { Schedules } from "../schedules/schedules.ts";
import type { AdvanceClock } from "./advance-clock.ts";
import { controlMessaging } from "./control-messaging.ts";

/** Ten years: longer than every retention, and short enough to be answered. */
const MAX_ADVANCE_MS = 10 * 366 * 86_400_000;
const Advance = z.strictObject({
  ms: z.int().min(0).max(MAX_ADVANCE_MS),
  firing: z.enum(["each", "last"]).default("each"),
});

/**
 * Starts the server by which developers and tests drive the local cloud: `GET /` lists, `POST /schedules/{name}`
 * fires one and `POST /clock/advance` moves the clock; both answer when all that they caused has finished.
 * control-messaging.ts has the routes of buses and queues.
 */
export const startControl = (options: {
  functions: Pick<Functions, "list">;
  schedules: Pick<Schedules, "list" | "fireNow">;
  buses: Pick<EventBuses, "list" | "publishedSince">;
  queues: Queues;
  clock: Pick<Clock, "now">;
  activity: Pick<Activity, "idle">;
  advanceClock: AdvanceClock;
  /** Of other parts, such as the provider's simulator. */
  routes: JsonRoutes;
  onError: (error: unknown) => void;
}): Promise<Listening> => {
  const { functions, schedules, clock, activity, advanceClock, onError } = options;
  const messaging = controlMessaging(options);
  return startJsonServer({
    onError,
    routes: {
      "GET /": () => ({
        status: 200,
        body: { now: clock.now(), functions: functions.list(), schedules: schedules.list(), ...messaging.list() },
      }),
      ...messaging.routes,
      ...options.routes,
      "POST /schedules/{name}": async ({ parameters: { name = "" } }) => {
        const at = clock.now();
        const firing = schedules.fireNow(name);
        if (!firing) {
          const names = schedules.list().map((schedule) => schedule.name);
          return refuse(404, `there is no schedule ${name}; there are: ${names.join(", ") || "none"}`);
        }
        await firing;
        await activity.idle();
        return { status: 200, body: { name, at } };
      },
      "POST /clock/advance": async ({ body }) => {
        const parsed = Advance.safeParse(body);
        return parsed.success
          ? { status: 200, body: await advanceClock(parsed.data.ms, parsed.data.firing) }
          : refuse(400, z.prettifyError(parsed.error));
      },
    },
  });
};
