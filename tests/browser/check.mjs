// Looks through the built book in Chromium, from a folder, as from a stick: `node tests/browser/check.mjs [book] [page …]`.
//
// Playwright drives the browser that the system has: its core is one package that brings no other and no browser. axe-core is what
// browsers' own audits use. What axe cannot judge, text on the cells of a picture, is measured here.

import axe from "axe-core";
import { chromium } from "playwright-core";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { executable } from "./browser.mjs";
import { checkFront } from "./front.mjs";
import { checkLive } from "./live.mjs";
import { checkPlayground } from "./playground.mjs";
import * as look from "./look.mjs";

const THEMES = ["light", "rust", "coal", "navy", "ayu"];
const AXE = { light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] };
/** The height of what a large screen shows of a page. */
const SCREEN = 1000;
/** What a reader may look for, and the page that must come first. */
const SEARCHES = { softmax: "glossary", "layer normalization": "glossary", sigma: "glossary", d_model: "glossary" };

/** The pages of the numbered chapters, as the table of contents has them. */
const summary = readFileSync(new URL("../../src/SUMMARY.md", import.meta.url), "utf8");
const CHAPTERS = [...summary.matchAll(/^- \[.*\]\((\w+)\.md\)$/gm)].map(([, stem]) => `${stem}.html`);

const folder = resolve(process.argv[2] ?? "book");
const chosen = process.argv.slice(3).map((stem) => `${stem}.html`);
const url = (file) => `${pathToFileURL(folder)}/${file}`;
const counts = {};

/** Counts what was looked at, and says what is wrong with it. */
function record(page, what, number, wrong = []) {
    counts[what] ??= { looked: 0, wrong: 0 };
    counts[what].looked += number;
    counts[what].wrong += wrong.length;
    for (const fault of wrong) console.log(`${page}: ${what}: ${fault}`);
}

/** A tab of this width that notes what it says and what it asks for. The book is in a folder, or served `from` somewhere. */
async function open(browser, file, width, from = pathToFileURL(folder).href) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    let requests = 0;
    page.on("request", (request) => {
        requests += 1;
        const away = !request.url().startsWith(from) && !/^(data|blob):/.test(request.url());
        if (away) record(file, "requests", 0, [request.url()]);
    });
    page.on("requestfailed", (request) => {
        record(file, "requests", 0, [`${request.url()} failed: ${request.failure().errorText}`]);
    });
    page.on("console", (message) => record(file, "console messages", 1, [message.text()]));
    page.on("pageerror", (error) => record(file, "console messages", 1, [String(error)]));
    await page.goto(`${from}/${file}`);
    await page.evaluate(look.openFolds);
    page.once("close", () => record(file, "requests", requests));
    return page;
}

/**
 * In each theme, axe finds nothing in the book's own content, and texts and lines of pictures can be told from their ground. In all themes
 * but the first the listings are left out whose colours it has met in other listings of the page: they are half of axe's work.
 */
async function themes(page, file) {
    await page.evaluate(axe.source);
    for (const theme of THEMES) {
        if (theme !== THEMES[0]) await page.evaluate(look.hideListingsLikeOthers);
        await page.evaluate((theme) => document.getElementById(`mdbook-theme-${theme}`).click(), theme);
        const rules = AXE[theme] ? { type: "tag", values: AXE[theme] } : { type: "rule", values: ["color-contrast"] };
        const found = await page.evaluate(
            (rules) => window.axe.run("main", { runOnly: rules, resultTypes: ["violations"], preload: false }),
            rules,
        );
        const wrong = found.violations.flatMap((rule) => rule.nodes.map((node) => `${theme}: ${rule.id}: ${node.target.join(" ")}`));
        record(file, `axe in ${theme}`, 1, wrong);
        const texts = await page.evaluate(look.faintTexts);
        record(file, "contrast of texts in pictures", texts.looked, texts.wrong.map((text) => `${theme}: ${text}`));
        const hues = await page.evaluate(look.faintHues);
        record(file, "contrast of colours", hues.looked, hues.wrong.map((hue) => `${theme}: ${hue}`));
    }
    await page.evaluate(look.showListings);
}

/** Colours come from the theme and have one role each, captions do not name them, maps say what they mean, and no line crosses a word. */
async function pictures(page, file) {
    const looks = [
        ["colours of the theme", look.ownColours], ["hues by role", look.otherHues, HUES], ["captions without colours", look.colourWords],
        ["scales of maps", look.mapsWithoutScale], ["texts that nothing crosses", look.collisions], ["boxes", look.boxes],
    ];
    for (const [what, look_at, given] of looks) {
        const { looked, wrong } = await page.evaluate(look_at, given);
        record(file, what, looked, wrong);
    }
}

/** Each chapter has the box that the preface promises, and no more than a screen of code without a sentence. */
async function prose(page, file) {
    await page.evaluate(look.closeFolds);
    const { looked, wrong } = await page.evaluate(look.longCode, SCREEN);
    record(file, "code with a sentence for each screen", looked, wrong);
    await page.evaluate(look.openFolds);
    const short = await page.locator("main .box.short").count();
    if (CHAPTERS.includes(file)) record(file, "boxes In short", 1, short > 0 ? [] : ["there is none"]);
}

/** The strip of a chapter leads to the map, and the map to every chapter. */
async function ways(page, file) {
    const strip = await page.evaluate(look.linksOfPictures, ".strip");
    if (CHAPTERS.includes(file)) record(file, "links of strips", 1, strip.includes("machine.html#the-map") ? [] : ["leads nowhere"]);
    if (file !== "machine.html") return;
    const map = new Set(await page.evaluate(look.linksOfPictures, ".picture svg"));
    record(file, "links of the map", CHAPTERS.length, CHAPTERS.filter((chapter) => !map.has(chapter)));
}

/** Each slider has a name of its own, turns to another frame with an arrow, and leaves the page where it is. */
async function sliders(page, file) {
    const all = await page.locator("main .turner input[type=range]").all();
    const names = new Set();
    for (const slider of all) {
        const name = await slider.getAttribute("aria-label");
        const title = () => slider.getAttribute("aria-valuetext");
        await slider.focus();
        await page.keyboard.press("Home");
        const titles = [await title()];
        for (const key of ["ArrowRight", "End", "Home"]) {
            await page.keyboard.press(key);
            titles.push(await title());
        }
        const [first, second, last, back] = titles;
        const wrong = [];
        if (!name || names.has(name)) wrong.push(`the name ${name}`);
        if (!first || first === second || last === first || back !== first) wrong.push(`${name}: ${titles.join(" → ")}`);
        if (page.url() !== url(file)) wrong.push(`${name}: leaves the page`);
        names.add(name);
        record(file, "sliders by keyboard", 1, wrong);
        await plays(page, file, slider, name);
    }
}

/** The button turns the frames by itself, and each frame has words of its own. */
async function plays(page, file, slider, name) {
    const player = slider.locator("xpath=preceding-sibling::button");
    const count = Number(await slider.getAttribute("max"));
    const said = new Set();
    for (let frame = 1; frame <= count; frame += 1) {
        await slider.fill(`${frame}`);
        said.add(await slider.getAttribute("aria-valuetext"));
    }
    await slider.fill("1");
    await player.click();
    const moves = await page.waitForFunction((slider) => slider.value !== "1", await slider.elementHandle(), { timeout: 10_000 }).then(() => true, () => false);
    await player.click();
    const wrong = said.size < count || said.has("") ? [`${name}: ${said.size} lines of words for ${count} frames`] : [];
    record(file, "flip-books that play", 1, moves ? wrong : [...wrong, `${name} stands still`]);
}

/** A tap on a picture that is smaller than it was drawn shows it as large as it is, until Escape. */
async function enlarges(page, file) {
    // That of the first page comes to life instead.
    const plain = page.locator("main .picture:visible:not(:has(a, .query), .first-picture *)").first();
    if (await plain.count() === 0) return;
    const size = (place) => place.locator("svg").evaluate((svg) => [svg.getBoundingClientRect().width, svg.viewBox.baseVal.width]);
    const [shown, drawn] = await size(plain);
    if (shown >= drawn) return;
    await plain.click();
    const dialog = page.locator("dialog.enlarged");
    const [large] = await size(dialog);
    await page.keyboard.press("Escape");
    // A dialog tells of its end in a task of its own, after the key.
    const closed = await dialog.waitFor({ state: "detached", timeout: 5_000 }).then(() => true, () => false);
    record(file, "pictures enlarged by a tap", 1, large > drawn - 1 && closed ? [] : [`${shown} becomes ${large} of ${drawn}, closed: ${closed}`]);
}

/** On a phone nothing is wider than the page, pictures are seen whole and their letters have nearly 9 pixels, and what scrolls does so by keyboard. */
async function phone(page, file) {
    const wide = await page.evaluate(look.tooWide);
    record(file, "pages of 320 pixels", 1, wide);
    await page.setViewportSize({ width: 390, height: 844 });
    const small = await page.evaluate(look.smallPictures);
    record(file, "letters of pictures at 390 pixels", small.looked, small.wrong);
    const cut = await page.evaluate(look.cutPictures);
    record(file, "pictures seen whole at 390 pixels", cut.looked, cut.wrong);
    await enlarges(page, file);
    await page.evaluate(look.afterLayout);
    const unseen = await page.evaluate(look.scrollsUnseen);
    record(file, "edges of what scrolls", unseen.looked, unseen.wrong);
    const controls = await page.evaluate(look.lowControls);
    record(file, "controls for a finger", controls.looked, controls.wrong);
    const boxes = await page.locator("main .scrolls:visible").all();
    const kinds = new Set();
    for (const box of boxes) {
        const kind = await box.getAttribute("data-kind");
        if (kinds.has(kind)) continue;
        kinds.add(kind);
        await box.focus();
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        const stays = page.url() === url(file);
        await page.waitForFunction((box) => box.scrollLeft > 0, await box.elementHandle(), { timeout: 10_000 }).catch(() => {
            record(file, "scrolling by keyboard", 0, [`${kind} does not scroll`]);
        });
        record(file, "scrolling by keyboard", 1, stays ? [] : [`${kind}: leaves the page`]);
    }
}

async function chapter(browser, file) {
    const desk = await open(browser, file, 1280);
    await prose(desk, file);
    await themes(desk, file);
    await pictures(desk, file);
    await ways(desk, file);
    await sliders(desk, file);
    await desk.close();
    const small = await open(browser, file, 320);
    await phone(small, file);
    await small.close();
}

/** The dictionary of colours. */
async function hues(browser) {
    const page = await open(browser, "notation.html", 1280);
    const found = await page.evaluate(look.dictionary);
    await page.close();
    return found;
}

/** Each in a tab of its own: a page that is left for another gives up what it still asks for, and that looks like a missing file. */
async function search(browser) {
    for (const [words, expected] of Object.entries(SEARCHES)) {
        const file = `index.html?search=${encodeURIComponent(words)}`;
        const page = await open(browser, file, 1280);
        const first = page.locator("#mdbook-searchresults a").first();
        const found = await first.getAttribute("href", { timeout: 10_000 }).catch(() => "nothing");
        record(file, "searches", 1, found.includes(expected) ? [] : [`${words}: ${found} is first`]);
        await page.close();
    }
}

/** Does the work for each item, two at a time. */
async function inPairs(items, work) {
    const rest = [...items];
    const worker = async () => {
        while (rest.length > 0) await work(rest.shift());
    };
    await Promise.all([worker(), worker()]);
}

const pages = readdirSync(folder).filter((file) => file.endsWith(".html") && !["toc.html", "print.html"].includes(file));
if (pages.length === 0) throw new Error(`${folder} has no pages: cargo run builds them`);
// A container has no sandbox for its root, and the pages are our own.
const browser = await chromium.launch({ executablePath: executable(), args: ["--no-sandbox"] });
const HUES = await hues(browser);
await inPairs(chosen.length > 0 ? chosen : pages, (file) => chapter(browser, file));
await search(browser);
if (chosen.length === 0 || chosen.includes("index.html")) await checkFront({ open: (file) => open(browser, file, 1280), record, chapters: CHAPTERS });
if (chosen.length === 0 || chosen.includes("live.html")) await checkLive({ browser, folder, open, record, themes });
if (chosen.length === 0 || chosen.includes("playground.html")) await checkPlayground({ browser, open, record });
await browser.close();

record("", "console messages", 0);
for (const [what, { looked, wrong }] of Object.entries(counts)) console.log(`${what}: ${looked}, wrong: ${wrong}`);
const failed = Object.values(counts).filter((count) => count.wrong > 0).length;
console.log(`${Object.keys(counts).length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
