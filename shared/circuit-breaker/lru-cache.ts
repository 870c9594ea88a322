/** An instance serves many organizations in its life; it remembers this many. */
const MAX_ORGANIZATIONS = 1_000;

/** One value per organization. When full, it drops the value that was set longest ago. */
export const createLruCache = <Value>() => {
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
