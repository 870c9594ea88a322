/** Short messages about what was done. Screen readers speak them; errors stay until they are closed. */
import { signal } from "@preact/signals";
import { useAction } from "../api/action.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";

type Notice = { id: number; text: string; requestId?: string | undefined; isError: boolean };

const SHOWN_MS = 6_000;

const notices = signal<readonly Notice[]>([]);
let last = 0;

const close = (id: number): void => {
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
  setTimeout(() => close(id), SHOWN_MS);
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

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, requestId, isError }) => (
      <div key={id} class={isError ? "notice bad" : "notice"}>
        <p>{text}</p>
        {requestId !== undefined && (
          <p class="quiet">
            Request id: <code>{requestId}</code>
          </p>
        )}
        <Button kind="link" onClick={() => close(id)} aria-label="Close this message">
          Close
        </Button>
      </div>
    ))}
  </div>
);
