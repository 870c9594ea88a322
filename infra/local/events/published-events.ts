/** An event as it stands on a bus and as its targets get it. */
export type BusEvent = {
  version: "0";
  id: string;
  "detail-type": string;
  source: string;
  account: string;
  /** To the second, as EventBridge gives it. */
  time: string;
  region: string;
  resources: string[];
  detail: Record<string, unknown>;
};

/** `publishedAt` in epoch milliseconds of the local clock; `rules` are the names of those that matched. */
export type PublishedEvent = { bus: string; publishedAt: number; rules: string[]; event: BusEvent };

/** More would only fill the memory of a local cloud that runs for days. */
const MAX_KEPT = 1_000;

/** The last events of all buses, for people and tests to look at; gone at a stop. */
export const createPublishedEvents = () => {
  const kept: PublishedEvent[] = [];
  return {
    add(published: PublishedEvent): void {
      kept.push(published);
      if (kept.length > MAX_KEPT) kept.shift();
    },
    /** Those published at that time or later, oldest first. */
    since: (epochMs: number): PublishedEvent[] => kept.filter(({ publishedAt }) => publishedAt >= epochMs),
  };
};

export type PublishedEvents = ReturnType<typeof createPublishedEvents>;
