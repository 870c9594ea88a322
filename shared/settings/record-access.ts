import type { Role } from "../terms/permissions.ts";
import type { Settings } from "./settings.ts";

/** The record types that a role may read; undefined if it may read all. Settings restrict members and guests only. */
export const readableTypes = ({ recordAccess }: Settings, role: Role): readonly (string | undefined)[] | undefined => {
  const byRole: Partial<Record<Role, readonly (string | undefined)[]>> = recordAccess;
  return byRole[role];
};
