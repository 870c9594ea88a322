/** The mails to one address in the local cloud, and the pages behind their links. */
import type { RunningStack } from "../../infra/local/commands/stack-file.ts";
import { eventually } from "./integration.ts";

type Mail = { headers: Record<string, string>; text: string };

/** The links of a mail, its headers and its text. `confirm` and `notMe` are empty if the mail does not ask to confirm. */
type Linked = { confirm: string; notMe: string; unsubscribe: string; headers: Record<string, string>; text: string };

const linkIn = (text: string, before: string): string => new RegExp(`${before}(\\S+)`).exec(text)?.[1] ?? "";

export const mailboxOf = ({ controlUrl }: Pick<RunningStack, "controlUrl">, address: string) => ({
  /** The newest mail, as soon as there are this many. */
  newest: async (count: number): Promise<Linked> => {
    const id = await eventually(`${address} has ${count} mails`, async () => {
      const { mails } = (await (await fetch(`${controlUrl}/mail`)).json()) as { mails: { id: string; to: string }[] };
      const own = mails.filter(({ to }) => to === address);
      return own.length >= count && own.at(-1)?.id;
    });
    const { headers, text } = (await (await fetch(`${controlUrl}/mail/${id}`)).json()) as Mail;
    const confirm = linkIn(text, "Confirm: ");
    const notMe = linkIn(text, "This was not me: ");
    return { headers, text, confirm, notMe, unsubscribe: linkIn(text, "Stop these mails: ") };
  },
});

/** Requests a page as a browser does. @param form the body of a form; without it, the request has no content type. */
export const pageOf = async (method: string, url: string, form?: string) => {
  const response = await fetch(url, {
    method,
    ...(form !== undefined && { body: form, headers: { "content-type": "application/x-www-form-urlencoded" } }),
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
};
