import { describe, expect, it } from "@jest/globals";
import { prefersHtml } from "../../../shared/http/accept.ts";

const CHROMIUM =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

describe("a caller's Accept", () => {
  it.each([
    CHROMIUM,
    "text/html",
    "TEXT/HTML",
    "text/*",
    "text/html;level=1",
    "application/json;q=0.9, text/html",
    "text/html;q=0.5, application/json;q=0.4",
    "text/html;q=0.5,*/*;q=0.4",
    "text/html; q=0.001",
    "*/*, application/json;q=0",
    "*/*;q=0.5, text/html ; q=1.000",
  ])("prefers HTML with %j", (accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  it.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "application/*",
    "application/json, text/html",
    "text/html, application/json",
    "text/html;q=0.8, application/json;q=0.9",
    "text/html;q=0.8, */*",
    "text/html;q=0",
    "text/html;q=0, */*",
    "text/html;q=1.5",
    "text/html;q=x",
    "text/html;q=0.12345",
    "text/html;q=",
    "text/plain",
    "html",
    "text/html/x",
    ";;,,/",
    "image/png",
  ])("gets JSON with %j", (accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });
});
