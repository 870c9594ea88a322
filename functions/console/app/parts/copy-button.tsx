import { Button } from "./button.tsx";
import { notify } from "./notices.ts";

/** @param what names the text in the message: "The webhook URL". */
export const CopyButton = ({ text, what, label = "Copy" }: { text: string; what: string; label?: string }) => (
  <Button
    kind="link"
    aria-label={label === "Copy" ? `Copy: ${what}` : undefined}
    onClick={() =>
      navigator.clipboard.writeText(text).then(
        () => notify(`${what} is in the clipboard.`),
        () => notify(`${what} could not be copied. The browser refused.`),
      )
    }
  >
    {label}
  </Button>
);

/** An id, and a button that copies it. */
export const CopiedId = ({ id, what }: { id: string; what: string }) => (
  <>
    <code>{id}</code> <CopyButton text={id} what={what} />
  </>
);
