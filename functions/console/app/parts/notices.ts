/** Short messages about what was done. Screen readers speak them; errors stay until they are closed. */
import { signal } from "@preact/signals";
import { useAction } from "../api/action.ts";
import { asProblem, type Problem } from "../api/problem.ts";

type Notice = { id: number; text: string; requestId?: string | undefined; isError: boolean };

const SHOWN_MS = 6_000;

/** The messages that are shown. */
export const notices = signal<readonly Notice[]>([]);
let last = 0;

export const closeNotice = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

const add = (notice: Omit<Notice, "id">): number => {
  const id = ++last;
  notices.value = [...notices.value, { id, ...notice }];
  return id;
};

/** Says what was done. */
export const notify = (text: string): void => {
  const id = add({ text, isError: false });
  setTimeout(() => closeNotice(id), SHOWN_MS);
};

/** Says what failed, and was taken back. */
export const notifyProblem = (what: string, problem: Problem): void => {
  add({ text: `${what} ${problem.message}`, requestId: problem.requestId, isError: true });
};

/** An action whose failure is a notice. @param failed such as "The test was not sent." */
export const useNotifiedAction = <Input, Output>(
  failed: string,
  call: (input: Input, key: string) => Promise<Output>,
) =>
  useAction(async (input: Input, key) => {
    try {
      return await call(input, key);
    } catch (error) {
      notifyProblem(failed, asProblem(error));
      throw error;
    }
  });

/**
 * An action on an item of a list, by its id: the list shows the answered item, and is read again, whether the action succeeded
 * or failed.
 * @param failed such as "The delivery was not sent again."
 */
export const useItemAction = <Item>(
  failed: string,
  list: { put(item: Item): void; reload(): void },
  call: (id: string, key: string) => Promise<Item>,
) =>
  useNotifiedAction(failed, async (id: string, key) => {
    try {
      const item = await call(id, key);
      list.put(item);
      return item;
    } finally {
      list.reload();
    }
  });
