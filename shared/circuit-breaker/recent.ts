/** An instance serves many organizations over its life, and keeps no more than these. */
const MAX_ORGANIZATIONS = 1_000;

/** Something per organization, for those that were set last. */
export const createRecent = <Value>() => {
  const values = new Map<string, Value>();
  return {
    get: (organizationId: string): Value | undefined => values.get(organizationId),
    set: (organizationId: string, value: Value): void => {
      values.delete(organizationId);
      values.set(organizationId, value);
      if (values.size <= MAX_ORGANIZATIONS) return;
      for (const oldest of values.keys()) {
        values.delete(oldest);
        return;
      }
    },
    clear: (): void => values.clear(),
  };
};
