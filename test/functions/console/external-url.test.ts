import { expect, it } from "@jest/globals";
import { externalUrl } from "../../../functions/console/app/words/address.ts";

it.each([
  ["https://marketplace.example/oauth?state=a%20b", "https://marketplace.example/oauth?state=a%20b"],
  ["http://127.0.0.1:4000/grant", "http://127.0.0.1:4000/grant"],
  ["http://localhost/grant", "http://localhost/grant"],
  ["http://[::1]:9/grant", "http://[::1]:9/grant"],
  ["http://example.com/grant", undefined],
  ["http://127.0.0.1.example.com/", undefined],
  ["http://localhost@example.com/", undefined],
  ["javascript:alert(1)", undefined],
  [" \tjava\nscript:alert(1)", undefined],
  ["data:text/html,<script>alert(1)</script>", undefined],
  ["//example.com", undefined],
  ["/console", undefined],
  ["", undefined],
])("a browser is sent to %j as %j", (text, expected) => {
  expect(externalUrl(text)).toBe(expected);
});
