// Two columns of words, and lines from those that look to those that they look at: on the first page and on "Try it".
"use strict";

/** As the drawn pictures have it: heights of words, the space between the columns, the weights that are seen. */
const [STEP, BETWEEN, GAP, THICK, LEAST] = [26, 170, 8, 5, 0.05];
/** About the width of a letter. */
const WIDE = 8;

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

/** What was chosen, moment by moment: the words of a translation and its end, each with the row that chose its first token. */
function choices(tokens) {
    const chosen = [...words(tokens).slice(1), { text: "<end>", from: tokens.length }];
    return chosen.map(({ text, from }) => ({ text, to: from - 1 }));
}

/** How much each word takes from each other. A word that looks is the last of its tokens, and what it takes from a word is the sum of
 *  what it takes from its tokens. */
function byWords(queries, keys, map) {
    const sum = (row, { from, to }) => row.slice(from, to + 1).reduce((sum, weight) => sum + weight, 0);
    return queries.map(({ to }) => keys.map((key) => sum(map[to], key)));
}

/** The picture. `names` are above the columns, first that of the keys; `choose` is told which query was pressed. */
function columns({ queries, keys, weights, names, label, choose }) {
    const wide = (words) => Math.max(...words.map((word) => word.length)) * WIDE;
    const [read, written] = [keys, queries].map((side) => side.map(({ text }) => text));
    const [left, right] = [wide([names[0], ...read]), wide([names[1], ...written])];
    const [from, to] = [left + BETWEEN, left];
    const height = (index) => STEP * (index + 1.5);
    const line = (i, j) => shape("line", {
        x1: from - GAP, y1: height(i), x2: to + GAP, y2: height(j), "data-key": j,
        "stroke-width": 1 + (THICK - 1) * weights[i][j], "stroke-opacity": weights[i][j],
    });
    const query = (text, i) => {
        const pressed = () => choose(i);
        const key = (event) => {
            if (!["Enter", " "].includes(event.key)) return;
            event.preventDefault();
            choose(i);
        };
        const drawn = read.map((_, j) => j).filter((j) => weights[i][j] >= LEAST).map((j) => line(i, j));
        const attributes = { class: "query", tabindex: 0, role: "button", "aria-label": said(text, read, weights[i]), onclick: pressed, onkeydown: key };
        return shape("g", attributes, shape("text", { x: from, y: height(i) }, text), ...drawn);
    };
    const size = [left + BETWEEN + right, STEP * (Math.max(read.length, written.length) + 1) + 12];
    const svg = shape("svg", { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], role: "group", "aria-label": label, class: "looks" },
        shape("text", { x: to, y: STEP / 2, "text-anchor": "end" }, names[0]),
        shape("text", { x: from, y: STEP / 2 }, names[1]),
        ...written.map(query));
    read.forEach((text, j) => {
        const only = () => {
            for (const line of svg.querySelectorAll("line")) line.classList.toggle("faint", line.dataset.key !== `${j}`);
        };
        const all = () => {
            for (const line of svg.querySelectorAll("line")) line.classList.remove("faint");
        };
        svg.append(shape("text", { class: "key", x: to, y: height(j), "text-anchor": "end", onpointerenter: only, onpointerleave: all }, text));
    });
    return svg;
}

/** Marks the query that was chosen. */
function markQuery(svg, chosen) {
    svg.querySelectorAll(".query").forEach((query, i) => query.setAttribute("aria-pressed", i === chosen));
}

/** What a row says to those who hear the page. */
function said(query, keys, row) {
    const most = row.indexOf(Math.max(...row));
    return `${query} takes ${row[most].toFixed(2)} from ${keys[most]}`;
}
