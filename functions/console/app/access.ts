/** What the signed-in user may do. The API decides; the console only leaves out what the API would refuse. */

import type { CallerAccess, RecordType } from "./api/types.ts";
import { session } from "./session/session.ts";

export type Permission = CallerAccess["permissions"][number];

/** The signed-in user. @throws Error outside a signed-in view. */
export const useCaller = (): CallerAccess => {
  const { value } = session;
  if (value.state !== "signedIn" && value.state !== "expired") throw new Error("The view needs a signed-in user.");
  return value.me;
};

export const useMay = (permission: Permission): boolean => useCaller().permissions.includes(permission);

/** Whether the user's role may read records of the type. The organization's settings decide for members and guests. */
export const useMayRead = (type: RecordType): boolean => useCaller().recordTypes.includes(type);
