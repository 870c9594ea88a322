/** Faults that a simulation plants in the product on purpose, to show that its invariants find them. */

/** A text of a file under `shared/`, and what replaces it. */
export type Mutation = { file: string; from: string; to: string };

export const mutations: Readonly<Record<string, Mutation>> = {
  "new webhook events are not in the outbox": {
    file: "webhooks/webhook-event-store.ts",
    from: "...(outcome === undefined && { [pendingIndex.partitionKey]: pendingIndex.shardOf(id) }),",
    to: "",
  },
  "a webhook event is marked as processed before it is applied": {
    file: "webhooks/process.ts",
    from: "const { outcome, ...details } = await act(organizationId, event);",
    to: 'await events.markProcessed(key, "applied", now(), { attempts: receives }); const { outcome, ...details } = await act(organizationId, event);',
  },
  "a touched object is not read": {
    file: "webhooks/process.ts",
    from: "await apply(organizationId, observations, options);",
    to: 'await apply(organizationId, observations.filter(({ kind }) => kind !== "touched"), options);',
  },
  "a webhook's deletions are ignored": {
    file: "webhooks/process.ts",
    from: "await apply(organizationId, observations, options);",
    to: 'await apply(organizationId, observations.filter(({ kind }) => kind !== "deleted"), options);',
  },
  "the later delivered of two events in one second wins": {
    file: "webhooks/process.ts",
    from: "await apply(organizationId, observations, options);",
    to: "await apply(organizationId, observations.map((one) => ({ ...one, observedAt: { from: 4e9, to: 4e9 } })), options);",
  },
  "the date of a late event is trusted": {
    file: "webhooks/process.ts",
    from: "if (now - createdSeconds * 1_000 <= TRUSTED_MS) return observations;",
    to: "if (now > 0) return observations;",
  },
  "the sweep treats all events as delivered": {
    file: "sync/read-feed.ts",
    from: "return relevant.filter(({ id }) => !delivered.has(id));",
    to: "return relevant.filter(({ id }) => id === undefined && !delivered.has(id));",
  },
  "signatures are not checked": {
    file: "provider/stripe/verify-signature.ts",
    from: "timingSafeEqual(",
    to: "((..._: unknown[]) => true)(",
  },
  "a transition's event has a random id": {
    file: "circuit-breaker/record-transition.ts",
    from: 'identityOf("transition", organizationId, generation)',
    to: 'identityOf("transition", organizationId, generation, Math.random())',
  },
  "a repeated Idempotency-Key is a new request": {
    file: "runtime/idempotency-store.ts",
    from: "return { identity: { id, at, isKeyed: true, isRepeated: id !== own.id }, answer };",
    to: "return { identity: { ...own, isKeyed: true, isRepeated: false } };",
  },
  "an export whose worker died is never resumed": {
    file: "exports/resume-exports.ts",
    from: "request: isStalled(stored, now) ? exportRequested({ organizationId, exportId: id }) : undefined",
    to: "request: undefined",
  },
  "an export leaves an event out": {
    file: "exports/event-source.ts",
    from: "write(page.events)",
    to: "write(page.events.slice(1))",
  },
  "a repeated request starts another export": {
    file: "exports/request-export.ts",
    from: 'identityOf("export", organizationId, identity.id)',
    to: 'identityOf("export", organizationId, identity.id, Math.random())',
  },
  "a redelivered event sends no message of a paused destination's digest": {
    file: "notifications/dispatch.ts",
    from: "if (own !== undefined) {",
    to: 'if (own !== undefined && (destination.digest === undefined || destination.status === "active")) {',
  },
  "a retry that died before its message is not finished": {
    file: "notifications/request-delivery.ts",
    from: 'const isUnsent = before.status === "pending" && before.isRetryUnsent === true;',
    to: "const isUnsent = false;",
  },
  "a destination that could not be notified is forgotten": {
    file: "notifications/dispatch.ts",
    from: "if (failed !== undefined) throw failed.reason;",
    to: "void failed;",
  },
  "a refused notification counts as delivered": {
    file: "notifications/send-delivery.ts",
    from: "const isDelivered = status >= 200 && status < 300;",
    to: "const isDelivered = status > 0;",
  },
  "a paused destination is sent to": {
    file: "notifications/send-delivery.ts",
    from: 'return status === "active" ? undefined : status;',
    to: "return undefined;",
  },
  "a destination's deletion is acknowledged and not done": {
    file: "notifications/delete-destination.ts",
    from: "if (!(await destinations.delete(organizationId, id, change, silencing))) throw destinationNotFound();",
    to: "void silencing;",
  },
  "an erasure leaves the destinations of the user": {
    file: "notifications/erase.ts",
    from: 'if (mentions(target)) return "delete";',
    to: "void target;",
  },
  "a delivery is given up a try too early": {
    file: "notifications/sending/retry-schedule.ts",
    from: "const pause = PAUSES_MS[tries - 1];",
    to: "const pause = PAUSES_MS[tries];",
  },
  "a failed try is repeated at once": {
    file: "notifications/sending/retry-schedule.ts",
    from: "const own = pause * (1 + JITTER * spreadOf(deliveryId, tries));",
    to: "const own = 0 * spreadOf(deliveryId, tries);",
  },
  "alerts that a filter names are not notified": {
    file: "notifications/decide-notice.ts",
    from: "list === undefined || list.includes(value)",
    to: "list === undefined || (list.length === 0 && value === undefined)",
  },
  "the log of deliveries has another status than the receiver answered": {
    file: "notifications/send-delivery.ts",
    from: "attempt: attempted({ status, error, answer })",
    to: "attempt: attempted({ status: status + 1, error, answer })",
  },
  "a change that silences is not told of if its instance died": {
    file: "notifications/watch-change.ts",
    from: "await publish(unrecordedChangeEvent(organizationId, change));",
    to: "void publish;",
  },
  "hours with events are not marked": {
    file: "security/recorder.ts",
    from: "await hours.markHourOpen(scope, hour);",
    to: "",
  },
  "events that cannot be recorded are dropped": {
    file: "security/recorder.ts",
    from: "await deadLetters.keep({ event, stage, error });",
    to: "void [stage, error];",
  },
  "an erasure leaves the users of events": {
    file: "security/erase.ts",
    from: "if (item.userId === userId) {",
    to: "if (item.userId === userId) return undefined; if (item.userId === userId) {",
  },
  "an erasure leaves the users of comments and assignments": {
    file: "security/alerts/erase.ts",
    from: "const isAuthor = item.by === userId;",
    to: "if (userId !== undefined) return undefined; const isAuthor = item.by === userId;",
  },
  "refusals of the bus count as published": {
    file: "runtime/send-batches.ts",
    from: "if (reasons[i] !== undefined) failed.push({ ...one, reason: reasons[i] });",
    to: "void [one, i, reasons];",
  },
  "a plant whose answer was lost counts as another's": {
    file: "plants/plant-store.ts",
    from: 'condition: "attribute_not_exists(#scope)", own: "token"',
    to: 'condition: "attribute_not_exists(#scope)"',
  },
  "a delivery of a deleted destination is left pending": {
    file: "notifications/send-delivery.ts",
    from: 'await giveUp(hindrance ?? "deleted");',
    to: 'if (hindrance !== "deleted") await giveUp(hindrance ?? "deleted");',
  },
  "an emptied event loses its leaf": {
    file: "security/erase.ts",
    from: "...hashBefore(item), salt: newSalt()",
    to: "...(item === undefined ? hashBefore(item) : {}), salt: newSalt()",
  },
};
