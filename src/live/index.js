// The first page: its field translates what the reader types, and the picture beside it shows where one head looks.
"use strict";

const form = document.querySelector("form.first");
const status = form.querySelector("[role=status]");
const drawn = document.querySelector(".first-picture");
const figure = drawn.querySelector(".picture");

/** The head that the page has drawn: a layer of the decoder, and one of its attentions to the caption, counted from 0. */
const { layer, head } = drawn.dataset;

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
    status.textContent = reply.answer ? plainText(reply.answer.translation) : reply.error;
    if (!reply.answer) return;
    figure.replaceChildren(picture(reply.answer));
    caption();
    figure.classList.remove("stale");
}

/** What was said of the drawn picture is not true of another one. */
function caption() {
    const place = drawn.querySelector("figcaption p");
    const said = "Where one of the heads looks while the model translates your caption. Point at a word, or press it, and its lines stay.";
    place.replaceChildren(place.querySelector("b"), ` ${said}`);
}

/** The words of the caption and of the translation, with the lines of the head. A press keeps those of a word. */
function picture({ source, target, maps }) {
    const [keys, queries] = [words(source.tokens), choices(target.tokens)];
    let chosen = null;
    const choose = (query) => {
        chosen = chosen === query ? null : query;
        markQuery(svg, chosen);
    };
    const svg = columns({
        queries, keys, choose,
        weights: byWords(queries, keys, maps.cross[layer][head]),
        names: ["caption", "translation"],
        label: "Where one head looks while it translates what you typed",
    });
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
    form.hidden = false;
}

if (typeof WebAssembly === "object") listen();
