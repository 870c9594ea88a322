/**
 * What the user typed and did not send. It survives a reload, in this tab only, and ends at sign-out. Secrets must not be
 * kept here.
 */
import { useState } from "preact/hooks";
import { useCaller } from "../access.ts";

const readDraft = <Value>(name: string): Value | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
};

/**
 * @param key names the draft within the console. Drafts of other users are apart.
 * @returns the draft, undefined if there is none, and how to change it; undefined removes it.
 */
export const useDraft = <Value>(key: string): [draft: Value | undefined, set: (next: Value | undefined) => void] => {
  const { organizationId, userId } = useCaller();
  const name = `console.draft ${JSON.stringify([organizationId, userId, key])}`;
  const [stored, setStored] = useState(() => ({ name, draft: readDraft<Value>(name) }));
  const draft = stored.name === name ? stored.draft : readDraft<Value>(name);
  return [
    draft,
    (next) => {
      if (next === undefined) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, JSON.stringify(next));
      setStored({ name, draft: next });
    },
  ];
};
