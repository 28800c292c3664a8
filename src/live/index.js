// The first page: its field translates what the reader types, and the picture beside it shows where one head looks.
"use strict";

/** The head that the page has drawn: a layer of the decoder, and one of its attentions to the caption, counted from 0. */
const HEAD = { layer: 2, head: 3 };

/** As the drawn picture has it: heights of words, the space between the columns, the weights that are seen. */
const [STEP, ACROSS, GAP, THICK, LEAST] = [26, 170, 8, 5, 0.05];
/** About the width of a letter. */
const LETTER = 8;

const form = document.querySelector("form.first");
const status = form.querySelector("[role=status]");
const figure = document.querySelector(".first-picture .picture");

/** The crate, from the first touch on. */
let started = null;
/** How often the reader has changed the caption: an answer to an older one is not drawn. */
let changes = 0;

/** Translates what is in the field. */
async function translate() {
    changes += 1;
    const change = changes;
    figure.classList.add("stale");
    started ??= Crate.start();
    if (!status.textContent) status.textContent = "Loading the translator …";
    const reply = await started
        .then(({ crate }) => crate.ask({ text: form.elements.text.value, search: "greedy", change: null }))
        .catch((error) => ({ error: `The translator cannot be started. ${error.message}` }));
    if (change !== changes) return;
    status.lang = reply.answer ? "de" : "en";
    status.className = reply.answer ? "answer" : "error";
    status.textContent = reply.answer?.translation ?? reply.error;
    if (!reply.answer) return;
    figure.replaceChildren(picture(reply.answer));
    figure.classList.remove("stale");
}

/** Tokens as words: where each begins, for a token that has no space before it belongs to the word of the one before. */
function words(tokens) {
    const words = [];
    tokens.forEach(({ label }, index) => {
        if (index === 0 || /^[·<]/.test(label) || words.at(-1).text === "<start>") words.push({ text: label.replace("·", ""), from: index });
        else words.at(-1).text += label;
        words.at(-1).to = index;
    });
    return words;
}

/** The words of the caption and of the translation, and a line for each weight between them. A word that looks is the last of its
 *  tokens, and what it takes from a word is the sum of what it takes from its tokens. */
function picture({ source, target, maps }) {
    const [read, written] = [words(source.tokens), words(target.tokens)];
    const sum = (row, { from, to }) => row.slice(from, to + 1).reduce((sum, weight) => sum + weight, 0);
    const weights = written.map(({ to }) => read.map((word) => sum(maps.cross[HEAD.layer][HEAD.head][to], word)));
    const [keys, queries] = [read, written].map((side) => side.map(({ text }) => text));
    const wide = (words) => Math.max(...words.map((word) => word.length)) * LETTER;
    const [left, right] = [wide(["caption", ...keys]), wide(["translation", ...queries])];
    const [from, to] = [left + ACROSS, left];
    const place = (index) => STEP * (index + 1.5);
    const rows = queries.map((query, i) => shape("g", { class: "query", tabindex: 0 },
        shape("text", { x: from, y: place(i) }, query),
        ...weights[i].map((weight, j) => (weight < LEAST ? "" : line([from - GAP, place(i)], [to + GAP, place(j)], weight))),
        shape("title", {}, said(query, keys, weights[i]))));
    const size = [left + ACROSS + right, STEP * (Math.max(keys.length, queries.length) + 1) + 12];
    const name = "Where one head looks while it translates what you typed";
    return shape("svg", { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], role: "group", "aria-label": name, class: "looks" },
        shape("text", { x: to, y: STEP / 2, "text-anchor": "end" }, "caption"),
        shape("text", { x: from, y: STEP / 2 }, "translation"),
        ...keys.map((key, j) => shape("text", { x: to, y: place(j), "text-anchor": "end" }, key)),
        ...rows);
}

function line([x1, y1], [x2, y2], weight) {
    return shape("line", { x1, y1, x2, y2, "stroke-width": 1 + (THICK - 1) * weight, "stroke-opacity": weight });
}

/** What a row says to those who hear the page. */
function said(query, keys, row) {
    const most = row.indexOf(Math.max(...row));
    return `${query} takes ${row[most].toFixed(2)} from ${keys[most]}`;
}

/** Answers while the reader types, and not after each letter. */
function listen() {
    let timer;
    form.elements.text.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(translate, 250);
    });
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        clearTimeout(timer);
        translate();
    });
    form.addEventListener("keydown", (event) => {
        if (event.key.startsWith("Arrow")) event.stopPropagation();
    });
    form.hidden = false;
}

if (typeof WebAssembly === "object") listen();
