/** The hooks of the console, without a browser: what they read and when, and what they show until the service has answered. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Alert, SecurityEvent, WebhookDelivery } from "../../../functions/console/app/api/types.ts";
import { runHook, useSignedInPage } from "../../support/console-page.ts";

const api = await useSignedInPage();
// They read the address of the page when they are loaded.
const [{ useAction }, { useLiveList }, { usePagedList }, { Problem }, { useResource }, { useDraft }, { notices }] =
  await Promise.all([
    import("../../../functions/console/app/api/action.ts"),
    import("../../../functions/console/app/api/live-list.ts"),
    import("../../../functions/console/app/api/paged-list.ts"),
    import("../../../functions/console/app/api/problem.ts"),
    import("../../../functions/console/app/api/resource.ts"),
    import("../../../functions/console/app/parts/draft.ts"),
    import("../../../functions/console/app/parts/notices.ts"),
  ]);
const { useMay, useMayRead } = await import("../../../functions/console/app/access.ts");
const { useEventList } = await import("../../../functions/console/app/views/events/use-event-list.ts");
const { useReplay } = await import("../../../functions/console/app/views/webhooks/use-replay.ts");
const { useChanges } = await import("../../../functions/console/app/views/alerts/use-changes.ts");
const { useAlerts } = await import("../../../functions/console/app/views/alerts/use-alerts.ts");
const { useErasures } = await import("../../../functions/console/app/views/erasure/use-erasures.ts");
const { useExport } = await import("../../../functions/console/app/views/exports/use-exports.ts");
const { readDestination } = await import("../../../functions/console/app/views/notifications/use-destinations.ts");
const { useOverview } = await import("../../../functions/console/app/views/overview/use-overview.ts");
const { createLink } = await import("../../../functions/console/app/views/reports/open-report.ts");
const { useMarkProcessed, markedAt } = await import("../../../functions/console/app/views/events/marked.ts");

/** Hooks draw after a promise, and their effects run after some milliseconds. */
const until = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; !isSo(); tries++) {
    if (tries === 2_000) throw new Error(`Waited in vain until ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const ends: (() => void)[] = [];
const run = <Result>(use: () => Result) => {
  const hook = runHook(use);
  ends.push(hook.end);
  return hook;
};
let asked: string[] = [];
/** Sets the answer of each request, and notes its method and the end of its path. */
const answers = (by: () => object | Promise<object>) => {
  api.answer = (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(`${request.method} ${pathname.split("/").slice(-2).join("/")}${search}`);
    return by();
  };
};
/** Requests wait for their answer. @returns how to answer them */
const answerLater = () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  answers(() => promise);
  return async (answer: object) => {
    await until(() => asked.length > 0);
    resolve(answer);
  };
};
const refuse = () => Response.json({ error: 50301, message: "The store does not answer." }, { status: 503 });

beforeEach(() => {
  asked = [];
  notices.value = [];
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

describe("an action", () => {
  it("has the same key when it is sent again after an uncertain failure, and another one afterwards", async () => {
    const keys: string[] = [];
    let failure: Error | undefined = new Problem("The service does not answer.");
    const action = run(() =>
      useAction(async (input: string, key) => {
        keys.push(key);
        if (failure !== undefined) throw failure;
        return input;
      }),
    );
    expect(await action.now().run("a")).toBeUndefined();
    await until(() => action.now().problem !== undefined);
    failure = undefined;
    expect(await action.now().run("a")).toBe("a");
    await action.now().run("a");
    failure = new Problem("no", { status: 409 });
    await action.now().run("b");
    await action.now().run("b");
    const [first, again, ...others] = keys;
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it("runs once at a time", async () => {
    const { now } = run(() => useAction(async (input: string) => input));
    expect(await Promise.all([now().run("a"), now().run("b")])).toEqual(["a", undefined]);
  });
});

describe("a read", () => {
  it("keeps its value while it fails, and is made again by a reload", async () => {
    let answer: () => number = () => 1;
    const read = run(() => useResource("a number", async () => answer()));
    await until(() => read.now().value === 1);
    answer = () => {
      throw new Problem("no", { status: 400 });
    };
    read.now().reload();
    await until(() => read.now().problem !== undefined);
    expect(read.now().value).toBe(1);
    answer = () => 2;
    read.now().reload();
    await until(() => read.now().value === 2);
    expect(read.now().problem).toBeUndefined();
  });

  it("shows what is expected until it is taken back, and never the value of another key", async () => {
    const read = run(() => useResource("key 1", async () => 1));
    await until(() => read.now().value === 1);
    const takeBack = read.now().show(5);
    await until(() => read.now().value === 5);
    takeBack();
    await until(() => read.now().value === 1);
    read.draw(() => useResource("key 2", async () => 2));
    expect(read.now().value).toBeUndefined();
    await until(() => read.now().value === 2);
  });
});

describe("a read that is repeated", () => {
  it("takes another pause at once, and does not read for it", async () => {
    let reads = 0;
    const every = (everyMs?: number) => () =>
      useResource("repeated", async () => ++reads, everyMs === undefined ? {} : { everyMs });
    const read = run(every(1_000_000));
    await until(() => read.now().value === 1);
    read.draw(every());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(reads).toBe(1);
    read.draw(every(1));
    await until(() => reads > 2);
    read.draw(every());
    // The hook takes the new pause when its effect has run, some milliseconds later; until then it reads on.
    let seen: number;
    let tries = 0;
    do {
      seen = reads;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (reads !== seen && ++tries < 100);
    expect(reads).toBe(seen);
  });
});

describe("a list that is read page by page", () => {
  it("adds pages, begins again by a reload, and keeps its rows until those of another key are there", async () => {
    const load =
      (from: number) =>
      async ({ cursor }: { cursor?: string }) => {
        const first = Number(cursor ?? from);
        return { items: [first], next: first % 10 < 2 ? String(first + 1) : undefined };
      };
    const list = run(() => usePagedList("tens", load(10)));
    await until(() => list.now().pages.length === 1);
    list.now().more();
    await until(() => list.now().pages.length === 2);
    expect([list.now().pages, list.now().hasMore]).toEqual([[[10], [11]], true]);
    list.now().reload();
    await until(() => list.now().pages.length === 1);
    list.draw(() => usePagedList("twenties", load(22)));
    expect([list.now().pages, list.now().isStale, list.now().isLoading]).toEqual([[[10]], true, true]);
    await until(() => !list.now().isStale);
    expect([list.now().pages, list.now().hasMore]).toEqual([[[22]], false]);
  });
});

describe("a list whose newest items are read again", () => {
  type Item = { id: string; isOpen: boolean };

  it("reads open items of older pages again, and shows what is put into it", async () => {
    let isOpen = true;
    const read: (string | undefined)[] = [];
    const list = run(() =>
      useLiveList<Item>(
        "items",
        async ({ cursor }) => {
          read.push(cursor);
          return cursor === undefined
            ? { items: [{ id: "2", isOpen: false }], next: "1" }
            : { items: [{ id: "1", isOpen }], next: undefined };
        },
        { everyMs: 1_000_000, isOpen: (item) => item.isOpen },
      ),
    );
    await until(() => list.now().value !== undefined);
    list.now().older.more();
    await until(() => list.now().value?.length === 2);
    isOpen = false;
    list.now().put({ id: "2", isOpen: true });
    await until(() => list.now().value?.[0]?.isOpen === true);
    list.now().reload();
    await until(() => list.now().value?.every((item) => !item.isOpen) === true);
    expect(read).toEqual([undefined, "1", undefined, "1"]);
    expect(list.now().older.hasMore).toBe(false);
  });
});

describe("a list whose newest items are read again", () => {
  it("follows an item that was under way when the list was opened, until it ends", async () => {
    let reads = 0;
    const list = run(() =>
      useLiveList<{ id: string; isOpen: boolean }>(
        "items under way",
        async () => ({ items: [{ id: "1", isOpen: ++reads < 3 }], next: undefined }),
        { everyMs: 1_000_000, isOpen: (item) => item.isOpen, openMs: 5 },
      ),
    );
    await until(() => list.now().value?.[0]?.isOpen === false);
    expect(reads).toBe(3);
  });
});

describe("the live tail of events", () => {
  const event = (number: number) => ({ id: String(number), timestamp: number }) as SecurityEvent;
  const idsOf = ({ chunks }: { chunks: readonly (readonly SecurityEvent[])[] }) => chunks.flat().map(({ id }) => id);

  it("keeps the events of each answer, even if the answers come before the list is drawn again", async () => {
    answers(() => ({ events: [event(1)], stats: {}, suspiciousActivity: [] }));
    const list = run(() => useEventList({}));
    await until(() => list.now().list.pages.length === 1);
    // The tail has functions of an earlier drawing.
    const { add, show } = list.now();
    add([event(2)], false, false);
    add([event(3), event(2)], false, false);
    await until(() => list.now().waiting === 2);
    expect(idsOf(list.now())).toEqual(["1"]);
    add([event(4)], false, false);
    show();
    await until(() => list.now().waiting === 0);
    expect(idsOf(list.now())).toEqual(["4", "3", "2", "1"]);
    add([event(5)], false, true);
    await until(() => idsOf(list.now()).length === 5);
    expect(asked).toHaveLength(1);
  });

  it("reads the list again when more came than one answer has", async () => {
    answers(() => ({ events: [event(1)], stats: {}, suspiciousActivity: [] }));
    const list = run(() => useEventList({ userId: "ada" }));
    await until(() => list.now().list.pages.length === 1);
    list.now().add([event(9)], true, true);
    await until(() => asked.length === 2);
    await until(() => idsOf(list.now()).length === 1);
    expect(asked[0]).toMatch(/^GET provider\/security\?userId=ada&since=[^&]+&interval=hour&limit=50$/);
  });
});

describe("a replay", () => {
  const delivery = { id: "evt_1", status: "failed", changes: [] as object[] } as WebhookDelivery;
  const replaying = () => {
    const done: string[] = [];
    const list = { put: (one: WebhookDelivery) => done.push(`put ${one.status}`), reload: () => done.push("reload") };
    return { done, hook: run(() => useReplay(delivery, list)) };
  };

  it("shows the delivery as waiting, puts the answer into the list, and reads the list again", async () => {
    const finish = answerLater();
    const { done, hook } = replaying();
    hook.now().replay();
    await until(() => hook.now().shown.status === "waiting");
    expect(done).toEqual([]);
    await finish({ ...delivery, status: "waiting" });
    await until(() => done.length === 2);
    expect([asked, done]).toEqual([["POST evt_1/replay"], ["put waiting", "reload"]]);
    expect(notices.value.map(({ text }) => text)).toEqual(["The delivery evt_1 is being processed again."]);
  });

  it("that fails is said, and the list is read again", async () => {
    answers(refuse);
    const { done, hook } = replaying();
    hook.now().replay();
    await until(() => notices.value.length === 1);
    expect([hook.now().shown.status, done]).toEqual(["failed", ["reload"]]);
    expect(notices.value).toMatchObject([
      { text: "The delivery evt_1 was not replayed. The store does not answer.", isError: true },
    ]);
  });
});

describe("a change of alerts", () => {
  const alert = { id: "a", title: "Title", status: "open" } as Alert;
  const changing = () => {
    const kept: string[] = [];
    const hook = run(() => useChanges((change) => kept.push(change(alert).status)));
    return { kept, hook };
  };

  it("is shown at once, and kept when the service has made it", async () => {
    const finish = answerLater();
    const { kept, hook } = changing();
    const sent = hook.now().send([alert], { action: "acknowledge" });
    await until(() => hook.now().expected(alert).status === "acknowledged");
    expect(kept).toEqual([]);
    await finish({ action: "acknowledge", acknowledged: ["a"], unchanged: [], notFound: [] });
    await sent;
    await until(() => hook.now().expected(alert).status === "open");
    expect(kept).toEqual(["acknowledged"]);
  });

  it("is taken back when the service refuses it", async () => {
    answers(refuse);
    const { kept, hook } = changing();
    await hook.now().send([alert], { action: "resolve" });
    await until(() => hook.now().expected(alert).status === "open");
    expect([kept, notices.value.map(({ isError }) => isError)]).toEqual([[], [true]]);
  });
});

describe("the list of alerts", () => {
  it("has open and acknowledged ones, each once in its latest state, and reads more of both", async () => {
    const states = [
      { id: "a", status: "open", revision: 1 },
      { id: "a", status: "acknowledged", revision: 2 },
    ];
    answers(() => Response.json([states[(asked.length - 1) % 2]], { headers: { "x-next-cursor": "c" } }));
    const list = run(() => useAlerts("unresolved", "eve"));
    await until(() => list.now().value !== undefined);
    expect(list.now().value).toEqual({ items: [states[1]], hasMore: true, pages: 1 });
    expect(asked.slice(0, 2)).toEqual([
      "GET security/alert?status=open&assignee=eve&limit=200",
      "GET security/alert?status=acknowledged&assignee=eve&limit=200",
    ]);
    list.now().more();
    await until(() => list.now().value?.pages === 2);
    expect(asked).toContain("GET security/alert?status=open&assignee=eve&limit=400");
  });
});

describe("the list of erasures", () => {
  it("reads more of them when the user asks", async () => {
    answers(() => Response.json([{ id: "e", status: "completed" }], { headers: { "x-next-cursor": "c" } }));
    const list = run(useErasures);
    await until(() => list.now().value !== undefined);
    list.now().more();
    await until(() => asked.length === 2);
    expect(asked).toEqual(["GET provider/erasure?limit=50", "GET provider/erasure?limit=100"]);
  });
});

describe("an export", () => {
  it("is read once when it is complete: each answer with links is recorded", async () => {
    answers(() => ({ id: "x", status: "completed" }));
    const read = run(() => useExport("x"));
    await until(() => read.now().value !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked).toEqual(["GET exports/x"]);
  });
});

describe("the overview", () => {
  it("is complete when all is read that the user may see, and keeps what it has beside a failure", async () => {
    answers(() => (/circuit-breaker$/.test(asked.at(-1) ?? "") ? refuse() : []));
    const overview = run(useOverview);
    await until(() => overview.now().problem !== undefined && overview.now().runs !== undefined);
    expect(overview.now()).toMatchObject({ isComplete: false, runs: [], security: undefined });
    answers(() => (/circuit-breaker$/.test(asked.at(-1) ?? "") ? { organizationStats: { state: "open" } } : []));
    overview.now().reload();
    await until(() => overview.now().isComplete);
    expect(overview.now().known).toMatchObject({ circuit: { state: "open" }, destinations: null });
    // Events and destinations are not read: the user may not see them.
    expect(asked.filter((path) => /provider\/(security|notifications)/.test(path))).toEqual([]);
  });
});

it("a destination that somebody deleted is not found, and a link that is not encrypted is not opened", async () => {
  answers(() => [{ id: "d" }]);
  expect(await readDestination("d")).toEqual({ id: "d" });
  await expect(readDestination("gone")).rejects.toMatchObject({ status: 404 });
  answers(() => ({ url: "https://reports.example/r" }));
  expect(await createLink("r", "key")).toBe("https://reports.example/r");
  answers(() => ({ url: "http://reports.example/r" }));
  await expect(createLink("r", "key")).rejects.toThrow("not encrypted");
});

describe("marking events", () => {
  it("is shown at once, and taken back for events that are no longer stored", async () => {
    answers(() => ({ action: "mark_processed", processed: ["a"], alreadyProcessed: [], notFound: ["b"] }));
    const hook = run(useMarkProcessed);
    hook.now().mark(["a", "b"]);
    expect([...markedAt.value.keys()]).toEqual(["a", "b"]);
    await until(() => notices.value.length === 2);
    expect([...markedAt.value.keys()]).toEqual(["a"]);
    answers(refuse);
    hook.now().mark(["c"]);
    await until(() => notices.value.length === 3);
    expect([...markedAt.value.keys()]).toEqual(["a"]);
  });
});

describe("a draft", () => {
  it("survives a reload, is the user's own, and ends when it is removed", async () => {
    const draft = run(() => useDraft<string>("comment"));
    expect(draft.now()[0]).toBeUndefined();
    draft.now()[1]("typed");
    await until(() => draft.now()[0] === "typed");
    const reloaded = run(() => useDraft<string>("comment"));
    expect(reloaded.now()[0]).toBe("typed");
    expect(run(() => useDraft<string>("another")).now()[0]).toBeUndefined();
    reloaded.now()[1](undefined);
    await until(() => reloaded.now()[0] === undefined);
    expect(run(() => useDraft<string>("comment")).now()[0]).toBeUndefined();
  });
});

it("a user may do what the API says, and no more", () => {
  expect(run(() => [useMay("status:read"), useMay("sync:run")]).now()).toEqual([true, false]);
  expect(run(() => [useMayRead("customers"), useMayRead("invoices")]).now()).toEqual([true, false]);
});
