/**
 * Admits callers: checks the token, then the role's permission, then the organization's settings on addresses and record
 * types. Each request reads the settings, so a change applies to the next request.
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isStoreFailure } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { addLogIds } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { readableTypes } from "../settings/record-access.ts";
import type { Settings } from "../settings/settings.ts";
import type { Caller } from "../terms/caller.ts";
import { isInNetworks } from "../terms/cidr.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import { needsOrganization, rolesWith } from "../terms/permissions.ts";
import { type Authenticate, RefusedCallerError } from "./authenticate.ts";
import type { RecordRefusal } from "./refusals.ts";
import type { Route } from "./route.ts";

/** A public route needs no dependency; a route of the integration needs all but the last. */
export type AdmissionDependencies = {
  authenticate?: Authenticate;
  /** Of a public route behind a link; throws DomainError `no_bearer_token` if the request has no key. */
  requireKey?: (event: APIGatewayProxyEventV2) => unknown;
  /** Of a `link` route: the caller who created the request's link. */
  openLink?: (event: APIGatewayProxyEventV2) => Promise<Caller>;
  /** The settings of an organization, read strongly. */
  settings?: { read(organizationId: string): Promise<Settings> };
  recordRefusal?: RecordRefusal;
  noteFailure?: NoteFailure;
};

/** A refusal because of the caller's role. If the token names no known role, it names the claim that was looked for. */
const roleMayNot = (refusal: string, { missing }: Caller): DomainError =>
  new DomainError("role_may_not", [refusal, missing?.role].filter(Boolean).join(" "));

/** @throws DomainError if the caller lacks the route's permission. */
const requirePermission = (caller: Caller, { permission }: Route): void => {
  const { role, organizationId, missing } = caller;
  if (permission === "public" || permission === "link") return;
  if (needsOrganization(permission) && organizationId === undefined) {
    throw new DomainError("organization_required", missing?.organization ?? "The token names no organization.");
  }
  if (!rolesWith(permission).includes(role)) {
    throw roleMayNot(`The role ${role} does not have the permission ${permission}.`, caller);
  }
};

/** @throws DomainError if the organization's allowlist lacks the caller's address. */
const requireAddress = ({ ipAllowlist }: Settings, ipAddress: string): void => {
  if (ipAllowlist.length === 0 || isInNetworks(ipAddress, ipAllowlist)) return;
  throw new DomainError(
    "ip_address_not_allowed",
    `The organization does not allow calls from the address ${ipAddress}.`,
  );
};

/** @throws DomainError if the role may not read this record type. An unknown record type counts as not allowed. */
const requireRecordAccess = (settings: Settings, caller: Caller, type: string | undefined): void => {
  if (readableTypes(settings, caller.role)?.includes(type) ?? true) return;
  throw roleMayNot(`The role ${caller.role} may not read records of this type.`, caller);
};

export type Admit = (event: APIGatewayProxyEventV2) => Promise<Caller | undefined>;

/**
 * The returned function returns the admitted caller; undefined on a public route. It records refusals.
 * @throws Error if a dependency that the route needs is missing: incomplete wiring must not open a route.
 */
export const createAdmission = (route: Route, dependencies: AdmissionDependencies): Admit => {
  const { authenticate, requireKey, openLink, settings, recordRefusal, noteFailure } = dependencies;
  const { permission } = route;
  if (permission === "public") {
    return async (event) => {
      requireKey?.(event);
      return undefined;
    };
  }
  const identify: AdmissionDependencies["openLink"] =
    permission === "link" ? openLink : authenticate && ((event) => authenticate(event.headers.authorization));
  if (identify === undefined) throw new Error(`${route.method} ${route.path} needs authentication.`);
  if (needsOrganization(permission) && settings === undefined) {
    throw new Error(`${route.method} ${route.path} needs the organization's settings.`);
  }

  const requireSettings = async (caller: Caller, event: APIGatewayProxyEventV2): Promise<void> => {
    if (settings === undefined || caller.organizationId === undefined) return;
    const inForce = await settings.read(caller.organizationId);
    requireAddress(inForce, event.requestContext.http.sourceIp);
    if (permission !== "records:read") return;
    requireRecordAccess(inForce, caller, route.recordType ?? event.pathParameters?.type);
  };

  return async (event) => {
    let caller: Caller | undefined;
    try {
      caller = await identify(event);
      addLogIds({ organizationId: caller.organizationId });
      requirePermission(caller, route);
      if (needsOrganization(permission)) await requireSettings(caller, event);
      return caller;
    } catch (error) {
      // Anybody can send an invalid link, so a refused link leaves no event.
      if (error instanceof DomainError && [401, 403].includes(catalogueEntry(error.code).status)) {
        const refused = error instanceof RefusedCallerError ? error.caller : caller;
        await recordRefusal?.({ route, event, error, caller: refused });
      }
      if (isStoreFailure(error)) await noteFailure?.(caller?.organizationId, "store");
      throw error;
    }
  };
};
