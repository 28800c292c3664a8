// Watch it learn: two models learn the same task from the same examples, each in a worker of its own, and this script draws how far they are.
//
// Nothing of the models is computed here. Before the reader starts, and without scripts, the page has the recorded run of its example.
"use strict";

/** How long a model learns before the page hears of it, in milliseconds, and how often the page is drawn anew. */
const REPLY = 150;
/** The size of the picture of the losses, and the room for its numbers. */
const [WIDTH, HEIGHT, LEFT, ABOVE, BELOW, HIGHEST] = [560, 204, 34, 28, 24, 6];
/** How many losses one point of a curve is the mean of. */
const MEAN = 10;
/** What the reader may begin with, by task. */
const TEXTS = { reverse: "planet", sort: "planet", dates: "tuesday 6 march 1984" };
/** A map of more columns is as wide as a phone. */
const NARROW = 9;
/** How many letters a date in digits has. What the other tasks write is as long as what they read. */
const DATE = 10;
/** The colours of the two curves. */
const HUES = ["var(--blue)", "var(--orange)"];

const form = document.querySelector("form.learning");
const figure = document.querySelector("[data-part=playground]");
const status = form.querySelector("[role=status]");
const { task, change, text, run, step, again } = form.elements;

/** The two models: the paper's, and one with something changed. */
const models = [0, 1].map((index) => ({ index, crate: null, began: null, losses: [], updates: 0, reply: null, right: null, fault: "" }));
/** `text` is what the models are asked for: the last that they could read. `batch` is how many updates they make before the page hears of it. */
const state = { running: false, started: null, beginning: 0, batch: 1, text: text.value };

/** Starts the workers at the first touch, and both models anew. */
async function begin() {
    state.running = false;
    state.beginning += 1;
    const beginning = state.beginning;
    status.textContent = "Loading …";
    state.started ??= Promise.all(models.map(async (model) => { model.crate = await Crate.empty(); }));
    try {
        await state.started;
        for (const model of models) {
            const switched = model.index === 1 && change.value !== "" ? change.value : null;
            const { began, error } = await model.crate.ask({ begin: { task: task.value, seed: 1, switch: switched } }, "learn");
            if (beginning !== state.beginning) return false;
            if (error) throw new Error(error);
            Object.assign(model, { began, losses: [], updates: 0, reply: null, right: null, fault: "" });
        }
        state.batch = 1;
    } catch (error) {
        status.textContent = `The models cannot be started. ${error.message}`;
        return false;
    }
    status.textContent = "";
    // The recorded run gives way to this one.
    document.body.classList.add("is-learning");
    await Promise.all(models.map((model) => learn(model, 0)));
    return beginning === state.beginning;
}

/** Lets a model make some updates, and keeps what it says. */
async function learn(model, updates, count = false) {
    const { beginning, text } = state;
    const { learned, error } = await model.crate.ask({ learn: { updates, text, count } }, "learn");
    if (beginning !== state.beginning) return;
    if (error) {
        model.fault = error;
    } else {
        model.losses.push(...learned.losses);
        model.updates = learned.updates;
        model.reply = { ...learned, text };
        model.right = learned.right ?? (updates > 0 ? null : model.right);
    }
    draw();
}

/** Both models learn until they are stopped or have made the updates of the book's runs, in step, so that they can be compared at any time.
 *  Each request is as long as `REPLY` allows. */
async function goOn() {
    const beginning = state.beginning;
    const sound = () => models.filter((model) => !model.fault);
    const left = () => Math.max(0, ...sound().map((model) => model.began.updates - model.updates));
    while (state.running && beginning === state.beginning && left() > 0) {
        const before = performance.now();
        const updates = Math.min(state.batch, left());
        await Promise.all(sound().map((model) => learn(model, updates)));
        state.batch = Math.max(1, Math.min(100, Math.round((state.batch * REPLY) / (performance.now() - before))));
    }
    if (beginning === state.beginning) await Promise.all(sound().map((model) => learn(model, 0, true)));
}

/** Starts, goes on or pauses. */
async function toggle() {
    if (state.running) {
        state.running = false;
        label();
        return;
    }
    if (!models.every(({ began }) => began) && !(await begin())) return;
    state.running = true;
    label();
    const beginning = state.beginning;
    await goOn();
    if (beginning !== state.beginning) return;
    state.running = false;
    label();
    status.textContent = models.map(summary).join(" ");
}

/** What a model can do, in a sentence. */
function summary({ index, updates, right, began, fault }) {
    const name = index === 0 ? "The paper’s model" : "The changed model";
    if (fault) return `${name}: ${fault}`;
    return `${name} answers ${right} of ${began.held_out} texts that it has never seen rightly, after ${updates} updates.`;
}

function label() {
    run.textContent = state.running ? "Pause" : models[0].updates > 0 ? "Go on" : "Let them learn";
    step.disabled = state.running;
}

// Drawing

function draw() {
    const names = ["the paper’s model", change.selectedOptions[0].textContent];
    // What both say stands above both maps, so that they can be compared while they learn, also where the maps have no room side by side.
    figure.replaceChildren(losses(names), ...models.map((model) => side(model, names[model.index])),
        ...models.map((model) => looked(model, names[model.index])));
    figure.classList.toggle("long", state.text.trim().length + 1 > NARROW);
}

/** The curves: a point is the mean of some losses. */
function losses(names) {
    const last = models[0].began?.updates ?? 1;
    const x = (update) => LEFT + ((WIDTH - LEFT - 8) * update) / last;
    const y = (loss) => ABOVE + (HEIGHT - ABOVE - BELOW) * (1 - Math.min(loss, HIGHEST) / HIGHEST);
    const ticks = [0, 2, 4, 6].map((loss) => [
        shape("line", { x1: LEFT, x2: WIDTH - 8, y1: y(loss), y2: y(loss), class: "rule" }),
        shape("text", { x: LEFT - 6, y: y(loss) + 4, "text-anchor": "end" }, `${loss}`),
    ]).flat();
    const below = [0, 200, 400, 600, 800].filter((update) => update <= last)
        .map((update) => shape("text", { x: x(update), y: HEIGHT - 2, "text-anchor": update === last ? "end" : "middle" }, `${update}`));
    const axes = [
        shape("text", { x: 0, y: 14 }, "loss"),
        shape("text", { x: WIDTH - 8, y: y(0) - 6, "text-anchor": "end" }, "updates"),
    ];
    const curves = models.map((model) => {
        const points = [];
        for (let from = 0; from < model.losses.length; from += MEAN) {
            const some = model.losses.slice(from, from + MEAN);
            const mean = some.reduce((sum, loss) => sum + loss, 0) / some.length;
            points.push([x(from + some.length), y(mean)]);
        }
        const hue = HUES[model.index];
        // The first point is no line yet.
        const end = points.slice(-1).map(([cx, cy]) => shape("circle", { cx, cy, r: 4, fill: hue }));
        return [shape("polyline", { points: points.join(" "), fill: "none", stroke: hue, "stroke-width": 2.5 }), ...end];
    }).flat();
    const now = (model) => (model.losses.length ? model.losses.at(-1).toFixed(2) : "no loss yet");
    const said = `The losses against the updates. ${models.map((model, index) => `${names[index]}: ${now(model)} after ${model.updates}`).join("; ")}.`;
    return shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said, class: "losses" }, ...ticks, ...below, ...axes, ...curves);
}

/** One model: its name, how far it is, and what it writes. */
function side(model, name) {
    const { updates, reply, right, began, fault } = model;
    const loss = model.losses.length ? `, loss ${model.losses.at(-1).toFixed(3)}` : "";
    const counted = right === null || right === undefined ? "" : `, ${right} of ${began.held_out} right`;
    const children = [
        make("h3", { style: ink(model) }, ...formula(name)),
        make("p", { class: "count" }, `${updates} ${updates === 1 ? "update" : "updates"}${loss}${counted}`),
    ];
    if (fault) children.push(make("p", { class: "fault" }, fault));
    if (reply) {
        children.push(make("p", { class: "wrote" }, make("span", {}, "writes "), make("b", {}, shown(reply.wrote))));
    }
    return make("div", { class: "side" }, ...children);
}

/** Where one model looks, with its name where the maps are one below the other. */
function looked({ index, reply }, name) {
    const children = reply ? [make("p", { class: "whose", style: ink({ index }) }, ...formula(name)), ...map(reply, name)] : [];
    return make("div", { class: "looked" }, ...children);
}

function ink({ index }) {
    return `color: color-mix(in srgb, ${HUES[index]} 70%, var(--ink))`;
}

/** A name in which √d_model and W^O are written as formulas are. */
function formula(name) {
    return name.split(/(\w[_^]\w+)/).map((part) => {
        const [, letter, sign, index] = part.match(/^(\w)([_^])(\w+)$/) ?? [];
        return letter ? make("span", {}, make("i", {}, letter), make(sign === "_" ? "sub" : "sup", {}, index)) : part;
    });
}

/** What was written. An untrained model writes any bytes: what is no letter is a dot, and a space can be seen. */
function shown(wrote) {
    return wrote === "" ? "(nothing)" : Array.from(wrote, (letter) => (/[!-~]/.test(letter) ? letter : letter === " " ? "␣" : "·")).join("");
}

/** A cell for each letter written and each letter read, the stronger the more it was looked at. As in the recorded run there is a row for each
 *  letter that belongs there, for the end, and for one more; what is written beyond is counted. */
function map({ text, wrote, looks }, name) {
    const cell = 18;
    const read = [...text.trim(), "end"];
    const letters = wrote === "" ? [] : [...shown(wrote)];
    // Bytes that are no letters have the same sign.
    const rows = letters.length + 1 === looks.length ? [...letters, "end"] : looks.map(() => "·");
    const seen = looks.slice(0, (task.value === "dates" ? DATE : read.length - 1) + 2);
    const left = 34;
    const cells = seen.flatMap((row, i) => row.map((weight, j) =>
        shape("rect", { x: left + j * cell, y: 20 + i * cell, width: cell, height: cell, fill: "var(--green)", "fill-opacity": weight })));
    const across = read.map((letter, j) => shape("text", letter === "end"
        ? { x: left + j * cell + 3, y: 14 }
        : { x: left + (j + 0.5) * cell, y: 14, "text-anchor": "middle" }, letter));
    const down = seen.map((_, i) => shape("text", { x: left - 6, y: 20 + (i + 0.7) * cell, "text-anchor": "end" }, rows[i]));
    const [width, height] = [left + read.length * cell + 14, 22 + seen.length * cell];
    const strongest = seen.map((row, i) => `${rows[i]} at ${read[row.indexOf(Math.max(...row))]}`);
    const frame = shape("rect", { x: left, y: 20, width: read.length * cell, height: seen.length * cell, class: "frame" });
    const svg = shape("svg", {
        viewBox: `0 0 ${width} ${height}`, width, role: "img", class: "look",
        "aria-label": `Where ${name} looks most while it writes: ${strongest.join(", ")}.`,
    }, ...cells, frame, ...across, ...down);
    const more = looks.length - seen.length;
    return more > 0 ? [svg, make("p", { class: "count" }, `and ${more} more rows`)] : [svg];
}

// The reader

/** Asks for what the reader has typed from now on, if the models can read it. */
async function take() {
    const typed = text.value.toLowerCase();
    if (!models.every(({ began }) => began) && !(await begin())) return;
    const { error } = await models[0].crate.ask({ learn: { updates: 0, text: typed, count: false } }, "learn");
    if (typed !== text.value.toLowerCase()) return;
    status.className = error ? "fault" : "";
    status.textContent = error ? `${error} Both still write for “${state.text}”.` : "";
    if (error) return;
    state.text = typed;
    if (!state.running) await Promise.all(models.map((model) => learn(model, 0)));
}

/** The switch of the address, so that a chapter can lead to its own. */
function fromAddress() {
    const name = location.hash.slice(1);
    const offered = [...change.options].some((option) => option.value === name);
    if (!offered) return;
    change.value = name;
    // The address is that of a row in the table below. What a reader comes for is up here, once the browser has gone there.
    const show = () => form.scrollIntoView({ block: "start" });
    if (document.readyState === "complete") show();
    else addEventListener("load", () => requestAnimationFrame(show));
}

function listen() {
    form.addEventListener("submit", (event) => event.preventDefault());
    // The book turns its pages by the arrow keys.
    form.addEventListener("keydown", (event) => {
        if (event.key.startsWith("Arrow")) event.stopPropagation();
    });
    run.addEventListener("click", toggle);
    step.addEventListener("click", async () => {
        if (!models.every(({ began }) => began) && !(await begin())) return;
        await Promise.all(models.filter((model) => !model.fault).map((model) => learn(model, 1)));
        label();
    });
    again.addEventListener("click", async () => {
        await begin();
        label();
    });
    task.addEventListener("change", async () => {
        text.value = state.text = TEXTS[task.value];
        await begin();
        label();
    });
    change.addEventListener("change", async () => {
        if (models[0].began) await begin();
        label();
    });
    let timer;
    text.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(take, 200);
    });
    addEventListener("hashchange", async () => {
        fromAddress();
        if (models[0].began) await begin();
        label();
    });
    fromAddress();
    label();
    form.hidden = false;
    document.body.classList.add("is-playground");
}

if (typeof WebAssembly === "object") listen();
