/**
 * The part of the Open Cybersecurity Schema Framework that our events use: four event classes of OCSF 1.8.0 with the
 * attributes that to-ocsf.ts sets. Names, numbers and types are those of https://schema.ocsf.io/1.8.0; what that schema
 * requires is required here. docs/ocsf.md has the mapping, docs/siem.md the table with these columns.
 */
import * as z from "zod/mini";
import { epochMs, integer } from "../../json/number-fields.ts";

export const OCSF_VERSION = "1.8.0" as const;

const text = z.string();
const name = z.optional(text);

/** One of the numbers of an OCSF enumeration. */
const oneOf = <const Numbers extends readonly [number, ...number[]]>(...numbers: Numbers) => z.literal(numbers);

const User = z.strictObject({
  name,
  uid: name,
  type: text,
  type_id: oneOf(0, 1, 4),
  org: z.optional(z.strictObject({ uid: text })),
});

const Actor = z.strictObject({
  app_name: name,
  user: z.optional(User),
  session: z.optional(z.strictObject({ uid: text })),
});

const Endpoint = z.strictObject({ ip: name, name, svc_name: name });

const HttpRequest = z.strictObject({ uid: name, user_agent: name });

const Service = z.strictObject({ name: text });

const Resource = z.strictObject({ name, uid: name, type: name });

const Named = z.strictObject({ uid: text });
/** A technique of MITRE ATT&CK, by its id. */
const Attack = z.strictObject({ tactic: Named, technique: Named });

const Metadata = z.strictObject({
  version: z.literal(OCSF_VERSION),
  product: z.strictObject({ name: text, uid: text, vendor_name: text }),
  /** The id of our event. */
  uid: text,
  /** The type of our event. */
  event_code: text,
  log_name: text,
  logged_time: epochMs(),
  /** The organization. */
  tenant_uid: name,
  /** The id of the request, run or erasure. */
  correlation_uid: name,
});

/** The attributes of all classes. */
const common = {
  activity_name: text,
  category_name: text,
  class_name: text,
  type_uid: integer("class_uid times 100, plus activity_id"),
  type_name: text,
  time: epochMs(),
  severity_id: oneOf(2, 3, 4, 5),
  severity: text,
  status: text,
  status_code: name,
  status_detail: name,
  message: text,
  duration: z.optional(integer("Milliseconds")),
  metadata: Metadata,
  actor: Actor,
  src_endpoint: Endpoint,
  http_request: z.optional(HttpRequest),
  /** What OCSF has no attribute for, by our names. */
  unmapped: z.record(z.string(), z.unknown()),
};

const succeeded = oneOf(1, 2);

const Authentication = z.strictObject({
  ...common,
  class_uid: z.literal(3002),
  category_uid: z.literal(3),
  activity_id: oneOf(1, 99),
  status_id: succeeded,
  user: User,
  service: Service,
});

const EntityManagement = z.strictObject({
  ...common,
  class_uid: z.literal(3004),
  category_uid: z.literal(3),
  activity_id: oneOf(1, 3, 4),
  status_id: succeeded,
  entity: z.strictObject({ name: text, uid: name, type: name, type_id: oneOf(99) }),
});

const ApiActivity = z.strictObject({
  ...common,
  class_uid: z.literal(6003),
  category_uid: z.literal(6),
  activity_id: oneOf(1, 2, 3, 4, 99),
  status_id: succeeded,
  api: z.strictObject({
    operation: text,
    service: Service,
    request: z.optional(z.strictObject({ uid: text })),
    response: z.optional(z.strictObject({ error: name, error_message: name })),
  }),
  resources: z.optional(z.array(Resource)),
});

/** The class of findings has who and from where in its evidences. */
const { actor: _, src_endpoint: __, http_request: ___, ...findingCommon } = common;

const DetectionFinding = z.strictObject({
  ...findingCommon,
  class_uid: z.literal(2004),
  category_uid: z.literal(2),
  activity_id: oneOf(1),
  status_id: oneOf(1),
  is_alert: z.boolean(),
  finding_info: z.strictObject({
    uid: text,
    title: text,
    created_time: epochMs(),
    types: z.array(text),
    attacks: z.optional(z.array(Attack)),
  }),
  resources: z.optional(z.array(Resource)),
  /** Who caused the finding, and from where. */
  evidences: z.array(z.strictObject({ actor: Actor, src_endpoint: Endpoint, http_request: z.optional(HttpRequest) })),
});

export const ocsfClasses = { Authentication, EntityManagement, ApiActivity, DetectionFinding };

/** An event as OCSF has it. Attributes without a value are absent. */
export type OcsfEvent =
  | z.output<typeof Authentication>
  | z.output<typeof EntityManagement>
  | z.output<typeof ApiActivity>
  | z.output<typeof DetectionFinding>;
