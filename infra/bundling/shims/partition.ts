/**
 * Replaces the SDK's table of AWS partitions. Its main readers are the endpoint rules, which endpoint-resolver.ts
 * and s3-endpoint-resolver.ts replace. The only other reader is the prefix of the user agent, which is empty by default.
 */
const noTable = (): never => {
  throw new Error("This bundle has no table of partitions.");
};

export const getUserAgentPrefix = () => "";
export const partition = noTable;
export const setPartitionInfo = noTable;
export const useDefaultPartitionInfo = noTable;
