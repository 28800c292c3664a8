// Try it: the crate in `crate.js` translates what the reader types, and this script draws what it answers.
//
// Nothing of the model is computed here. The page has a drawn example in every section, for print and for browsers without scripts; what
// is drawn here takes its place.
"use strict";

/** The attentions of the model: where the page has their maps, and what their rows and columns are. */
const ATTENTIONS = {
    encoder: { part: "encoder", name: "encoder", queries: "source", keys: "source" },
    decoder: { part: "decoder", name: "decoder, self-attention", queries: "target", keys: "target" },
    cross: { part: "decoder", name: "decoder, cross-attention", queries: "target", keys: "source" },
};
const SENTENCES = { source: "the caption", target: "written so far" };
/** How a cell of a map is asked for its number: a phone has neither a pointer nor arrow keys. */
const ASK = matchMedia("(hover: hover)").matches ? "Point at a cell, or move with the arrow keys." : "Tap a cell for its number.";

/** What the reader sees. Layers, heads and steps are counted from 0 here, and from 1 on the page. */
const state = {
    crate: null,
    /** Promises the crate, from the first touch on. */
    started: null,
    answer: null,
    changed: null,
    change: null,
    asked: 0,
    pending: 0,
    changing: 0,
    step: 0,
    /** Whether the reader has chosen the step. */
    picked: false,
    looks: null,
    times: {},
    chosen: {},
};

// Elements

/** The place on the page that this script fills, or the controls that it listens to. */
function part(name) {
    return document.querySelector(`main [data-part="${name}"]`);
}

function fill(name, ...children) {
    part(name).replaceChildren(...children);
}

/** What may be wider than the page: it scrolls, and has a shadow where it goes on. */
function sideways(child, name) {
    // Until it knows its width, it can be reached as if it scrolled.
    const box = make("div", { class: "sideways", tabindex: 0 }, child);
    watch(box, name);
    return box;
}

/** What the strengths of a colour mean, from one number to another. */
function scale(kind, least, most) {
    return make("span", { class: `scale ${kind}` }, least, make("i"), most);
}

/** A number with three decimals, and a true minus sign. */
function decimal(number) {
    return number.toFixed(3).replace("-", "−");
}

/** Lets the reader choose among the heads of the model, and begins with those that the page has drawn. */
function offerHeads({ layers, heads }) {
    const drawn = (place, attention) => {
        const { layer, head } = part(place).dataset;
        state.chosen[place] = { attention, layer: layer - 1, head: head - 1 };
    };
    drawn("encoder", "encoder");
    drawn("decoder", "cross");
    const options = (count) => Array.from({ length: count }, (_, i) => make("option", {}, `${i + 1}`));
    // The lines are those of the first page, which counts from 0.
    const { layer, head } = part("looks-form").dataset;
    const first = { "change-form": part("decoder").dataset, "looks-form": { layer: Number(layer) + 1, head: Number(head) + 1 } };
    for (const [name, begin] of Object.entries(first)) {
        const { layer, head } = part(name).elements;
        layer.replaceChildren(...options(layers));
        head.replaceChildren(...options(heads));
        layer.value = begin.layer;
        head.value = begin.head;
    }
}

// Requests

/** How the reader wants the next word to be chosen. */
function chosenSearch() {
    const { kind, width, temperature, top_k, top_p, seed } = part("search-form").elements;
    const value = (field) => field.valueAsNumber;
    if (kind.value === "beam") return { beam: { width: value(width) } };
    if (kind.value === "greedy") return "greedy";
    return {
        sample: { temperature: value(temperature), top_k: value(top_k), top_p: value(top_p), seed: value(seed) },
    };
}

/** The head that the reader wants to be switched off, as the module counts. */
function headOff() {
    const { attention, layer, head } = part("change-form").elements;
    return { head: { attention: attention.value, layer: Number(layer.value), head: Number(head.value) } };
}

async function ask(change) {
    return state.crate.ask({ text: plainText(part("caption").elements.text.value), search: chosenSearch(), change });
}

/** What is wrong with a field, as a sentence; nothing if it can be used. */
function fault({ value, min, max, step, validity }) {
    const { badInput, rangeUnderflow, rangeOverflow, stepMismatch } = validity;
    const whole = step === "1";
    const wrong = value === "" || badInput || rangeUnderflow || rangeOverflow || (whole && stepMismatch);
    return wrong ? `${whole ? "A whole number" : "A number"} from ${min} to ${max}, please.` : "";
}

/** Says beside each field of the search what is wrong with it, and whether nothing is. */
function searchIsPossible() {
    const form = part("search-form");
    const { kind, width, temperature, top_k, top_p, seed } = form.elements;
    const used = { greedy: [], beam: [width], sample: [temperature, top_k, top_p, seed] }[kind.value];
    let possible = true;
    for (const field of [width, temperature, top_k, top_p, seed]) {
        const said = used.includes(field) ? fault(field) : "";
        field.setAttribute("aria-invalid", said !== "");
        const beside = field.parentElement.querySelector(".fault") ?? make("small", { class: "fault", role: "alert" });
        beside.textContent = said;
        field.parentElement.append(beside);
        possible &&= said === "";
    }
    return possible;
}

/** Translates what is in the field, draws all of it, and says how it went. While the crate works, only the last wish is kept. */
async function translate() {
    state.asked += 1;
    document.querySelector("main").classList.add("is-stale");
    if (!searchIsPossible() || state.pending > 0) return;
    state.pending += 1;
    try {
        let drawn = 0;
        while (drawn !== state.asked && searchIsPossible()) {
            drawn = state.asked;
            await answerOnce(() => drawn === state.asked);
        }
    } finally {
        state.pending -= 1;
    }
}

/** One translation. An answer that is no longer asked for is not drawn. */
async function answerOnce(isAskedFor) {
    const begin = performance.now();
    const reply = await ask(null);
    if (!isAskedFor()) return;
    if (reply.error) {
        say(reply.error, "error");
        return;
    }
    document.querySelector("main").classList.remove("is-stale");
    state.answer = reply.answer;
    state.step = Math.min(state.step, reply.answer.steps.length - 1);
    const answered = performance.now();
    say(plainText(reply.answer.translation), "answer");
    if (!await draw(isAskedFor)) return;
    state.times = { answer: answered - begin, drawing: performance.now() - answered };
    drawResult();
    if (state.change) await applyChange(state.change);
}

/** Translates once more with something changed in the model, next to the untouched result. */
async function applyChange(change) {
    state.change = change;
    state.changing += 1;
    const reply = change && await ask(change);
    state.changing -= 1;
    if (change !== state.change) return;
    state.changed = reply?.answer ?? null;
    drawChange(reply?.error);
}

/** Tells the reader, also one who hears the page. A translation is German. */
function say(text, kind) {
    const place = part("status");
    place.className = kind;
    place.lang = kind === "answer" ? "de" : "en";
    place.textContent = text;
}

// The first picture: words with lines between them

/** The head that the reader has chosen for it. */
function looksHead() {
    const { attention, layer, head } = part("looks-form").elements;
    return { attention: attention.value, layer: layer.value - 1, head: head.value - 1 };
}

/** The words of both sides, with the lines of a head, and beside them the row of a word. */
function drawLooks() {
    const { attention, layer, head } = looksHead();
    const [queries, keys] = [choices(state.answer), words(state.answer[ATTENTIONS[attention].keys].tokens)];
    const weights = byWords(queries, keys, state.answer.maps[attention][layer][head]);
    const svg = columns({
        queries, keys, weights,
        names: [attention === "cross" ? "caption" : "written so far", "translation"],
        label: `Where head ${head + 1} of layer ${layer + 1} looks while it translates: press a word of the translation for its row`,
        choose: (query) => stepTo(queries[query].to),
    });
    fill("looks", sideways(svg, "Where a head looks"), make("div", { class: "row-beside", "aria-live": "polite" }));
    state.looks = { svg, queries, keys, weights };
    drawRow();
}

/** The word that is chosen at the present step: where the head looks meanwhile, and what else it could be. */
function drawRow() {
    const { svg, queries, keys, weights } = state.looks;
    const chosen = queries.findLastIndex(({ to }) => to <= state.step);
    markQuery(svg, chosen, state.picked);
    const strongest = keys.map(({ text }, j) => ({ text, weight: weights[chosen][j] })).sort((a, b) => b.weight - a.weight).slice(0, 4);
    const row = ({ text, weight }) => make("tr", {}, make("th", { scope: "row" }, text),
        make("td", { class: "bar" }, make("i", { class: "weight", style: `inline-size: ${100 * weight}%` })), make("td", {}, decimal(weight)));
    const heads = [make("th", { scope: "col" }, "looks at"), make("th", { scope: "col", colspan: 2 }, "weight")];
    part("looks").querySelector(".row-beside").replaceChildren(
        make("p", { lang: "de" }, make("b", {}, queries[chosen].text)),
        make("table", { class: "bars" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...strongest.map(row))),
        make("p", {}, "It was chosen among these tokens:"), bars(state.answer, state.step, 4));
}

/** The link that brings somebody else to this caption. */
function drawLink() {
    const { href } = new URL(`#caption=${encodeURIComponent(part("caption").elements.text.value)}`, location.href);
    part("link").href = href;
    part("share").elements.copied.value = "";
}

/** Copies the link. Where a page may not copy, it is left selected for the reader to do so. */
async function copyLink() {
    const { copied } = part("share").elements;
    try {
        await navigator.clipboard.writeText(part("link").href);
        copied.value = "Copied.";
    } catch {
        copied.value = "This browser does not let a page copy: copy the link by its own menu.";
        part("link").focus();
    }
}

// Maps

/** Red, green and blue of one of the book's colours in the theme of the page. */
function colour(name) {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Attention weights from 0 to 1, the stronger the larger. */
function weightColours() {
    const green = colour("green");
    return (weight) => [...green, 255 * weight];
}

/** Numbers up to `full`: blue above 0, orange below. */
function signedColours(full) {
    const [blue, orange] = [colour("blue"), colour("orange")];
    return (number) => [...(number < 0 ? orange : blue), 255 * Math.min(1, Math.abs(number) / full)];
}

/** A matrix as a canvas that has a pixel for each number. The style sheet enlarges it. */
function paint(matrix, colours) {
    const canvas = make("canvas", { width: matrix[0].length, height: matrix.length });
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const { data } = image;
    let at = 0;
    for (const row of matrix) {
        for (const number of row) {
            [data[at], data[at + 1], data[at + 2], data[at + 3]] = colours(number);
            at += 4;
        }
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

/** A map whose cells say their numbers: under the pointer, and under a frame that the arrow keys move. */
function explorable(canvas, name, describe) {
    const { width, height } = canvas;
    const frame = make("span", { class: "frame-of-cell", hidden: "" });
    const said = make("output", {}, ASK);
    const field = make("div", { class: "field", role: "application", "aria-label": name, tabindex: 0 }, canvas, frame);
    let [row, column] = [0, 0];

    function visit(toRow, toColumn) {
        row = Math.max(0, Math.min(height - 1, toRow));
        column = Math.max(0, Math.min(width - 1, toColumn));
        frame.hidden = false;
        const percent = (part, all) => `${(100 * part) / all}%`;
        Object.assign(frame.style, {
            left: percent(column, width),
            top: percent(row, height),
            width: percent(1, width),
            height: percent(1, height),
        });
        said.textContent = describe(row, column);
    }

    function point(event) {
        const box = canvas.getBoundingClientRect();
        const at = (from, size, count) => Math.floor((from / size) * count);
        visit(at(event.clientY - box.top, box.height, height), at(event.clientX - box.left, box.width, width));
    }

    field.addEventListener("pointermove", point);
    // A finger does not move before it touches.
    field.addEventListener("pointerdown", point);
    field.addEventListener("keydown", (event) => {
        const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
        if (!move) return;
        event.preventDefault();
        visit(row + move[0], column + move[1]);
        frame.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    field.addEventListener("focus", () => visit(row, column));
    return { field, said };
}

function labels(tokens, direction) {
    const names = tokens.map((token) => make("span", {}, token.label));
    return make("div", { class: `labels ${direction}`, "aria-hidden": "true" }, ...names);
}

/** The weights of one head with the words on both axes. */
function headMap(answer, { attention, layer, head }) {
    const { name, queries, keys } = ATTENTIONS[attention];
    const [rows, columns] = [answer[queries].tokens, answer[keys].tokens];
    const weights = answer.maps[attention][layer][head];
    const title = `Weights of the ${name}: layer ${layer + 1}, head ${head + 1}`;
    const describe = (i, j) => `query ${rows[i].label} → key ${columns[j].label}: ${decimal(weights[i][j])}`;
    const { field, said } = explorable(paint(weights, weightColours()), title, describe);
    if (queries === "target") field.append(make("span", { class: "row-of-step", "data-rows": rows.length }));
    const map = make("div", { class: "map", style: `--rows: ${rows.length}; --columns: ${columns.length}` },
        make("span", { class: "keys" }, `keys: ${SENTENCES[keys]} →`),
        make("span", { class: "queries" }, `queries: ${SENTENCES[queries]} ↓`),
        labels(columns, "across"), labels(rows, "down"), field);
    // What a cell says stands above the map, where it is seen while the map is pointed at.
    return make("figure", {}, make("figcaption", {}, scale("weights", "0", "1"), `${title}. `, said), sideways(map, title));
}

/** Three maps of rows, with the words at their left. */
function drawRows() {
    const kind = part("rows-form").elements.sentence.value;
    const { tokens, ...maps } = state.answer[kind];
    const full = Math.max(...maps.sum.flat().map(Math.abs));
    const names = { embedding: "Embedding", position: "Position", sum: "Sum" };
    fill("rows", ...Object.entries(names).map(([which, name]) => {
        const rows = maps[which];
        const describe = (i, j) => `${tokens[i].label}, number ${j + 1} of ${rows[i].length}: ${decimal(rows[i][j])}`;
        const { field, said } = explorable(paint(rows, signedColours(full)), `${name}: a row for each token`, describe);
        const style = `--rows: ${rows.length}`;
        return make("figure", {}, make("figcaption", {}, scale("signed", decimal(-full), decimal(full)), `${name}. `, said),
            make("div", { class: "map of-rows", style }, labels(tokens, "down"), field));
    }));
}

// Heads

/** A small map for each head of an attention: the reader chooses the one to enlarge. */
function thumbnails(attention) {
    const { part: place, name } = ATTENTIONS[attention];
    const colours = weightColours();
    const button = (weights, layer, head) => make("button", {
        type: "button",
        "aria-label": `${name}, layer ${layer + 1}, head ${head + 1}`,
        onclick: () => choose(place, { attention, layer, head }),
    }, paint(weights, colours));
    const rows = state.answer.maps[attention].map((heads, layer) => make("div", {},
        make("span", {}, `layer ${layer + 1}`), ...heads.map((weights, head) => button(weights, layer, head))));
    const title = name[0].toUpperCase() + name.slice(1);
    return make("div", { class: "heads", role: "group", "aria-label": title }, make("p", {}, title), ...rows);
}

function choose(place, head) {
    state.chosen[place] = head;
    drawChosen(place);
    drawChange();
}

/** The enlarged map of an attention, and which button it belongs to. */
function drawChosen(place) {
    const { attention, layer, head } = state.chosen[place];
    const name = `${ATTENTIONS[attention].name}, layer ${layer + 1}, head ${head + 1}`;
    for (const button of part(place).querySelectorAll("button")) {
        button.setAttribute("aria-pressed", button.getAttribute("aria-label") === name);
    }
    fill(`${place}-chosen`, headMap(state.answer, state.chosen[place]));
    markStep();
}

// Tokens, probabilities, the tree

function tokenList(kind) {
    const { tokens } = state.answer[kind];
    const items = tokens.map(({ id, label }) => make("li", {}, make("b", {}, label), make("span", {}, `${id}`)));
    const title = kind === "source" ? "The caption" : "The translation";
    return make("div", {}, make("p", {}, `${title}: ${tokens.length} tokens`), make("ol", { class: kind }, ...items));
}

/** The most probable next tokens as bars; when sampling, also with which probability they are drawn. */
function bars(answer, step, most) {
    const { next, likely } = answer.steps[step];
    const bar = (kind, share) => make("i", { class: kind, style: `inline-size: ${100 * share}%` });
    const row = ({ id, label, probability, drawn }) => make("tr", id === next.id ? { class: "written" } : {},
        make("th", { scope: "row" }, label),
        make("td", { class: "bar" }, bar("model", probability), ...(drawn === undefined ? [] : [bar("drawn", drawn)])),
        make("td", {}, decimal(probability)), ...(drawn === undefined ? [] : [make("td", {}, decimal(drawn))]));
    const heads = [make("th", { scope: "col" }, "token"), make("th", { scope: "col", colspan: 2 }, make("i", { class: "model" }), "probability")];
    if (likely[0].drawn !== undefined) heads.push(make("th", { scope: "col" }, make("i", { class: "drawn" }), "drawn with"));
    return make("table", { class: "bars" }, make("thead", {}, make("tr", {}, ...heads)),
        make("tbody", {}, ...likely.slice(0, most).map(row)));
}

/** The words that have been written at this step, and the one that is written now. */
function sentence(answer, step) {
    const before = answer.target.tokens.slice(0, step + 1).map((token) => token.label).join(" ");
    return make("p", { class: "written-so-far", lang: "de" }, `${before} `, make("b", {}, answer.steps[step].next.label));
}

function drawStep() {
    const { answer, step } = state;
    const last = answer.steps.length - 1;
    const { back, forth, place } = part("step-form").elements;
    back.disabled = step === 0;
    forth.disabled = step === last;
    place.value = `step ${step + 1} of ${last + 1}`;
    fill("next", sentence(answer, step), bars(answer, step));
    drawRow();
    moveBars();
    markStep();
    drawChange();
}

/** The bars beside the sliders. The same tokens keep their rows, so that their bars are seen to move. */
function moveBars() {
    const { answer, step } = state;
    const table = bars(answer, step, 6);
    const old = part("search-bars").querySelector("table");
    const tokens = (table) => [...table.querySelectorAll("tbody th")].map((cell) => cell.textContent).join(" ");
    const parts = (table) => [...table.querySelectorAll("tbody :is(i, td:not(.bar))")];
    if (!old || tokens(old) !== tokens(table) || parts(old).length !== parts(table).length) {
        fill("search-bars", sentence(answer, step), table);
        return;
    }
    const now = parts(table);
    parts(old).forEach((place, index) => {
        if (place.tagName === "I") place.setAttribute("style", now[index].getAttribute("style"));
        else place.textContent = now[index].textContent;
    });
}

/** Goes to the step after a token. */
function stepTo(step) {
    state.step = step;
    state.picked = true;
    drawStep();
}

/** Steps back or forth. A button that has nowhere to go gives the focus to the other one. */
function walk(by) {
    stepTo(Math.max(0, Math.min(state.answer.steps.length - 1, state.step + by)));
    const { back, forth } = part("step-form").elements;
    if (back.disabled && by < 0) forth.focus();
    if (forth.disabled && by > 0) back.focus();
}

/** Frames the row of the present step in the maps of the decoder. A shorter sentence has ended before, and its last row is framed. */
function markStep() {
    for (const frame of document.querySelectorAll(".row-of-step")) {
        frame.style.top = `calc(${Math.min(state.step, frame.dataset.rows - 1)} * 100% / var(--rows))`;
    }
}

/** The most continuations of a step that the tree shows. */
const SHOWN = 8;
const [ACROSS, DOWN] = [136, 38];
/** About the width of a letter. */
const LETTER = 7.5;

/** The tree of a beam search: a column for each step, the most probable on top. */
function tree({ width, alpha, steps }) {
    const picture = shape("g");
    let parents = [{ x: 0, y: 0, end: "<start>".length * LETTER }];
    steps.forEach((candidates, step) => {
        const live = [];
        candidates.slice(0, SHOWN).forEach((candidate, row) => {
            const x = (step + 1) * ACROSS;
            const at = { x, y: row * DOWN, end: x + candidate.label.length * LETTER };
            if (candidate.fate === "kept") live[candidate.live] = at;
            picture.append(...node(candidate, at, parents[candidate.parent]));
        });
        parents = live;
    });
    const [right, bottom] = [(steps.length + 1) * ACROSS, SHOWN * DOWN];
    const title = `The tree of a beam of ${width}, with α = ${alpha}`;
    const svg = shape("svg", { viewBox: `-8 -24 ${right} ${bottom + 8}`, width: right, height: bottom + 8, role: "img" },
        shape("title", {}, title), shape("text", { x: 0, y: 4 }, "<start>"), picture);
    return make("figure", {}, sideways(svg, title),
        make("figcaption", {}, `${title}. Each step has its best ${SHOWN} continuations, with their log-probabilities; a finished one also has its score.`));
}

/** A continuation: the line from its parent, its word, and its log-probability. */
function node({ label, fate, best, log_probability, score }, { x, y }, parent) {
    const kind = `${fate} ${best ? "best" : ""}`;
    const numbers = score === undefined ? decimal(log_probability) : `${decimal(log_probability)} / ${decimal(score)}`;
    return [
        shape("path", { class: kind, d: `M ${parent.end + 4} ${parent.y} C ${x - 12} ${parent.y} ${x - 28} ${y} ${x - 4} ${y}` }),
        shape("text", { class: kind, x, y: y + 4 }, label),
        shape("text", { class: `${kind} number`, x, y: y + 17 }, numbers),
    ];
}

// The whole page

/** What is drawn, from the top of the page to its bottom. */
const PARTS = [
    drawLooks, drawLink, drawStep,
    () => fill("tokens", tokenList("source"), tokenList("target")),
    drawRows,
    () => fill("encoder", thumbnails("encoder")),
    () => drawChosen("encoder"),
    () => fill("decoder", thumbnails("decoder"), thumbnails("cross")),
    () => drawChosen("decoder"),
    drawTree,
];

/** How long the page may be drawn before the browser has its turn, in milliseconds: two pictures of a screen. */
const TURN = 33;

/** Draws part by part, with turns for the browser between, and says whether it came to the end: an answer that is no longer asked for is left. */
async function draw(isAskedFor = () => true) {
    let begin = performance.now();
    for (const drawPart of PARTS) {
        if (!isAskedFor()) return false;
        drawPart();
        if (performance.now() - begin > TURN) {
            await new Promise((done) => setTimeout(done));
            begin = performance.now();
        }
    }
    return isAskedFor();
}

function drawTree() {
    const none = "This search has no tree: it keeps one sentence. Choose the beam to see one grow.";
    fill("tree", state.answer.tree ? tree(state.answer.tree) : make("p", {}, none));
}

function drawResult() {
    const { answer, times } = state;
    const row = (name, ...value) => [make("dt", {}, name), make("dd", {}, ...value)];
    const translation = make("span", { lang: "de" }, plainText(answer.translation));
    const cut = answer.complete ? "" : " (cut off at the most tokens that are possible)";
    fill("result", make("dl", {},
        ...row("read", plainText(answer.text)), ...row("written", translation, cut),
        ...row("tokens", `${answer.source.tokens.length} in, ${answer.steps.length} out`),
        ...row("time", `${times.answer.toFixed(0)} ms to compute, ${times.drawing.toFixed(0)} ms to draw`)));
}

/** What a changed model says, next to the untouched one. */
function drawChange(error) {
    const kind = state.change?.head ? "head" : state.change;
    for (const button of part("change-form").querySelectorAll("button")) {
        button.setAttribute("aria-pressed", button.value === kind);
    }
    if (!state.changed) {
        fill("change", ...(error ? [make("p", {}, error)] : []));
        return;
    }
    const answers = Object.entries({ Untouched: state.answer, Changed: state.changed });
    const both = answers.map(([name, { translation }]) => [make("dt", {}, name), make("dd", { class: "said", lang: "de" }, plainText(translation))]);
    const side = ([name, answer]) => make("div", {}, make("h3", {}, name), ...comparison(answer, kind));
    // The two sentences are seen together, also where there is no room for two columns.
    fill("change", make("dl", {}, ...both.flat()), ...answers.map(side));
    markStep();
}

/** One side: the present step, or the last if it has ended before, and where the change can be seen: the head that is off, or else the map that
 *  the reader enlarged last. */
function comparison(answer, kind) {
    const step = Math.min(state.step, answer.steps.length - 1);
    const ended = step < state.step ? [make("p", {}, `It has ended at step ${step + 1}.`)] : [];
    const both = [...ended, sentence(answer, step), bars(answer, step, 5)];
    if (kind !== "head") return [...both, headMap(answer, state.chosen[kind === "positions" ? "encoder" : "decoder"])];
    const { attention, layer, head } = state.change.head;
    const off = make("p", {}, `Head ${head} of layer ${layer} still looks, but what it finds is not handed on.`);
    return [...both, answer === state.changed ? off : headMap(answer, { attention, layer: layer - 1, head: head - 1 })];
}

// What the reader does

/** What is there from the start: the field, its captions, and the link that holds one. */
function listenToCaption() {
    const { text, ours } = part("caption").elements;
    // The bytes are on their way before the first letter is.
    part("caption").addEventListener("focusin", () => start().catch(() => {}));
    let timer;
    part("caption").addEventListener("submit", (event) => {
        event.preventDefault();
        clearTimeout(timer);
        begin();
    });
    text.addEventListener("input", () => {
        ours.value = "";
        clearTimeout(timer);
        timer = setTimeout(begin, 250);
    });
    ours.addEventListener("change", () => {
        if (ours.value === "") return;
        text.value = ours.value;
        begin();
    });
    addEventListener("hashchange", openLink);
    openLink();
}

/** Translates the caption that a link holds. */
function openLink() {
    const held = location.hash.match(/^#caption=(.+)/);
    if (!held) return;
    try {
        part("caption").elements.text.value = decodeURIComponent(held[1]);
    } catch {
        say("The caption in this link cannot be read.", "error");
        return;
    }
    begin();
}

/** What is there when the crate is. */
function listen() {
    const { temperature, degrees } = part("search-form").elements;
    part("looks-form").addEventListener("change", drawLooks);
    part("share").addEventListener("submit", (event) => event.preventDefault());
    part("share").elements.copy.addEventListener("click", copyLink);
    part("rows-form").addEventListener("change", drawRows);
    part("search-form").addEventListener("change", translate);
    part("search-form").addEventListener("submit", (event) => event.preventDefault());
    temperature.addEventListener("input", () => {
        degrees.value = temperature.valueAsNumber.toFixed(1);
        translate();
    });
    part("step-form").elements.back.addEventListener("click", () => walk(-1));
    part("step-form").elements.forth.addEventListener("click", () => walk(1));
    for (const button of part("change-form").querySelectorAll("button")) {
        const pressed = () => button.getAttribute("aria-pressed") === "true";
        const change = () => (button.value === "head" ? headOff() : button.value);
        button.addEventListener("click", () => applyChange(pressed() ? null : change()));
    }
    part("change-form").addEventListener("change", () => {
        if (state.change?.head) applyChange(headOff());
    });
    // Colours of a canvas do not follow the theme by themselves.
    new MutationObserver(() => draw()).observe(document.documentElement, { attributeFilter: ["class"] });
}

/** Loads the crate, once. */
function start() {
    state.started ??= Crate.start().then(({ crate, ready }) => {
        state.crate = crate;
        offerHeads(ready);
        listen();
    });
    return state.started;
}

/** Translates the caption that is in the field, and shows the controls when there is something for them to control. */
async function begin() {
    if (!state.crate) say("Loading the translator …", "loading");
    try {
        await start();
    } catch (error) {
        say(`The translator cannot be started. ${error.message}`, "error");
        return;
    }
    await translate();
    if (state.answer) document.querySelector("main").classList.add("is-live");
}

/** Loads the translator from a section, whose drawn example gives way to the live one at the same place. */
async function beginAt(section) {
    for (const button of document.querySelectorAll(".load")) button.disabled = true;
    await begin();
    section.scrollIntoView({ block: "nearest" });
    part("caption").elements.text.focus({ preventScroll: true });
}

/** Shows the field, and gives each drawn example below it a button. */
function offer() {
    const form = part("caption");
    form.hidden = false;
    // A section without a drawn example has the button where the live one will be.
    for (const place of document.querySelectorAll("main h2 ~ .drawn, main h2 ~ [data-part=change], main h2 ~ [data-part=result]")) {
        const section = place.matches(".drawn") ? place.previousElementSibling : place;
        const load = make("button", { type: "button", class: "load", onclick: () => beginAt(section) }, `Load the translator: ${form.dataset.megabytes} MB`);
        place.before(make("p", {}, load));
    }
    // The arrow keys belong to these controls, not to the pages of the book around them.
    for (const box of document.querySelectorAll("main [data-part]")) {
        box.addEventListener("keydown", (event) => {
            if (event.key.startsWith("Arrow")) event.stopPropagation();
        });
    }
    listenToCaption();
}

if (typeof WebAssembly === "object") offer();
