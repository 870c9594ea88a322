/**
 * Who may: the caller's token, then the role's permission, then what the organization's settings say of addresses and
 * record types. Settings are read for each request, so that they hold from the next one on.
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isStoreFailure } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { isInNetworks } from "../settings/cidr.ts";
import type { Settings } from "../settings/settings.ts";
import type { Caller } from "../terms/caller.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import { needsOrganization, type Role, rolesWith } from "../terms/permissions.ts";
import { type Authenticate, RefusedCallerError } from "./authenticate.ts";
import type { RecordRefusal } from "./refusals.ts";
import type { Route } from "./route.ts";

/** A public route needs none of these, a route of the integration all but the last. */
export type AdmissionDependencies = {
  authenticate?: Authenticate;
  /** The settings of an organization, read strongly. */
  settings?: { read(organizationId: string): Promise<Settings> };
  recordRefusal?: RecordRefusal;
  noteFailure?: NoteFailure;
};

/** @throws DomainError where the caller does not have the route's permission. */
const requirePermission = ({ role, organizationId }: Caller, { permission }: Route): void => {
  if (permission === "public") return;
  if (needsOrganization(permission) && organizationId === undefined) {
    throw new DomainError("organization_required", "The token names no organization.");
  }
  if (!rolesWith(permission).includes(role)) {
    throw new DomainError("role_may_not", `The role ${role} does not have the permission ${permission}.`);
  }
};

/** @throws DomainError where the organization takes no calls from the caller's address. */
const requireAddress = ({ ipAllowlist }: Settings, ipAddress: string): void => {
  if (ipAllowlist.length === 0 || isInNetworks(ipAddress, ipAllowlist)) return;
  throw new DomainError("ip_address_not_allowed", `The organization allows no calls from the address ${ipAddress}.`);
};

/** @throws DomainError where the role reads some types of records only, and not this one; a type of no record is none. */
const requireRecordAccess = ({ recordAccess }: Settings, { role }: Caller, type: string | undefined): void => {
  // The roles that settings name are the restricted ones.
  const byRole: Partial<Record<Role, readonly (string | undefined)[]>> = recordAccess;
  if (byRole[role]?.includes(type) ?? true) return;
  throw new DomainError("role_may_not", `The role ${role} may not read records of this type.`);
};

export type Admit = (event: APIGatewayProxyEventV2) => Promise<Caller | undefined>;

/**
 * The returned function gives the caller, who may use the route; undefined on a public route. Its refusals are recorded.
 * @throws Error where a part is missing that the route needs: a route must not be open for want of wiring.
 */
export const createAdmission = (route: Route, dependencies: AdmissionDependencies): Admit => {
  const { authenticate, settings, recordRefusal, noteFailure } = dependencies;
  const { permission } = route;
  if (permission === "public") return async () => undefined;
  if (authenticate === undefined) throw new Error(`${route.method} ${route.path} needs authentication.`);
  if (needsOrganization(permission) && settings === undefined) {
    throw new Error(`${route.method} ${route.path} needs the organization's settings.`);
  }

  const requireSettings = async (caller: Caller, event: APIGatewayProxyEventV2): Promise<void> => {
    if (settings === undefined || caller.organizationId === undefined) return;
    const inForce = await settings.read(caller.organizationId);
    requireAddress(inForce, event.requestContext.http.sourceIp);
    if (permission === "records:read") requireRecordAccess(inForce, caller, event.pathParameters?.type);
  };

  return async (event) => {
    let caller: Caller | undefined;
    try {
      caller = await authenticate(event.headers.authorization);
      requirePermission(caller, route);
      if (needsOrganization(permission)) await requireSettings(caller, event);
      return caller;
    } catch (error) {
      if (error instanceof DomainError && catalogueEntry(error.code).status < 500) {
        const refused = error instanceof RefusedCallerError ? error.caller : caller;
        await recordRefusal?.({ route, event, error, caller: refused });
      }
      if (isStoreFailure(error)) await noteFailure?.(caller?.organizationId, "store");
      throw error;
    }
  };
};
