/** Views of a list that the user has named: kept in this browser, and links that a colleague can open. */
import { readKept, writeKept } from "./kept.ts";

export type SavedView = { name: string; address: string };

const MOST = 20;
const MOST_CHARACTERS = 60;

const isView = (value: unknown): value is SavedView => {
  const { name, address } = Object(value) as Partial<SavedView>;
  return typeof name === "string" && typeof address === "string" && address.startsWith("/console/");
};

/** What was kept; nothing if it cannot be read. @param path of the list, such as `/console/alerts` */
export const parseViews = (text: string | undefined, path: string): readonly SavedView[] => {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    const views = Array.isArray(found) ? found.filter(isView) : [];
    // What stands in this browser's storage must not lead elsewhere.
    return views.filter(({ address }) => address.split("?")[0] === path);
  } catch {
    return [];
  }
};

/** The views with another one; a view of the same name is replaced. The oldest ones go first. */
export const withView = (views: readonly SavedView[], { name, address }: SavedView): readonly SavedView[] => {
  const text = name.trim().slice(0, MOST_CHARACTERS);
  if (text === "") return views;
  return [...views.filter((view) => view.name !== text), { name: text, address }].slice(-MOST);
};

export const readViews = (path: string): readonly SavedView[] => parseViews(readKept(`views ${path}`), path);

export const keepViews = (path: string, views: readonly SavedView[]): void =>
  writeKept(`views ${path}`, JSON.stringify(views));
