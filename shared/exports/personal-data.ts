/**
 * Which fields of an export's files hold personal data: of users, of people who use the account at the provider, and of
 * customers. The lines of the files do not say it, because they are those of the API and of the sealed log. Pure.
 */
const ofEvents = [
  "userId",
  "sessionId",
  "ipAddress",
  "userAgent",
  "location",
  "metadata.actor.email",
  "metadata.details",
  "metadata.busiest",
];

/** By the file's name. A path means everything below it, and each entry of a list. */
const fieldsOfFiles: Readonly<Record<string, readonly string[]>> = {
  "destinations.ndjson": ["name", "target", "createdBy", "changedBy"],
  "custom-rules.ndjson": ["filter.userIds", "filter.networks", "createdBy", "changedBy"],
  "customers.ndjson": ["name", "email"],
  "events.ndjson": ofEvents,
  // The column `metadata` is JSON.
  "events.csv": ofEvents,
  "events.ocsf.ndjson": [
    "actor",
    "user",
    "src_endpoint",
    "http_request.user_agent",
    "evidences",
    "unmapped.location",
    "unmapped.metadata.actor.email",
    "unmapped.metadata.details",
    "unmapped.metadata.busiest",
  ],
  "alerts.ndjson": ["subject", "evidence", "metadata", "acknowledgedBy", "resolvedBy", "assignee", "history"],
  "reports.ndjson": ["access.users", "alerts", "changes", "mutes", "reviewedBy", "reviews"],
  "detection-rules.json": ["known"],
  "mutes.ndjson": ["subject", "createdBy", "endedBy"],
};

/** @returns the files that have such fields, in the given order. */
export const personalDataOf = (files: readonly { name: string }[]): { file: string; fields: string[] }[] =>
  files.flatMap(({ name }) => {
    const fields = fieldsOfFiles[name];
    return fields === undefined ? [] : [{ file: name, fields: [...fields] }];
  });
