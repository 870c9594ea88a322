/** The records of one type, with filters in the address. */

import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { useCaller, useMay, useMayRead } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Page, Tabs } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Empty, Pages } from "../../parts/states.tsx";
import { useFilters } from "../../words/address.ts";
import { instantOf } from "../../words/local-time.ts";
import { recordTypes, typeNames } from "../../words/record-types.ts";
import { Filters } from "./filters.tsx";
import { NotReadable } from "./one-record.tsx";
import { RecordTable } from "./record-table.tsx";
import { filtersOf } from "./record-words.ts";

const PAGE = 50;

const noFilters = Object.fromEntries(
  [...new Set(Object.values(filtersOf).flat()), "updatedSince"].map((name) => [name, undefined]),
);

const isRecordType = (text: string | undefined): text is RecordType => recordTypes.some((type) => type === text);

const addressOfType = (type: RecordType): string => `/console/records/${type}`;

const RecordList = ({ type }: { type: RecordType }) => {
  const { filters, set } = useFilters();
  const maySync = useMay("status:read");
  const since = instantOf(filters.updatedSince);
  // Another type's filters may still be in the address.
  const chosen = filtersOf[type].flatMap((name) => (filters[name] ? [[name, filters[name]]] : []));
  const query = {
    ...Object.fromEntries(chosen),
    ...(since !== undefined && { updatedSince: new Date(since).toISOString() }),
  };
  const list = usePagedList<ProviderRecord>(`records ${type} ${JSON.stringify(query)}`, (after, signal) => {
    const params = { path: { type }, query: { ...query, limit: PAGE, ...after } };
    return page(api.GET("/api/integrations/provider/records/{type}", { params, signal }));
  });
  const isFiltered = Object.keys(query).length > 0;
  const many = typeNames[type].many.toLowerCase();
  return (
    <>
      <Filters type={type} filters={filters} onChange={set}>
        <Button onClick={list.reload} isRunning={list.isLoading}>
          Refresh
        </Button>
      </Filters>
      <SavedViews path={addressOfType(type)} />
      <Pages
        of={list}
        what={many}
        empty={
          isFiltered ? (
            <Empty title={`No ${many} match the filters`}>
              <Button onClick={() => set(noFilters)}>Remove all filters</Button>
            </Empty>
          ) : (
            <Empty title={`No ${many} are stored`}>
              <p>
                They appear here with the first sync after an account is connected.{" "}
                {maySync && <a href="/console/syncs">Open Syncs</a>}
              </p>
            </Empty>
          )
        }
      >
        {(records) => <RecordTable type={type} records={records} isBusy={list.isStale} />}
      </Pages>
    </>
  );
};

export const View = () => {
  const { type } = useRoute().params;
  const { route } = useLocation();
  const { recordTypes: readable } = useCaller();
  const [first = "customers"] = readable;
  const chosen = isRecordType(type) ? type : first;
  // The address names the type, so that it can be shared.
  useEffect(() => {
    if (type !== chosen) route(addressOfType(chosen), true);
  }, [type, chosen]);
  const mayRead = useMayRead(chosen);
  return (
    <Page title="Records" lead="The copies of the provider’s objects that this service keeps.">
      <Tabs
        label="Type"
        tabs={recordTypes.map((one) => ({
          href: addressOfType(one),
          name: typeNames[one].many,
          isCurrent: one === chosen,
        }))}
      />
      {mayRead ? <RecordList key={chosen} type={chosen} /> : <NotReadable type={chosen} />}
    </Page>
  );
};
