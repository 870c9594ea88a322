/** The sender and the origin of a request, as security events and stored requests name them. */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { OrganizationCaller } from "./caller.ts";

/** Where a request came from, as the gateway reports it. */
export type Origin = { requestId: string; ipAddress: string; userAgent?: string };

/** A user's request: the caller that its token names, and its origin. */
export type UserRequest = {
  caller: Pick<OrganizationCaller, "organizationId" | "userId" | "sessionId">;
  origin: Origin;
};

/** The user who requested something, as security events and stored runs name them. */
export const Requester = z.object({
  userId: z.string(),
  sessionId: z.optional(z.string()),
  ipAddress: z.string(),
  userAgent: z.optional(z.string()),
});
export type Requester = z.output<typeof Requester>;

const { userId: _, ...originFields } = Requester.shape;
/** Where a stored request came from, until its security event is recorded. */
export const RequestOrigin = z.object({ requestId: z.string(), ...originFields });
export type RequestOrigin = z.output<typeof RequestOrigin>;

/** The address fields of a request, for security events without a user. */
export const addressOf = ({ ipAddress, userAgent }: Origin): Pick<Requester, "ipAddress" | "userAgent"> => ({
  ipAddress,
  ...definedFields({ userAgent }),
});

/** The requester of a user's request. */
export const requesterOf = ({
  caller: { userId, sessionId },
  origin,
}: {
  caller: Pick<UserRequest["caller"], "userId" | "sessionId">;
  origin: Origin;
}): Requester => ({ userId, ...definedFields({ sessionId }), ...addressOf(origin) });

/** The requester's fields that are present: for webhooks and schedules, the user is missing. */
export const requesterFields = ({
  userId,
  sessionId,
  ipAddress,
  userAgent,
}: { readonly [Field in keyof Requester]?: Requester[Field] | undefined }): Partial<Requester> =>
  definedFields({ userId, sessionId, ipAddress, userAgent });
