import { Button } from "./button.tsx";
import { closeNotice, notices } from "./notices.ts";

export const NoticeList = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, requestId, isError }) => (
      <div key={id} class={isError ? "notice bad" : "notice"}>
        <p>{text}</p>
        {requestId !== undefined && (
          <p class="quiet">
            Request id: <code>{requestId}</code>
          </p>
        )}
        <Button kind="link" onClick={() => closeNotice(id)} aria-label="Close this message">
          Close
        </Button>
      </div>
    ))}
  </div>
);
