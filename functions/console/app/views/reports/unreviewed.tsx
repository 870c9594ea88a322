/** How many reports nobody has reviewed. */
import { api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { addressOf } from "../../words/address.ts";
import { isOrAre, plural } from "../../words/format.ts";

/** Each read of the list is an event of the user, one a minute at most. */
const EVERY_MS = 5 * 60_000;
const MOST = 100;

/** Nothing while the number is not known, or 0. With another key, it is read again. */
export const Unreviewed = () => {
  const { value } = useResource(
    "unreviewed reports",
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
      <a href={addressOf("/console/reports", { reviewed: "false" })}>
        {value.next === undefined ? "" : "At least "}
        {plural(length, "report")}
      </a>{" "}
      {isOrAre(length)} not reviewed.
    </p>
  );
};
