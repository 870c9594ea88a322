/** What an erasure does to records: all are deleted. A user's erasure keeps them: they belong to the provider's customers. */
import { type DataLocation, deletedLocation, type Partition } from "../work/location.ts";

export const allRecords = (records: Partition): DataLocation =>
  deletedLocation({ name: "records", counter: "records" }, records);
