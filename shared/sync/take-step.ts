import { compare } from "./compare.ts";
import { beginFullRun, readFeed } from "./read-feed.ts";
import { readLinks } from "./read-links.ts";
import { readList } from "./read-list.ts";
import type { RunContext } from "./run-context.ts";
import type { ActiveRun } from "./sync-item.ts";

/** Does the next step of a run: a page of whatever it is at. */
export const takeStep = async (context: RunContext, run: ActiveRun): Promise<ActiveRun> => {
  const { at } = run.work;
  switch (at.phase) {
    case "begin":
      return beginFullRun(context, run, at);
    case "list":
      return readList(context, run, at);
    case "links":
      return readLinks(context, run, at);
    case "feed":
      return readFeed(context, run, at);
    case "compare":
      return compare(context, run, at);
    case "done":
      return run;
  }
};
