/** How many reports nobody has reviewed. */
import { api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { isOrAre, plural } from "../../words/format.ts";

/** Each read of the list is an event of the user, one a minute at most. */
const EVERY_MS = 5 * 60_000;
const MOST = 100;

export const Unreviewed = () => {
  const { value } = useResource(
    "overview unreviewed",
    (signal) => {
      const query = { reviewed: "false", limit: MOST } as const;
      return page(api.GET("/api/integrations/provider/reports", { params: { query }, signal }));
    },
    { everyMs: EVERY_MS },
  );
  if (value === undefined || value.items.length === 0) return null;
  const { length } = value.items;
  return (
    <p class="quiet">
      <a href="/console/reports">
        {value.next === undefined ? "" : "At least "}
        {plural(length, "report")}
      </a>{" "}
      {isOrAre(length)} not reviewed.
    </p>
  );
};
