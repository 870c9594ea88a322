/** The receivers of notifications: they accept, fail, are gone, hang or lose their answers, and remember each request. */
import type { HttpAnswer, HttpRequest } from "./edges.ts";
import type { Fate } from "./network.ts";
import type { Scheduler } from "./scheduler.ts";

/** A public address, so no name is resolved. Nothing leaves the process. */
export const RECEIVER_HOST = "9.9.9.9";

/** `deaf`: the connection ends after the request was accepted, and before the answer. */
export const moods = ["well", "failing", "gone", "hanging", "deaf"] as const;
export type Mood = (typeof moods)[number];

/** The alert of a notification, or those of a summary. */
export type Said = {
  type: string;
  data: {
    alert?: { id: string; rule: string; subject: string };
    alerts?: { id: string }[];
    leftOut?: Record<string, number>;
  };
};

/** A request and its answer. `id`: the header `webhook-id`. `at`: epoch ms. */
export type Received = { at: number; path: string; id: string; status: number; said: Said };

export const createReceivers = ({ now, pick }: Scheduler) => {
  const moodOf = new Map<string, Mood>();
  const received: Received[] = [];

  const answer = ({ path, headers, body }: HttpRequest, status: number): HttpAnswer => {
    received.push({ at: now(), path, id: String(headers["webhook-id"]), status, said: JSON.parse(body) as Said });
    const retryAfter = status === 503 ? { "retry-after": "90" } : {};
    return { status, headers: { "content-type": "text/plain", ...retryAfter }, body: "" };
  };
  const mood = ({ path }: HttpRequest): Mood => moodOf.get(path) ?? "well";

  return {
    received,
    moodOf,
    answer(request: HttpRequest): HttpAnswer {
      const now = mood(request);
      return answer(request, now === "gone" ? 410 : now === "failing" ? pick([302, 404, 500, 503]) : pick([200, 204]));
    },
    refusals: (request: HttpRequest) => [() => answer(request, 500), () => answer(request, 503)],
    fate(request: HttpRequest): Fate | undefined {
      const now = mood(request);
      return now === "hanging" ? "hang" : now === "deaf" ? "loseAnswer" : undefined;
    },
  };
};
