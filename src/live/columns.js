// Two columns of words, and lines from those that look to those that they look at: on the first page and on "Try it".
"use strict";

/** As the drawn pictures have it: heights of words, the space between the columns, the weights that are seen. */
const [STEP, BETWEEN, GAP, THICK, LEAST] = [26, 170, 8, 5, 0.05];
/** How large a letter is, unless a page says otherwise. */
const LETTERS = 15;
/** What stands between a chosen word and the word that it takes most from. */
const LOOKS_AT = " ← looks at ";

/** What texts are measured with. */
const ruler = document.createElement("canvas").getContext("2d");

/** How wide a text is, in the bold letters of a word that is chosen. */
function measured(text, letters) {
    ruler.font = `600 ${letters}px "STIX Two Text", serif`;
    return ruler.measureText(text).width;
}

/** Tokens as words: where each begins and ends, for a token that has no space before it belongs to the word of the one before. */
function words(tokens) {
    const words = [];
    tokens.forEach(({ label }, index) => {
        if (index === 0 || /^[·<]/.test(label) || words.at(-1).text === "<start>") words.push({ text: label.replace("·", ""), from: index });
        else words.at(-1).text += label;
        words.at(-1).to = index;
    });
    for (const word of words) word.text = plainText(word.text);
    return words;
}

/** What was chosen, moment by moment: the words of a translation, and its end if it has one, each with the row that chose its first token. */
function choices({ target: { tokens }, complete }) {
    const chosen = [...words(tokens).slice(1), ...(complete ? [{ text: "<end>", from: tokens.length }] : [])];
    return chosen.map(({ text, from }) => ({ text, to: from - 1 }));
}

/** How much each word takes from each other. A word that looks is the last of its tokens, and what it takes from a word is the sum of
 *  what it takes from its tokens. */
function byWords(queries, keys, map) {
    const sum = (row, { from, to }) => row.slice(from, to + 1).reduce((sum, weight) => sum + weight, 0);
    return queries.map(({ to }) => keys.map((key) => sum(map[to], key)));
}

/** The picture. `names` are above the columns, first that of the keys; `choose` is told which query was pressed. With `notes` a query that is
 *  chosen says beside it where it looks most. `least` is how wide the picture is at least. */
function columns({ queries, keys, weights, names, label, choose, notes = false, letters = LETTERS, least = 0 }) {
    const wide = (words) => Math.max(...words.map((word) => measured(word, letters)));
    const [read, written] = [keys, queries].map((side) => side.map(({ text }) => text));
    const most = weights.map((row) => row.indexOf(Math.max(...row)));
    const beside = notes ? written.map((text, i) => text + LOOKS_AT + read[most[i]]) : written;
    const [left, right] = [wide([names[0], ...read]), wide([names[1], ...beside])];
    const [from, to] = [left + BETWEEN, left];
    const height = (index) => STEP * (index + 1.5);
    const line = (i, j) => shape("line", {
        x1: from - GAP, y1: height(i), x2: to + GAP, y2: height(j), "data-key": j, class: j === most[i] ? "most" : "",
        "stroke-width": 1 + (THICK - 1) * weights[i][j], "stroke-opacity": weights[i][j],
    });
    const note = (text, i) => shape("text", { class: "note", "aria-hidden": true, x: from + measured(`${text} `, letters), y: height(i) },
        LOOKS_AT.trimStart(), shape("tspan", { "font-style": "italic" }, read[most[i]]));
    const query = (text, i) => {
        const pressed = () => {
            only(null);
            choose(i);
        };
        const key = (event) => {
            if (!["Enter", " "].includes(event.key)) return;
            event.preventDefault();
            pressed();
        };
        const drawn = read.map((_, j) => j).filter((j) => weights[i][j] >= LEAST).map((j) => line(i, j));
        const attributes = { class: "query", tabindex: 0, role: "button", "aria-label": said(text, read, weights[i]), onclick: pressed, onkeydown: key };
        return shape("g", attributes, shape("text", { x: from, y: height(i) }, text), ...(notes ? [note(text, i)] : []), ...drawn);
    };
    const size = [Math.max(least, left + BETWEEN + right + GAP), STEP * (Math.max(read.length, written.length) + 1) + 12];
    const style = `--width: ${size[0]}px; --letters: ${letters}px`;
    const svg = shape("svg", { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], style, role: "group", "aria-label": label, class: "looks" },
        shape("text", { x: to, y: STEP / 2, "text-anchor": "end" }, names[0]),
        shape("text", { x: from, y: STEP / 2 }, names[1]),
        ...written.map(query));
    /** Leaves the lines that end at a key; at none, all of them. */
    const only = (key) => {
        svg.classList.toggle("by-key", key !== null);
        svg.querySelectorAll("line").forEach((line) => line.classList.toggle("faint", key !== null && line.dataset.key !== `${key}`));
        svg.querySelectorAll(".key").forEach((text, j) => text.classList.toggle("chosen", j === key));
    };
    read.forEach((text, j) => {
        // A finger has no place above the page: it presses, and presses again.
        const byMouse = (key) => ({ pointerType }) => pointerType === "mouse" && only(key);
        const byFinger = ({ pointerType, target }) => pointerType !== "mouse" && only(target.classList.contains("chosen") ? null : j);
        const attributes = { class: "key", x: to, y: height(j), "text-anchor": "end", onpointerenter: byMouse(j), onpointerleave: byMouse(null), onclick: byFinger };
        svg.append(shape("text", attributes, text));
    });
    return svg;
}

/** Marks the query that was chosen. What the page has chosen and not the reader does not make the others faint. */
function markQuery(svg, chosen, byReader = true) {
    svg.classList.toggle("chosen", byReader);
    svg.querySelectorAll(".query").forEach((query, i) => query.setAttribute("aria-pressed", i === chosen));
}

/** What a row says to those who hear the page. */
function said(query, keys, row) {
    const most = row.indexOf(Math.max(...row));
    return `${query} takes ${row[most].toFixed(2)} from ${keys[most]}`;
}
