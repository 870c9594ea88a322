import { useRoute } from "preact-iso/router";
import { CallerPage } from "./caller-page.tsx";

export const View = () => {
  const { id = "" } = useRoute().params;
  return <CallerPage key={id} title={id} kind="User" caller={{ userId: id }} />;
};
