/** Opens the page of a report in a new tab, and saves reports as files. */
import { answer, api, once } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { externalUrl } from "../../words/address.ts";

/** Some browsers read the file only after the click. */
const KEEP_FILE_MS = 60_000;

/**
 * A new tab, opened within the click: browsers block tabs that are opened later. It cannot reach this page, and shows a
 * sentence until it has its address. Undefined if the browser blocks new tabs.
 */
export const openTab = (title: string): { show(url: string): void; close(): void } | undefined => {
  const tab = window.open("", "_blank");
  if (tab === null) return undefined;
  tab.opener = null;
  tab.document.title = title;
  tab.document.body.textContent = "Opening the report …";
  return { show: (url) => tab.location.replace(url), close: () => tab.close() };
};

/** A link that opens the page of a report without a token, for ten minutes. @throws Problem */
export const createLink = async (id: string, key: string): Promise<string> => {
  const { url } = await answer(
    api.POST("/api/integrations/provider/reports/{id}/link", { params: { path: { id }, ...once(key) } }),
  );
  const safe = externalUrl(url);
  if (safe === undefined) throw new Problem("The link of the report is not encrypted, so it is not opened.");
  return safe;
};

export const formats = {
  html: { accept: "text/html", name: "HTML" },
  json: { accept: "application/json", name: "JSON" },
} as const;
export type Format = keyof typeof formats;

/** Saves the API's answer as it is. @throws Problem */
export const download = async (id: string, format: Format): Promise<void> => {
  const { accept } = formats[format];
  const text = await answer(
    api.GET("/api/integrations/provider/reports/{id}", {
      params: { path: { id } },
      headers: { accept },
      parseAs: "text",
    }),
  );
  const url = URL.createObjectURL(new Blob([text], { type: `${accept};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${id}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_FILE_MS);
};
