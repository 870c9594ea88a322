import { render } from "preact";
import type { paths } from "../../../.build/console/openapi.d.ts";
import "./styles.css";

type Settings = { issuer: string; clientId: string | null; scope: string; audience: string | null };

const settings: Settings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="console"]')?.content ?? "{}");
const caller: keyof paths = "/api/integrations/provider/me";

const Page = () => (
  <main>
    <h1>Console</h1>
    <p>
      Issuer {settings.issuer}, {caller}
    </p>
  </main>
);

const root = document.querySelector("#app");
if (root !== null) render(<Page />, root);
