import { useRoute } from "preact-iso/router";
import { CallerPage } from "./caller-page.tsx";

export const View = () => {
  const { ip = "" } = useRoute().params;
  return <CallerPage key={ip} title={ip} kind="Address" caller={{ ipAddress: ip }} />;
};
