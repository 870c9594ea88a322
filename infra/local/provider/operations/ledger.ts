import { isDeepStrictEqual } from "node:util";
import { API_VERSION, isA, type ObjectOf, type ObjectType, type StoredObject } from "../objects/objects.ts";
import { renderObject, type WireObject } from "../render/render-object.ts";
import type { NewEvent } from "../store/event-table.ts";

/**
 * Collects changes of one account's objects and their events until `take`.
 * The seeded history and every later change are written through a ledger, so both have the same form.
 */
export type Ledger = {
  /** The time of the changes that follow, in epoch seconds. */
  at: number;
  newId(prefix: string, letters?: number): string;
  find<Type extends ObjectType>(type: Type, id: string | null): ObjectOf<Type> | undefined;
  create<Type extends ObjectType>(object: ObjectOf<Type>, ...eventTypes: string[]): ObjectOf<Type>;
  /** Changes the object in place. An event whose type ends in `.updated` has the previous attributes. */
  change<Type extends ObjectType>(
    object: ObjectOf<Type>,
    patch: Partial<ObjectOf<Type>>,
    ...eventTypes: string[]
  ): void;
  /** An event about something that is not stored. */
  emit(type: string, objectId: string, object: WireObject): void;
  /** Everything written since the last `take`, in order. */
  take(): { objects: StoredObject[]; events: NewEvent[] };
};

const UPDATED = /\.updated$/;

export const createLedger = (options: {
  newId: Ledger["newId"];
  /** An object that was written earlier. */
  load: (id: string) => StoredObject | undefined;
  /** No events are made for earlier changes. Epoch seconds. */
  eventsSince: number;
}): Ledger => {
  const { newId, load, eventsSince } = options;
  let known = new Map<string, StoredObject>();
  let changed = new Set<StoredObject>();
  let events: NewEvent[] = [];

  const emitting = (ledger: Ledger, eventTypes: string[]) => eventTypes.length > 0 && ledger.at >= eventsSince;
  const keep = (object: StoredObject) => {
    known.set(object.id, object);
    changed.add(object);
  };
  const record = (type: string, created: number, objectId: string, data: NewEvent["data"]) =>
    events.push({ id: newId("evt_1", 23), type, created, objectId, apiVersion: API_VERSION, data });

  return {
    at: 0,
    newId,
    find<Type extends ObjectType>(type: Type, id: string | null) {
      if (id === null) return undefined;
      const object = known.get(id) ?? load(id);
      if (object === undefined || !isA(object, type)) return undefined;
      known.set(id, object);
      return object;
    },
    create<Type extends ObjectType>(object: ObjectOf<Type>, ...eventTypes: string[]) {
      const stored: StoredObject = object;
      keep(stored);
      if (emitting(this, eventTypes)) {
        const rendered = renderObject(stored);
        for (const type of eventTypes) record(type, this.at, stored.id, { object: rendered });
      }
      return object;
    },
    change<Type extends ObjectType>(object: ObjectOf<Type>, patch: Partial<ObjectOf<Type>>, ...eventTypes: string[]) {
      const stored: StoredObject = object;
      const isEmitting = emitting(this, eventTypes);
      const before = isEmitting ? renderObject(stored) : {};
      Object.assign(object, patch);
      keep(stored);
      if (!isEmitting) return;
      const after = renderObject(stored);
      const previous = previousAttributes(before, after);
      for (const type of eventTypes) {
        const data = UPDATED.test(type) ? { object: after, previous_attributes: previous } : { object: after };
        record(type, this.at, stored.id, data);
      }
    },
    emit(type, objectId, object) {
      record(type, this.at, objectId, { object });
    },
    take() {
      const taken = { objects: [...changed], events };
      known = new Map();
      changed = new Set();
      events = [];
      return taken;
    },
  };
};

/** The attributes that changed, with their values from before. */
const previousAttributes = (before: WireObject, after: WireObject): WireObject =>
  Object.fromEntries(Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, after[name])));
