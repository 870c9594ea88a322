/**
 * Stands in for the SDK's table of AWS partitions, which its endpoint rules read (endpoint-resolver.ts stands in for
 * those), and of which only the prefix of the user agent would remain. Without a table of one's own it is empty.
 */
const noTable = (): never => {
  throw new Error("This bundle has no table of partitions.");
};

export const getUserAgentPrefix = () => "";
export const partition = noTable;
export const setPartitionInfo = noTable;
export const useDefaultPartitionInfo = noTable;
