import { Button } from "../../parts/button.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { ErasureRow } from "./erasure-row.tsx";
import { RequestForm } from "./request-form.tsx";
import { useErasures } from "./use-erasures.ts";

export const ErasureView = () => {
  const erasures = useErasures();
  return (
    <Page title="Erasure" lead="Delete personal data on request, and keep the proof.">
      <RequestForm onRequested={erasures.reload} />
      <Card title="Erasures">
        <Loaded
          of={erasures}
          what="erasures"
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty title="Nothing has been erased">
              <p>An erasure is listed here as soon as it is requested, with its progress and later its proof.</p>
            </Empty>
          }
        >
          {({ items, hasMore }) => (
            <>
              <ul class="erasure-list">
                {items.map((erasure) => (
                  <ErasureRow key={erasure.id} erasure={erasure} />
                ))}
              </ul>
              {hasMore && (
                <div class="more">
                  <Button isRunning={erasures.isLoading} onClick={erasures.more}>
                    Load older erasures
                  </Button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
};
