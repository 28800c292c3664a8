// Lets two models learn on the page "Watch it learn", with each switch, from a folder, and compares the losses with those of the example.

import { readFileSync } from "node:fs";
import * as look from "./look.mjs";

const FILE = "playground.html";
/** Losses after so many updates, and how far they may be from the table: WebAssembly rounds otherwise, and it grows. */
const COMPARED = { 1: 0.006, 50: 0.02, 100: 0.1 };
/** The most seconds until both models have made all updates: other work may go on at the same time. */
const MOST = 150;

/** The losses of the two models in the table of the example, by updates. */
function recorded() {
    const lines = readFileSync("src/outputs/playground.txt", "utf8").split("\n").slice(2);
    const rows = lines.map((line) => line.trim().split(/\s+/)).filter(([updates]) => updates in COMPARED);
    return Object.fromEntries(rows.map(([updates, loss, , other]) => [updates, [Number(loss), Number(other)]]));
}

const learned = (page) => page.evaluate("models.map(({ losses, updates, right, fault, began, reply }) => ({ losses, updates, right, fault, all: began?.updates, wrote: reply?.wrote }))");

/** Waits until this is true in the page, which forbids what Playwright would wait with. */
async function until(page, expression) {
    const end = Date.now() + MOST * 1000;
    while (!(await page.evaluate(expression))) {
        if (Date.now() > end) throw new Error(`not in ${MOST} seconds: ${expression}`);
        await page.waitForTimeout(50);
    }
}

/** On a phone what both models write and where they look is on one screen while they learn, and a link to a switch shows what it chooses. */
async function onPhone(browser, open, record) {
    const page = await open(browser, `${FILE}#tying`, 390);
    await page.setViewportSize({ width: 390, height: 844 });
    const chosen = await page.evaluate(() => document.querySelector("select[name=change]").value);
    await page.waitForFunction(() => document.querySelector("form.learning").getBoundingClientRect().top < innerHeight).catch(() => {});
    const top = await page.evaluate(() => document.querySelector("form.learning").getBoundingClientRect().top);
    record(FILE, "links to switches", 1, chosen === "tying" && top >= 0 && top < 300 ? [] : [`${chosen}, ${top} pixels from the top`]);
    for (const task of ["reverse", "dates"]) {
        await page.selectOption("select[name=task]", task);
        await page.click("button[name=run]");
        await until(page, "models.every(({ updates }) => updates > 5)");
        const height = await page.evaluate(() => {
            const [first, ...rest] = [...document.querySelectorAll(".side, .looked")].map((part) => part.getBoundingClientRect());
            return Math.max(...rest.map(({ bottom }) => bottom)) - first.top;
        });
        record(FILE, "both models on a screen of a phone", 1, height > 200 && height < 844 ? [] : [`${task}: ${height} pixels`]);
        await page.click("button[name=again]");
    }
    record(FILE, "pages of 390 pixels in use", 1, await page.evaluate(look.tooWide));
    await page.close();
}

export async function checkPlayground({ browser, open, record }) {
    await onPhone(browser, open, record);
    const page = await open(browser, FILE, 1280);
    await page.click("button[name=run]");
    await until(page, "models.every(({ updates, began }) => updates > 100 && began)");
    await page.fill("input[name=text]", "table");
    await until(page, "models.every(({ right }) => right !== null)");
    const models = await learned(page);
    const wrong = [];
    for (const [updates, losses] of Object.entries(recorded())) {
        models.forEach((model, index) => {
            const apart = Math.abs(model.losses[updates - 1] - losses[index]);
            if (!(apart <= COMPARED[updates])) wrong.push(`loss ${updates} of model ${index} is ${apart} from the table`);
        });
    }
    record(FILE, "losses as in the table", 2 * Object.keys(COMPARED).length, wrong);
    const [paper, changed] = models;
    const ends = [];
    if (paper.updates !== paper.all || paper.right < 300) ends.push(`the paper's model: ${JSON.stringify({ ...paper, losses: 0 })}`);
    if (changed.right > 100) ends.push(`without positions ${changed.right} are right`);
    // The word was exchanged while they learned. This one may be among those that come out wrong, but its letters are known.
    if (!/^[table]+$/.test(paper.wrote)) ends.push(`table is written ${paper.wrote}`);
    record(FILE, "a model learns in the page", 3, ends);
    const faults = [];
    const switches = await page.locator("select[name=change] option").evaluateAll((options) => options.map((option) => option.value));
    for (const name of switches) {
        await page.selectOption("select[name=change]", name);
        await until(page, "models.every(({ updates, reply }) => updates === 0 && reply)");
        await page.click("button[name=step]");
        await until(page, "models.every(({ updates, fault }) => updates === 1 || fault)");
        const [, other] = await learned(page);
        if (other.fault || !Number.isFinite(other.losses[0])) faults.push(`${name}: ${other.fault}`);
    }
    record(FILE, "switches", switches.length, faults);
    await page.fill("input[name=text]", "Äpfel");
    const said = `document.querySelector("form.learning [role=status]").textContent`;
    await until(page, said);
    const sentence = await page.evaluate(said);
    record(FILE, "a bad word is answered with a sentence", 1, sentence.includes("small letters") ? [] : [sentence]);
    await page.close();
}
