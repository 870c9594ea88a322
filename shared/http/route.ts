/** A route: the definition of an endpoint for handlers, infrastructure, OpenAPI document and tests. */
import * as z from "zod/mini";
import type { RecordType } from "../records/record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { resourceTypes } from "../security/security-event.ts";
import type { ErrorName } from "../terms/error-catalogue.ts";
import { isId } from "../terms/id.ts";
import type { Permission } from "../terms/permissions.ts";

type Fields = z.ZodMiniObject;

/** An object, or a union of objects with a discriminating field. */
type RequestBody = Fields | z.ZodMiniDiscriminatedUnion<readonly Fields[]>;

/** A list with pages: the route takes `limit` and `cursor`, and a page that has a next one has a Link header. */
export type Paging = {
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** The position of the last item of a page, which the cursor contains. */
  readonly position: Fields;
  /** The field of the body that contains the list, if the body is not the list itself. */
  readonly field?: string;
};

/** The paging of most lists. @param position the fields that order the list. */
export const pagesOf = <const Position extends Fields>(position: Position) =>
  ({ defaultLimit: 50, maxLimit: 1000, position }) as const;

/** The position in a list that is ordered by id. */
export const PositionById = z.object({ id: z.string() });

/**
 * The parameter `id` of a path. The document allows any text: one that cannot be an id names nothing.
 * @param notFound the route's failure if nothing has the id. The parser throws it too, with the same message as the store.
 */
export const idOf = (thing: string, notFound: ErrorName, description = `The id of the ${thing}.`) => {
  const requireId = (id: string): string => {
    if (isId(id)) return id;
    throw new DomainError(notFound, `There is no such ${thing}.`);
  };
  return z.object({ id: z.pipe(z.string(), z.transform(requireId)).register(z.globalRegistry, { description }) });
};

type Tag = { readonly description: string; readonly resourceType: (typeof resourceTypes)[number] | undefined };

/** The groups of routes in the OpenAPI document, and the resource type of their refusals. */
export const tags = {
  plants: { description: "The plant store.", resourceType: "plant" },
  security: {
    description: "Security events of an organization's integration, and their alerts.",
    resourceType: "security_event",
  },
  "circuit-breaker": {
    description: "The circuit that protects an organization's calls to the provider.",
    resourceType: "circuit_breaker",
  },
  connection: {
    description: "The organization's connection to its account at the payment provider.",
    resourceType: "provider_account",
  },
  sync: { description: "Runs that update the records.", resourceType: "provider_account" },
  records: { description: "The records that were synced from the provider.", resourceType: undefined },
  webhooks: { description: "Events that the provider sends.", resourceType: "provider_account" },
  reports: { description: "Daily, weekly and monthly reports for audits.", resourceType: "report" },
  settings: { description: "An organization's settings for its integration.", resourceType: "provider_account" },
  notifications: {
    description: "Where an organization's alerts and reports are sent.",
    resourceType: "provider_account",
  },
  detection: { description: "The rules that judge security events.", resourceType: "security_event" },
  mutes: {
    description: "Alerts that are not sent for a time.",
    resourceType: "security_event",
  },
  erasure: { description: "Deletion of an organization's or a user's data on request.", resourceType: undefined },
  exports: { description: "Files with security events or all data of an organization.", resourceType: undefined },
  api: { description: "The API itself.", resourceType: undefined },
} as const satisfies Record<string, Tag>;

export type Route = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With parameters in braces, as in API Gateway and OpenAPI. */
  readonly path: `/${string}`;
  /**
   * A `public` route takes no token. A `link` route takes a link instead, which a caller with a permission has created; its
   * work receives that caller.
   */
  readonly permission: Permission | "public" | "link";
  /** The type of records that `records:read` must allow, if the path has none. */
  readonly recordType?: RecordType;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  readonly request: { readonly params?: Fields; readonly query?: Fields; readonly body?: RequestBody };
  /** Ignores query parameters that it does not have; other routes refuse them, because a misspelled filter answers all. */
  readonly ignoresUnknownParameters?: true;
  readonly paging?: Paging;
  /** Takes an `Idempotency-Key`; its work receives the request's identity. */
  readonly isIdempotent?: true;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly body?: z.ZodMiniType;
    /** Answers HTML if the Accept header prefers it; its work receives `prefersHtml`. Without a `body`, always HTML. */
    readonly html?: true;
  };
  /** Its own failures, in addition to those of every route of its kind (shared/api/open-api-responses.ts). */
  readonly failures: readonly ErrorName[];
};

export const defineRoute = <const R extends Route>(route: R): R => route;

/** A route in a table. Without `request`, the route takes no input; without `failures`, it has none of its own. */
type Entry = Omit<Route, "tag" | "request" | "failures"> & Partial<Pick<Route, "request" | "failures">>;

type Defined<E extends Entry, Tag> = E & {
  readonly tag: Tag;
  readonly request: E extends { request: infer Request } ? Request : Record<never, never>;
  readonly failures: E extends { failures: infer Failures } ? Failures : readonly [];
};

/** A table of routes that have one tag. */
export const defineRoutes = <
  const Tag extends keyof typeof tags,
  const Entries extends Readonly<Record<string, Entry>>,
>(
  tag: Tag,
  entries: Entries,
) =>
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, { request: {}, failures: [], ...entry, tag }]),
  ) as unknown as { readonly [Name in keyof Entries]: Defined<Entries[Name], Tag> };

type ParsedFields<Schema> = Schema extends RequestBody ? z.output<Schema> : undefined;

type HtmlOf<R extends Route> = R["success"]["html"] extends true ? { prefersHtml: boolean } : unknown;

/** A page instead of a JSON body. `hasForm`: it has a form that posts to the service. */
export type Html = { readonly html: string; readonly hasForm?: boolean };

/** The parsed parts of a request to a route, without the caller. */
export type RequestOf<R extends Route> = HtmlOf<R> & {
  params: ParsedFields<R["request"]["params"]>;
  query: ParsedFields<R["request"]["query"]>;
  body: ParsedFields<R["request"]["body"]>;
  page: R["paging"] extends Paging
    ? { limit: number; after: z.output<R["paging"]["position"]> | undefined }
    : undefined;
};

// biome-ignore lint/suspicious/noConfusingVoidType: it is the return type of work without a result.
type Body<R extends Route> = R["success"]["body"] extends z.ZodMiniType ? z.input<R["success"]["body"]> : void;

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/**
 * A page of a list, and its last position if there is more. Each item has the fields of its position, because a page that
 * would be too large ends earlier.
 */
export type Page<Item, Position> = { items: readonly Item[]; next: Position | undefined };

type PagedBody<List, Field extends keyof List, Position> = Omit<List, Field> &
  Record<Field, readonly (ItemOf<List[Field]> & Position)[]> & { next: Position | undefined };

/** The result of a route's work: the body, or a page of a list. */
export type ResultOf<R extends Route> = R["paging"] extends Paging
  ? R["paging"] extends { field: infer Field extends keyof Body<R> }
    ? PagedBody<Body<R>, Field, z.input<R["paging"]["position"]>>
    : Page<ItemOf<Body<R>> & z.input<R["paging"]["position"]>, z.input<R["paging"]["position"]>>
  : R["success"]["html"] extends true
    ? R["success"]["body"] extends z.ZodMiniType
      ? Body<R> | Html
      : Html
    : Body<R>;
