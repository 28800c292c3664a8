// The first page: its field translates what the reader types, and the picture beside it shows where one head looks.
"use strict";

const form = document.querySelector("form.first");
const status = form.querySelector("[role=status]");
const drawn = document.querySelector(".first-picture");
const figure = drawn.querySelector(".picture");
const caption = drawn.querySelector("figcaption p");

/** The head that the page has drawn: a layer of the decoder, and one of its attentions to the caption, counted from 0. */
const { layer, head } = drawn.dataset;

/** The caption that the page has drawn, and the word of its translation that the text beside it speaks of. */
const ours = { text: form.elements.text.value, article: drawn.dataset.article };
/** What is said of the drawn picture: of any caption, and of this one only. */
const parts = { ours: caption.querySelector(".ours"), other: caption.querySelector(".other") };
/** How large the drawn picture and its letters are, so that the page stays as it is when another takes its place. */
const { width: least } = figure.querySelector("svg").viewBox.baseVal;
const letters = Number(figure.querySelector("svg").getAttribute("font-size"));

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
        .then(({ crate }) => crate.ask({ text: plainText(form.elements.text.value), search: "greedy", change: null }))
        .catch((error) => ({ error: `The translator cannot be started. ${error.message}` }));
    if (change !== changes) return;
    status.lang = reply.answer ? "de" : "en";
    status.className = reply.answer ? "answer" : "error";
    status.textContent = reply.answer ? plainText(reply.answer.translation) : simply(reply.error);
    if (!reply.answer) return tell("This is the picture of the caption before.");
    const isOurs = form.elements.text.value === ours.text;
    figure.replaceChildren(picture(reply.answer, isOurs));
    tell(isOurs ? null : "Press a word of the translation, and its lines stay.");
    figure.classList.remove("stale");
}

/** Of tokens a reader of this page has not heard. */
function simply(error) {
    return error.includes(" tokens") ? "This is too long for a caption. Please make it shorter." : error;
}

/** What the lines mean stays beside them. What was said of the drawn caption gives way to a sentence about another. */
function tell(sentence) {
    parts.other.hidden = sentence === null;
    parts.ours.hidden = sentence !== null;
    parts.other.textContent = sentence ?? "";
}

/** The words of the caption and of the translation, with the lines of the head. A press keeps those of a word, and on the page's own caption
 *  the word that the text speaks of is chosen. */
function picture(answer, isOurs) {
    const simple = (side) => side.map((word) => ({ ...word, text: word.text === "<end>" ? "end" : word.text }));
    const [keys, queries] = [words(answer.source.tokens), choices(answer)].map(simple);
    let chosen = isOurs ? queries.findIndex(({ text }) => text === ours.article) : null;
    const choose = (query) => {
        chosen = chosen === query ? null : query;
        markQuery(svg, chosen);
    };
    const svg = columns({
        queries, keys, choose,
        weights: byWords(queries, keys, answer.maps.cross[layer][head]),
        names: ["caption", "translation"],
        label: "Where one head looks while it translates what you typed",
        letters, least,
        notes: true,
    });
    markQuery(svg, chosen, false);
    return svg;
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
    // The drawn picture comes to life when it is touched, and is not enlarged.
    drawn.addEventListener("click", (event) => {
        if (started || !figure.contains(event.target)) return;
        event.stopPropagation();
        translate();
    }, { capture: true });
    form.hidden = false;
}

if (typeof WebAssembly === "object") listen();
