import { exportAccess } from "./export-access.ts";
import { judgingAccess } from "./judging-access.ts";
import { notificationAccess } from "./notification-access.ts";
import { accessParts, type Resources } from "./parts.ts";
import { providerAccess } from "./provider-access.ts";
import { securityAccess } from "./security-access.ts";

/** All rights that a function may have, by subject. */
export const accessTo = (resources: Resources) => {
  const parts = accessParts(resources);
  const { plants, publish, recordSecurityEvents, recordRefusals, sealForClients, readCircuits, changeCircuits } = parts;
  const { takeIdempotencyKeys } = parts;
  return {
    plants: (action: "PutItem" | "Query" | "DeleteItem") => plants.may(action),
    ...{ publish, recordSecurityEvents, recordRefusals, sealForClients, readCircuits, changeCircuits },
    takeIdempotencyKeys,
    ...securityAccess(parts),
    ...providerAccess(parts, resources),
    ...judgingAccess(parts),
    ...exportAccess(parts),
    ...notificationAccess(parts, resources),
  };
};

export type AccessTo = ReturnType<typeof accessTo>;
