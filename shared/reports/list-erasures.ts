import type { ErasureFact } from "./build-compliance-report.ts";
import type { ListErasures } from "./collect-compliance.ts";

/** An organization's erasures page by page, the last request first. */
type Erasures = {
  list(
    organizationId: string,
    page: { limit: number; after: { id: string } | undefined },
  ): Promise<{
    items: readonly (Omit<ErasureFact, "completedAt"> & { completedAt?: number | undefined })[];
    next: { id: string } | undefined;
  }>;
};

const PER_PAGE = 100;
/** Requests are completed within 30 days, and seldom made: older ones are done. */
const MAX_PAGES = 10;

/** Lists an organization's erasures for its reports: without whom they are about. */
export const createListErasures =
  (erasures: Erasures): ListErasures =>
  async (organizationId) => {
    const found: ErasureFact[] = [];
    let after: { id: string } | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { items, next } = await erasures.list(organizationId, { limit: PER_PAGE, after });
      found.push(
        ...items.map(({ id, status, requestedAt, dueAt, completedAt }) => ({
          ...{ id, status, requestedAt, dueAt },
          ...(completedAt !== undefined && { completedAt }),
        })),
      );
      if (next === undefined) break;
      after = next;
    }
    return found;
  };
