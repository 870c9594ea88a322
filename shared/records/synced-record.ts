/** A record as clients see it. Apart from record.ts, so that functions without lists of records do not bundle it. */
import * as z from "zod/mini";
import { epochMs } from "../json/number-fields.ts";
import { type RecordType, recordFields, recordTypes, schemaNameOf } from "./record.ts";

const recordOf = <Type extends RecordType>(type: Type) =>
  z
    .object({
      id: z.string().register(z.globalRegistry, { description: "The provider's id." }),
      type: z.literal(type),
      createdAt: epochMs("when the provider created it."),
      updatedAt: epochMs("when the record last changed here."),
      deleted: z
        .boolean()
        .register(z.globalRegistry, { description: "Deleted at the provider: the type's fields are null." }),
      ...recordFields[type].shape,
    })
    .register(z.globalRegistry, { id: schemaNameOf(type), description: `A record of the type \`${type}\`.` });

type RecordSchema = { [Type in RecordType]: ReturnType<typeof recordOf<Type>> }[RecordType];

/** A record as clients see it. */
export const SyncedRecord = z
  .discriminatedUnion("type", recordTypes.map((type) => recordOf(type)) as [RecordSchema, ...RecordSchema[]])
  .register(z.globalRegistry, {
    id: "Record",
    description: "The service's copy of one object of the provider.",
  });
export type SyncedRecord = z.output<typeof SyncedRecord>;
