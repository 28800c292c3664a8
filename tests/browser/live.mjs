// Uses the page "Try it" as a reader would, from a folder and from a server, and compares all that it shows with what the same crate says
// natively.

import { execFileSync } from "node:child_process";
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as look from "./look.mjs";

const FILE = "live.html";

/** Two captions: the one that the page begins with, and one of fifteen words. */
const FIRST = "A black cat sleeps on a red sofa.";
const FIFTEEN = "An old man in a blue shirt is feeding three ducks at the lake today.";
const CHANGES = ["mask", "positions", "scale", "head"];
/** The head whose lines are drawn first, which is that of the first page. */
const LOOKS = { layer: 3, head: 4 };
/** The head that the page switches off unless another is chosen. */
const HEAD = { head: { attention: "cross", layer: 4, head: 1 } };
const SAMPLES = [
    { temperature: 1, top_k: 10, top_p: 0.9, seed: 1 },
    { temperature: 2, top_k: 10000, top_p: 1, seed: 7 },
];

/** What the page must answer with a sentence. */
const BAD = { nothing: "", emoji: "🐈🐈🐈", "another script": "一只黑猫", "61 words": "a ".repeat(61), megabytes: "dog ".repeat(1 << 19) };

/** The most milliseconds until the translator is ready, and for a caption of fifteen words with all its maps: ten times what two idle
 *  cores need, because other work may go on at the same time. */
const MOST = { ready: 10_000, caption: 1000, freeze: 100, keys: 10 };

const greedy = (text, change = null) => ({ text, search: "greedy", change });
const changed = (kind) => (kind === "head" ? HEAD : kind);
const beam = (width) => ({ text: FIRST, search: { beam: { width } }, change: null });
const sample = (settings) => ({ text: FIRST, search: { sample: settings }, change: null });
const REQUESTS = [
    greedy(FIRST), greedy(FIFTEEN), ...CHANGES.map((kind) => greedy(FIRST, changed(kind))),
    ...[1, 2, 3, 4, 5].map(beam), ...SAMPLES.map(sample),
];

/** What the crate says natively, by request. */
function askNatively() {
    const input = REQUESTS.map((request) => `${JSON.stringify(request)}\n`).join("");
    const options = { input, encoding: "utf8", maxBuffer: 1 << 28, cwd: join(import.meta.dirname, "../..") };
    const output = execFileSync("cargo", ["run", "--quiet", "--example", "answer"], options);
    const replies = output.trim().split("\n").map((line) => JSON.parse(line).answer);
    return (request) => replies[REQUESTS.findIndex((asked) => JSON.stringify(asked) === JSON.stringify(request))];
}

/** Where two answers differ: numbers by more than 1e-4, those above 1 by more than this part of them, everything else at all. */
function differences(page, native, counted, path = "answer") {
    if (typeof native === "number") {
        counted.numbers += 1;
        return Math.abs(page - native) <= 1e-4 * Math.max(1, Math.abs(native)) ? [] : [`${path}: ${page} for ${native}`];
    }
    if (native === null || typeof native !== "object") return page === native ? [] : [`${path}: ${page} for ${native}`];
    const keys = new Set([...Object.keys(native), ...Object.keys(page ?? {})]);
    return [...keys].flatMap((key) => differences(page?.[key], native[key], counted, `${path}.${key}`));
}

/** A server of the book on some port of this machine. */
async function serve(folder) {
    const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
    const server = createServer((request, response) => {
        const path = join(folder, new URL(request.url, "http://localhost").pathname);
        if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
        response.writeHead(200, { "Content-Type": KINDS[extname(path)] ?? "application/octet-stream" });
        createReadStream(path).pipe(response);
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    return server;
}

/** The page in use, and what is compared. */
class Reader {
    constructor(page, native, record) {
        Object.assign(this, { page, native, record });
    }

    part(name) {
        return this.page.locator(`main [data-part="${name}"]`);
    }

    count(what, number, wrong = []) {
        this.record(FILE, `live: ${what}`, number, wrong);
    }

    /** Says whether two things are the same. */
    same(what, shown, expected) {
        this.count(what, 1, shown === expected ? [] : [`${shown} for ${expected}`]);
    }

    /** Comes to the field by the keyboard alone, and waits for the first translation. */
    async begin() {
        const button = this.page.locator("button.load").first();
        this.same("sizes said", /\d\.\d MB$/.test(await button.textContent()), true);
        await this.page.keyboard.press("Tab");
        await this.page.keyboard.press("Enter");
        let keys = 2;
        const isThere = () => this.page.evaluate(() => document.activeElement?.name === "text");
        while (!await isThere() && keys < 30) {
            await this.page.keyboard.press("Tab");
            keys += 1;
        }
        this.count("keys to the field", 1, keys <= MOST.keys ? [] : [`${keys} keys`]);
        const begin = Date.now();
        await this.page.keyboard.press("Enter");
        await this.page.waitForSelector("main.is-live");
        this.time("ready", Date.now() - begin, MOST.ready);
        await this.settled();
    }

    time(what, milliseconds, most) {
        console.log(`live: ${what} in ${Math.round(milliseconds)} ms`);
        this.count("times", 1, milliseconds <= most ? [] : [`${what} takes ${milliseconds} ms`]);
    }

    /** The field, the translation and the words with their lines are on one screen. */
    async oneScreen() {
        const { height } = this.page.viewportSize();
        for (const place of ["caption", "status", "looks"]) {
            const { y, height: own } = await this.part(place).boundingBox();
            this.count("on the first screen", 1, y >= 0 && y + own <= height ? [] : [`${place} ends at ${Math.round(y + own)} of ${height}`]);
        }
    }

    /** How strongly the results of the last caption are shown. */
    async opacity() {
        const parts = await this.page.locator("main div.live:visible").all();
        return Promise.all(parts.map((part) => part.evaluate((part) => Number(getComputedStyle(part).opacity))));
    }

    /** A word under the pointer leaves its own lines only. */
    async hover() {
        const lines = this.page.locator(".looks line");
        await this.page.locator(".looks .key").nth(2).hover();
        const faint = await this.page.locator(".looks line.faint").count();
        const own = await this.page.locator(".looks line[data-key='2']:not(.faint)").count();
        this.count("lines of a word under the pointer", 1, faint + own === await lines.count() && own > 0 && faint > 0 ? [] : [`${faint} faint, ${own} its own`]);
        await this.page.mouse.move(0, 0);
    }

    /** Types a caption and presses Enter. */
    async type(text) {
        const field = this.part("caption").locator("[name=text]");
        await field.focus();
        await this.page.keyboard.press("ControlOrMeta+A");
        await this.page.keyboard.insertText(text);
        await this.page.keyboard.press("Enter");
    }

    /** Waits until everything that was asked is answered and drawn. */
    async settled() {
        await this.page.waitForFunction(() => state.pending + state.changing === 0);
    }

    /** Compares the answer that the page has, and what it shows of it. */
    async compare(request, which = "answer") {
        await this.settled();
        const native = this.native(request);
        const counted = { numbers: 0 };
        const wrong = differences(await this.page.evaluate((which) => state[which], which), native, counted);
        this.count("numbers", counted.numbers, wrong.slice(0, 5));
        if (which === "answer") await this.compareShown(native);
    }

    async compareShown(native) {
        const shown = await this.part("tokens").locator("li b").allTextContents();
        const tokens = [...native.source.tokens, ...native.target.tokens];
        this.same("tokens", shown.join(" "), tokens.map((token) => token.label).join(" "));
        const status = await this.part("status").textContent();
        this.same("translations", status, native.translation);
        this.same("translations", await this.part("result").locator("[lang=de]").textContent(), native.translation);
        await this.compareCanvases(native);
    }

    /** The opacity of each cell of each small map is its weight. */
    async compareCanvases(native) {
        for (const [part, maps] of [["encoder", native.maps.encoder], ["decoder", [...native.maps.decoder, ...native.maps.cross]]]) {
            const shown = await this.part(part).locator("canvas").evaluateAll((all) => all.map((canvas) => {
                const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                return [...data].filter((_, index) => index % 4 === 3);
            }));
            const heads = maps.flat();
            const wrong = heads.flatMap((head, index) => {
                const far = head.flat().some((weight, cell) => Math.abs(255 * weight - shown[index]?.[cell]) > 1);
                return far ? [`${part}: map ${index + 1}`] : [];
            });
            this.count("maps", heads.length, wrong);
        }
    }

    /** A word that is pressed shows the row that chose it, also by keyboard, and among which tokens. */
    async rows(request) {
        const { maps, target } = this.native(request);
        const { layer, head } = LOOKS;
        for (const [place, key] of [[4, "Enter"], [2, " "]]) {
            await this.page.locator(".looks .query").nth(place).press(key);
            const shown = await this.page.locator(".row-beside table").first().locator("tbody td:last-child").first().textContent();
            const most = Math.max(...maps.cross[layer - 1][head - 1][place]);
            this.same("rows of words", shown, most.toFixed(3));
            this.same("rows of words", await this.page.locator(".row-beside b").first().textContent(), target.tokens[place + 1].label.replace("·", ""));
        }
        await this.page.locator(".looks .query").first().press("Enter");
    }

    /** A link holds the caption, and a page that is opened with it begins with it. */
    async links(browser) {
        await this.type(FIFTEEN);
        await this.settled();
        const link = await this.part("link").getAttribute("href");
        const page = await browser.newPage();
        await page.goto(link);
        await page.waitForSelector("main.is-live");
        this.same("links", await page.locator("[data-part=status]").textContent(), this.native(greedy(FIFTEEN)).translation);
        await page.close();
        await this.part("share").locator("[name=copy]").press("Enter");
        const copied = this.part("share").locator("[name=copied]");
        await copied.filter({ hasText: "." }).waitFor();
        this.count("links", 1);
        await this.type(FIRST);
        await this.settled();
    }

    /** Entities and letters in two parts are read as people mean them, and nothing is shown in entities. */
    async spellings() {
        for (const [typed, shown] of [["A man holds a &quot;sign&quot;.", '"'], ["A man holds a \"sign\".", '"'], ["A cafe\u0301.", "café"]]) {
            await this.type(typed);
            await this.settled();
            const read = await this.part("result").locator("dd").first().textContent();
            const all = read + await this.part("status").textContent();
            this.count("spellings", 1, read.includes(shown) && !/&\w+;/.test(all) ? [] : [`${typed}: ${all}`]);
        }
        await this.type(FIRST);
        await this.settled();
    }

    /** A ready caption can be chosen, changed, and chosen again. */
    async ready() {
        const ours = this.part("caption").locator("[name=ours]");
        for (const _ of [1, 2]) {
            await ours.selectOption({ index: 2 });
            await this.settled();
            this.same("ready captions", await this.part("caption").locator("[name=text]").inputValue(), await ours.inputValue());
            await this.type(FIRST);
            await this.settled();
            this.same("ready captions", await ours.inputValue(), "");
        }
    }

    /** A field that holds no number, or one out of its range, gets a sentence beside it, and nothing is asked. */
    async fields() {
        await this.part("search-form").locator("[value=sample]").press("Space");
        for (const [name, bad, good] of [["seed", "", 1], ["seed", -1, 1], ["top_k", 0, 10], ["top_p", 2, 0.9]]) {
            await this.set(name, bad);
            await this.settled();
            const said = await this.part("search-form").locator(`label:has([name=${name}]) .fault`).textContent();
            this.count("sentences beside fields", 1, /^A .*number from .* to .*, please\.$/.test(said) ? [] : [`${name} ${bad}: ${said}`]);
            await this.set(name, good);
            await this.settled();
        }
        await this.part("search-form").locator("[value=greedy]").press("Space");
        await this.settled();
    }

    /** While the temperature is moved, the same bars change their lengths. */
    async slider() {
        await this.part("search-form").locator("[value=sample]").press("Space");
        await this.set("temperature", 0.5);
        await this.settled();
        const bars = () => this.part("search-bars").locator("i.drawn").evaluateAll((all) => all.map((bar) => bar.style.inlineSize));
        const kept = await this.part("search-bars").locator("table").elementHandle();
        const before = await bars();
        await this.set("temperature", 2);
        await this.settled();
        const same = await kept.evaluate((table) => table.isConnected);
        this.count("bars that move", before.length, same && (await bars()).join() !== before.join() ? [] : ["the bars stand still, or are others"]);
        await this.set("temperature", 1);
        await this.part("search-form").locator("[value=greedy]").press("Space");
        await this.settled();
    }

    /** The longest caption does not freeze the page. Other work may, so the best of three counts. */
    async freezes() {
        const longest = "a man in a red shirt stands on the street . ".repeat(6).trim().split(" ").slice(0, 60).join(" ");
        const worst = [];
        for (const end of ["", " !", " ?"]) {
            await this.page.evaluate(() => {
                globalThis.tasks = [0];
                new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((task) => task.duration))).observe({ type: "longtask" });
            });
            await this.type(longest.split(" ").slice(0, 59).join(" ") + end);
            await this.settled();
            // What took long is told a little later.
            await this.page.waitForTimeout(300);
            worst.push(await this.page.evaluate(() => Math.max(...globalThis.tasks)));
        }
        this.time("longest freeze", Math.min(...worst), MOST.freeze);
        await this.type(FIRST);
        await this.settled();
    }

    /** Steps to the end and back by keyboard, and compares the bars of each step. */
    async steps(request) {
        const { steps } = this.native(request);
        const press = async (name) => {
            await this.part("step-form").locator(`[name=${name}]`).focus();
            await this.page.keyboard.press("Enter");
        };
        for (let step = 0; step < steps.length; step += 1) {
            if (step > 0) await press("forth");
            const rows = await this.part("next").locator("tbody tr").allTextContents();
            const bars = steps[step].likely.map(({ label, probability }) => `${label}${probability.toFixed(3)}`);
            this.same("bars", rows.join(" "), bars.join(" "));
        }
        for (let step = steps.length - 1; step > 0; step -= 1) await press("back");
        this.same("steps", await this.part("step-form").locator("output").textContent(), `step 1 of ${steps.length}`);
    }

    /** Enlarges a head, and reads a cell by keyboard. */
    async cells(request) {
        const { maps, source, target } = this.native(request);
        const heads = [["encoder", "encoder", 3, 2, source], ["decoder", "cross", 4, 1, target], ["decoder", "decoder", 1, 4, target]];
        const names = { encoder: "encoder", cross: "decoder, cross-attention", decoder: "decoder, self-attention" };
        for (const [place, attention, layer, head, rows] of heads) {
            const name = `${names[attention]}, layer ${layer}, head ${head}`;
            await this.part(place).getByRole("button", { name, exact: true }).press("Enter");
            await this.part(`${place}-chosen`).locator(".field").focus();
            for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await this.page.keyboard.press(key);
            const columns = attention === "decoder" ? target : source;
            const weight = maps[attention][layer - 1][head - 1][2][1].toFixed(3);
            const said = `query ${rows.tokens[2].label} → key ${columns.tokens[1].label}: ${weight}`;
            this.same("cells by keyboard", await this.part(`${place}-chosen`).locator("output").textContent(), said);
            this.same("cells by keyboard", this.page.url().split("/").pop(), FILE);
        }
    }

    /** Presses each button of "what happens if", and once more to undo it, at the last step, which a shorter sentence does not have. */
    async changes() {
        await this.page.locator(".looks .query").last().press("Enter");
        for (const kind of CHANGES) {
            const request = greedy(FIRST, changed(kind));
            const button = this.part("change-form").locator(`button[value=${kind}]`);
            await button.press("Enter");
            await this.compare(request, "changed");
            const said = await this.part("change").locator(".said").allTextContents();
            const expected = [greedy(FIRST), request].map((request) => this.native(request).translation);
            this.same("changes", said.join(" | "), expected.join(" | "));
            const frames = await this.page.evaluate(look.framesOutside);
            this.count("frames in their maps", frames.looked, frames.wrong);
            await button.press("Enter");
            this.same("changes", await this.part("change").locator(".said").count(), 0);
        }
        await this.page.locator(".looks .query").first().press("Enter");
    }

    async set(name, value) {
        const field = this.part("search-form").locator(`[name=${name}]`);
        await field.fill(String(value));
        await field.dispatchEvent("change");
    }

    /** A beam of each width with its tree, and samples. */
    async searches() {
        const choose = (kind) => this.part("search-form").locator(`[value=${kind}]`).press("Space");
        await choose("beam");
        for (const width of [1, 2, 3, 4, 5]) {
            await this.set("width", width);
            await this.compare(beam(width));
            const { steps } = this.native(beam(width)).tree;
            const best = steps.flat().filter((candidate) => candidate.best);
            const shown = await this.part("tree").locator("text.best:not(.number)").allTextContents();
            this.same("trees", shown.join(" "), best.map((candidate) => candidate.label).join(" "));
        }
        await choose("sample");
        for (const settings of SAMPLES) {
            for (const [name, value] of Object.entries(settings)) await this.set(name, value);
            await this.compare(sample(settings));
        }
        await choose("greedy");
    }

    /** What cannot be translated gets a sentence, and the next caption its translation. */
    async mistakes() {
        for (const [what, text] of Object.entries(BAD)) {
            await this.type(text);
            await this.settled();
            const status = this.part("status");
            const [kind, said] = [await status.getAttribute("class"), await status.textContent()];
            this.count("sentences for mistakes", 1, kind === "error" && said.endsWith(".") ? [] : [`${what}: ${kind}: ${said}`]);
            const shown = await this.opacity();
            this.count("stale results dimmed", shown.length, shown.every((opacity) => opacity < 1) ? [] : [`${what}: ${shown}`]);
        }
        await this.type(FIRST);
        await this.compare(greedy(FIRST));
        const shown = await this.opacity();
        this.count("stale results dimmed", shown.length, shown.every((opacity) => opacity === 1) ? [] : [`the right answer: ${shown}`]);
    }
}

/** Everything that a reader can do, once. */
async function use(reader, browser) {
    await reader.begin();
    await reader.oneScreen();
    await reader.hover();
    await reader.compare(greedy(FIRST));
    await reader.rows(greedy(FIRST));
    await reader.steps(greedy(FIRST));
    await reader.cells(greedy(FIRST));
    await reader.changes();
    await reader.searches();
    await reader.mistakes();
    await reader.spellings();
    await reader.ready();
    await reader.fields();
    await reader.slider();
    await reader.freezes();
    await reader.links(browser);
    await reader.type(FIFTEEN);
    await reader.compare(greedy(FIFTEEN));
    const { answer, drawing } = await reader.page.evaluate(() => state.times);
    reader.time("a caption of fifteen words with its maps", answer + drawing, MOST.caption);
}

/** The page with all that it can show, in each theme, and whether it fits a phone. */
async function lookAt(reader, themes) {
    await reader.begin();
    await reader.type(FIFTEEN);
    await reader.part("search-form").locator("[value=beam]").press("Space");
    await reader.part("change-form").locator("button[value=scale]").press("Enter");
    await reader.settled();
    reader.count("pages of 320 pixels in use", 1, await reader.page.evaluate(look.tooWide));
    const controls = await reader.page.evaluate(look.lowControls);
    reader.count("controls for a finger", controls.looked, controls.wrong);
    const tops = await reader.part("change").locator(".said").evaluateAll((all) => all.map((said) => said.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
    const height = Math.max(...tops.flat()) - Math.min(...tops.flat());
    reader.count("both sentences on a screen", tops.length, tops.length === 2 && height < 600 ? [] : [`${height} pixels`]);
    await themes(reader.page, FILE);
}

/** Without scripts, and without WebAssembly, the drawn examples are there and no button is. */
async function stands(browser, folder, record) {
    for (const [what, javaScriptEnabled] of [["scripts", false], ["WebAssembly", true]]) {
        const page = await browser.newPage({ javaScriptEnabled });
        await page.addInitScript(() => delete globalThis.WebAssembly);
        await page.goto(`${pathToFileURL(folder)}/${FILE}`);
        const buttons = await page.locator("button.load:visible").count();
        const examples = await page.locator(".drawn:visible").count();
        record(FILE, "live: drawn examples", examples, buttons === 0 && examples > 0 ? [] : [`without ${what}: ${buttons} buttons, ${examples} examples`]);
        await page.close();
    }
}

/** The first page translates what is typed into its field, without a button, and draws where it looks. */
async function first(browser, folder, open, native, record) {
    const page = await open(browser, "index.html", 1280);
    const field = page.locator("form.first [name=text]");
    await field.fill(FIRST);
    await page.waitForSelector("form.first .answer", { timeout: MOST.ready });
    const said = await page.locator("form.first [role=status]").textContent();
    const { translation, target } = native(greedy(FIRST));
    record("index.html", "first page: translations", 1, said === translation ? [] : [`${said} for ${translation}`]);
    const rows = page.locator(".looks .query");
    const words = (await rows.locator("text:not(.note)").allTextContents()).join(" ");
    const expected = target.tokens.slice(1).map(({ label }) => label.replace("·", " ")).join("").trim() + " end";
    record("index.html", "first page: words", 1, words === expected ? [] : [`${words} for ${expected}`]);
    const caption = await page.locator(".first-picture figcaption").innerText();
    const keeps = ["a head, looks at the caption", "Press a word"].every((part) => caption.includes(part));
    record("index.html", "first page: captions", 1, keeps && !caption.includes("einem") ? [] : [caption]);
    const note = page.locator(".looks .note:visible");
    await rows.nth(1).locator("text").first().click();
    record("index.html", "first page: notes", 1, /^← looks at \w/.test(await note.textContent()) ? [] : ["none"]);
    await field.fill(await field.getAttribute("value"));
    await note.filter({ hasText: "coat" }).waitFor();
    record("index.html", "first page: captions", 1, (await page.locator(".first-picture figcaption .ours:visible").count()) > 0 ? [] : ["ours is not explained"]);
    await rows.nth(1).focus();
    record("index.html", "first page: words by keyboard", 1, (await rows.nth(1).getAttribute("aria-label")).includes(" takes ") ? [] : ["a row says nothing"]);
    await page.close();
}

/** The drawn picture of the first page comes to life when it is touched, and is not enlarged. */
async function touched(open, browser, record) {
    const page = await open(browser, "index.html", 390);
    await page.locator(".first-picture .picture").click();
    const lives = await page.waitForSelector(".looks .query", { timeout: MOST.ready }).then(() => true, () => false);
    const enlarged = await page.locator("dialog").count();
    record("index.html", "first page: touched", 1, lives && enlarged === 0 ? [] : [`lives: ${lives}, ${enlarged} dialogs`]);
    await page.close();
}

/** Looks at the page from the folder and from a server. `open` opens a page, `record` counts, `themes` looks at each theme. */
export async function checkLive({ browser, folder, open, record, themes }) {
    const native = askNatively();
    const server = await serve(folder);
    for (const from of [undefined, `http://127.0.0.1:${server.address().port}`]) {
        const page = await open(browser, FILE, 1280, from);
        await use(new Reader(page, native, record), browser);
        await page.close();
    }
    const phone = await open(browser, FILE, 320);
    await lookAt(new Reader(phone, native, record), themes);
    await phone.close();
    await stands(browser, folder, record);
    await first(browser, folder, open, native, record);
    await touched(open, browser, record);
    server.close();
}
