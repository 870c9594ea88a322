/**
 * What the service remembers of an e-mail address: which organizations have asked it to confirm, and which of them its owner
 * has refused. It bounds the mails that go to people who have not asked for them. Address and organizations are keyed digests
 * (mailed-address-store.ts). Pure. docs/notifications.md, "E-mail".
 */
import * as z from "zod/mini";
import { DAY_MS } from "../terms/hours.ts";

/** Mails that ask an address to confirm, of all organizations together, and of one organization. */
const MAX_ASKED = 3;
const MAX_ASKED_BY_ONE = 1;
const ASKED_MS = DAY_MS;

/** How long an organization that was refused asks no more. The link "This was not me" works for the same time. */
export const REFUSAL_MS = 30 * DAY_MS;
/** After this many answers "This was not me" to different organizations, none may ask. */
const MAX_STRANGERS = 3;
/** More refusals than this are not remembered; the oldest are forgotten first. */
const MAX_REFUSALS = 200;

/** `unsubscribed`: the owner had confirmed, or not yet. `not_me`: the owner had not asked for the mails. */
const refusalReasons = ["unsubscribed", "not_me"] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Times in epoch ms. `organization`: a digest. `request`: what asked, so that a repetition is not counted again. */
export const MailedAddress = z.object({
  asked: z.array(z.object({ organization: z.string(), request: z.string(), at: z.number() })),
  refused: z.array(z.object({ organization: z.string(), because: z.enum(refusalReasons), at: z.number() })),
});
export type MailedAddress = z.output<typeof MailedAddress>;

export const NEVER_MAILED: MailedAddress = { asked: [], refused: [] };

/** What still counts. @param now epoch ms. */
const current = ({ asked, refused }: MailedAddress, now: number): MailedAddress => ({
  asked: asked.filter(({ at }) => now - at < ASKED_MS),
  refused: refused.filter(({ at }) => now - at < REFUSAL_MS),
});

const isRefused = ({ refused }: MailedAddress, organization: string): boolean => {
  const strangers = refused.filter(({ because }) => because === "not_me").map((one) => one.organization);
  return refused.some((one) => one.organization === organization) || new Set(strangers).size >= MAX_STRANGERS;
};

/** The address after a request to confirm it; undefined if it must not be asked now. */
export const askAddress = (
  stored: MailedAddress,
  { organization, request, at }: MailedAddress["asked"][number],
): MailedAddress | undefined => {
  const now = current(stored, at);
  if (isRefused(now, organization)) return undefined;
  if (now.asked.some((one) => one.organization === organization && one.request === request)) return now;
  const isFull =
    now.asked.length >= MAX_ASKED ||
    now.asked.filter((one) => one.organization === organization).length >= MAX_ASKED_BY_ONE;
  return isFull ? undefined : { ...now, asked: [...now.asked, { organization, request, at }] };
};

/** The address after a request whose mail does not leave. @param now epoch ms. */
export const withdrawRequest = (
  stored: MailedAddress,
  { organization, request, at: now }: MailedAddress["asked"][number],
): MailedAddress => {
  const { asked, refused } = current(stored, now);
  return { refused, asked: asked.filter((one) => one.organization !== organization || one.request !== request) };
};

/** The address after its owner has refused an organization. The latest answer of each kind counts. */
export const refuseOrganization = (stored: MailedAddress, refusal: MailedAddress["refused"][number]): MailedAddress => {
  const { asked, refused } = current(stored, refusal.at);
  const others = refused.filter(
    ({ organization, because }) => organization !== refusal.organization || because !== refusal.because,
  );
  return { asked, refused: [...others, refusal].slice(-MAX_REFUSALS) };
};

/** When nothing of the address counts any more, epoch ms. */
export const forgottenAt = ({ asked, refused }: MailedAddress): number =>
  Math.max(0, ...asked.map(({ at }) => at + ASKED_MS), ...refused.map(({ at }) => at + REFUSAL_MS));
