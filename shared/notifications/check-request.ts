/** What the schemas of requests cannot say: which time zones and URLs a destination may have. Pure. */
import { isTimeZone, ZONE_EXPECTED } from "../json/zoned-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { isId } from "../terms/id.ts";
import type { Destination, DestinationChangeRequest, DestinationRequest, DestinationType } from "./destination.ts";
import { checkTargetUrl, type TargetRules } from "./sending/public-address.ts";

/** @throws DomainError `invalid_field`. */
export const requireTimes = ({
  quietHours,
  digest,
}: Pick<DestinationRequest | DestinationChangeRequest, "quietHours" | "digest">): void => {
  for (const [name, part] of Object.entries({ quietHours, digest })) {
    if (part !== undefined && !isTimeZone(part.timeZone)) {
      throw new DomainError("invalid_field", `${name}.timeZone: ${ZONE_EXPECTED}`);
    }
  }
  if (quietHours !== undefined && quietHours.from === quietHours.to) {
    throw new DomainError("invalid_field", "quietHours.to: expected another time than from");
  }
};

/**
 * An escalation that was not there before must name another destination of the organization.
 * @throws DomainError `invalid_field`, `destination_not_found`, `store_unavailable`.
 */
export const requireEscalation = async (
  { id, escalate }: Pick<Destination, "id" | "escalate">,
  before: Pick<Destination, "escalate"> | undefined,
  read: (id: string) => Promise<unknown>,
): Promise<void> => {
  if (escalate === undefined || escalate.to === before?.escalate?.to) return;
  if (escalate.to === id) {
    throw new DomainError("invalid_field", "escalate.to: expected the id of another destination");
  }
  if (!isId(escalate.to) || (await read(escalate.to)) === undefined) {
    throw new DomainError("destination_not_found", "escalate.to: there is no such destination.");
  }
};

/** Of a webhook's URL the origin and the path; a chat's URL is a secret, so only its host. */
const shownUrl = (type: DestinationType, { origin, pathname, host }: URL): string =>
  type === "webhook" ? `${origin}${pathname}` : `${host}/…`;

/** The URL as it is stored, and what of it is shown. @throws DomainError `invalid_field`. */
export const checkUrl = (type: DestinationType, text: string, rules: TargetRules): { url: string; target: string } => {
  const { url, problem } = checkTargetUrl(text, rules);
  if (url === undefined) throw new DomainError("invalid_field", `url: ${problem}`);
  if (url.hash !== "") throw new DomainError("invalid_field", "url: must not have a fragment");
  return { url: url.href, target: shownUrl(type, url) };
};

/** What a new destination sends to. */
export const targetOf = (request: DestinationRequest, rules: TargetRules): { url?: string; target: string } =>
  request.type === "email" ? { target: request.address } : checkUrl(request.type, request.url, rules);
