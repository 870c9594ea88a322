/**
 * What an erasure does to previews: all are deleted, also by the erasure of one user. Samples and settings may name the user,
 * and a preview can be made again. A worker of a deleted preview stops at its next checkpoint.
 */
import { type DataLocation, deletedLocation, type Partition } from "../work/location.ts";

export const allPreviews = (previews: Partition): DataLocation =>
  deletedLocation({ name: "previews", counter: "other" }, previews);
