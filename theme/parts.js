// The way past the sidebar, and the parts of the book in it: a press on a part's title folds its chapters, and what comes after them is the appendix.
"use strict";

/** Which parts the reader has folded. */
const FOLDED = "all-you-need-folded";

function folded() {
    try {
        return new Set(JSON.parse(localStorage.getItem(FOLDED) ?? "[]"));
    } catch {
        return new Set();
    }
}

function keep(parts) {
    try {
        localStorage.setItem(FOLDED, JSON.stringify([...parts]));
    } catch {
        // A page from a folder may not be allowed to keep anything.
    }
}

/** The chapters after a title, up to the next one. */
function chaptersOf(title) {
    const chapters = [];
    for (let next = title.nextElementSibling; next; next = next.nextElementSibling) {
        if (next.querySelector(".part-title, .spacer") || next.matches(".part-title, .spacer")) break;
        chapters.push(next);
    }
    return chapters;
}

/** Makes a button of a part's title. A part with the page that is read stays open. */
function foldable(title) {
    const item = title.closest(".chapter-item") ?? title;
    const chapters = chaptersOf(item);
    const name = title.textContent;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "part", textContent: name });
    const show = (open) => {
        button.setAttribute("aria-expanded", open);
        for (const chapter of chapters) chapter.hidden = !open;
    };
    button.addEventListener("click", () => {
        const parts = folded();
        if (!parts.delete(name)) parts.add(name);
        keep(parts);
        show(!parts.has(name));
    });
    title.replaceChildren(button);
    show(!folded().has(name) || chapters.some((chapter) => chapter.querySelector(".active")));
}

/** The pages without a number after the last part get a title like those of the parts. */
function nameAppendix(sidebar) {
    const spacer = [...sidebar.querySelectorAll("li.spacer")].at(-1);
    if (!spacer) return;
    spacer.className = "part-title";
    spacer.textContent = "Appendix";
}

/** The first stop of the Tab key leads past the list of chapters. */
function skipLink() {
    const link = Object.assign(document.createElement("a"), { className: "skip", href: "#mdbook-content", textContent: "To the text" });
    const content = document.querySelector("#mdbook-content");
    link.addEventListener("click", (event) => {
        event.preventDefault();
        content.tabIndex = -1;
        content.focus();
    });
    if (content) document.body.prepend(link);
}

/** The list of chapters comes into view by itself, and the Tab key would begin there: so it begins with the page. */
function beginAtTheTop() {
    if (document.activeElement !== document.body || location.hash) return;
    document.body.tabIndex = -1;
    document.body.focus({ preventScroll: true });
    document.body.removeAttribute("tabindex");
}

addEventListener("load", beginAtTheTop);

addEventListener("DOMContentLoaded", () => {
    skipLink();
    const sidebar = document.querySelector("#mdbook-sidebar .chapter, #sidebar .chapter");
    if (!sidebar) return;
    nameAppendix(sidebar);
    for (const title of sidebar.querySelectorAll("li.part-title")) foldable(title);
});
