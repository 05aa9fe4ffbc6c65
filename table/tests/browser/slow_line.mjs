// Measures how soon a phone shows the page on a slow line, for documents: `node slow_line.mjs`, with the variables of
// `common.mjs`.

import { launch, openPage, serve } from "./common.mjs";

const LINE = { offline: false, latency: 800, downloadThroughput: 30_000, uploadThroughput: 30_000 };

const [server, browser] = await Promise.all([serve(), launch()]);
let begin;
const { page } = await openPage(browser, server.url, {
  width: 390, height: 844, isReady: false,
  prepare: async (opened) => {
    const session = await opened.context().newCDPSession(opened);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", LINE);
    begin = performance.now();
  },
});
await page.locator(".piece").first().waitFor();
const board = performance.now() - begin;
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
const inSeconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
console.log(`first paint ${inSeconds(paint)}, board ${inSeconds(board)}`);
await Promise.all([browser.close(), server.end()]);
