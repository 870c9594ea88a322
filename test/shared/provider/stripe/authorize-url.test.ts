import { expect, it } from "@jest/globals";
import { authorizeUrlOf } from "../../../../shared/provider/stripe/authorize-url.ts";

it("has the client's id and the state", () => {
  const url = new URL(authorizeUrlOf({ clientId: "ca_123" }, "a&b=c"));
  expect(url.origin + url.pathname).toBe("https://marketplace.stripe.com/oauth/v2/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({ response_type: "code", client_id: "ca_123", state: "a&b=c" });
});

it("uses the deployment's URL", () => {
  const authorizeUrl = "http://127.0.0.1:1/grant?theme=dark";
  expect(authorizeUrlOf({ clientId: "ca_123", authorizeUrl }, "s")).toBe(
    `${authorizeUrl}&response_type=code&client_id=ca_123&state=s`,
  );
});
