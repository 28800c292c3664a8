// Makes the pictures of the README, and the one that others show with a link, from the built book: `node tests/browser/pictures.mjs [book]`

import { chromium } from "playwright-core";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { executable } from "./browser.mjs";

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(process.argv[2] ?? "book");
const browser = await chromium.launch({ executablePath: executable(), args: ["--no-sandbox"] });

/** A page of the book in the light theme, without the bar above it. */
async function open(file, width, height) {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(`${pathToFileURL(folder)}/${file}`);
    await page.addStyleTag({ content: "#mdbook-menu-bar, #mdbook-sidebar, .nav-chapters { display: none !important; }" });
    await page.evaluate(() => document.documentElement.classList.remove("sidebar-visible"));
    await page.evaluate(() => document.fonts.ready);
    return page;
}

/** The first page with its field and its picture: what this is, at a glance. */
async function first() {
    const page = await open("index.html", 1000, 900);
    await page.screenshot({ path: `${root}/page.png` });
    await page.close();
}

/** One figure, as the chapter on attention has it. */
async function figure() {
    const page = await open("attention.html", 900, 900);
    await page.locator("figure:has(svg)").nth(1).screenshot({ path: `${root}/attention.png` });
    await page.close();
}

/** "Try it" in use. */
async function live() {
    const page = await open("live.html#caption=A%20woman%20in%20a%20red%20coat%20is%20reading%20a%20book.", 900, 900);
    await page.waitForSelector("main.is-live .looks");
    await page.waitForFunction(() => state.pending === 0);
    await page.locator(".looks .query text").nth(3).click();
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `${root}/live.png` });
    await page.close();
}

/** The name of the book beside its first figure, in the form that links are shown in. */
async function preview() {
    const page = await open("index.html", 1200, 630);
    await page.evaluate(() => {
        const picture = document.querySelector(".first-picture svg");
        const cover = document.createElement("div");
        cover.id = "preview";
        cover.innerHTML = "<div><h1>All You Need</h1><p></p></div>";
        cover.querySelector("p").textContent = document.querySelector("meta[name=description]").content;
        cover.append(picture.cloneNode(true));
        document.body.replaceChildren(cover);
    });
    await page.addStyleTag({ content: `
        html { font-size: 10px; }
        #preview { position: fixed; inset: 0; background: var(--bg); color: var(--fg); display: grid; grid-template-columns: 1fr 58rem; align-items: center; gap: 2rem; padding: 4rem; box-sizing: border-box; }
        #preview h1 { font-size: 7.2rem; line-height: 1; margin: 0 0 2rem; }
        #preview p { font-size: 2.8rem; font-style: italic; margin: 0; color: var(--quiet); line-height: 1.3; }
        #preview svg { inline-size: 100%; block-size: 54rem; color: var(--ink); font-family: inherit; }` });
    await page.screenshot({ path: `${root}/src/preview.png` });
    await page.close();
}

await first();
await figure();
await live();
await preview();
await browser.close();
