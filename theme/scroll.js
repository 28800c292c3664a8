// What is wider than the page scrolls within it. Then it can be reached with the Tab key, says what it is, has a shadow where it
// goes on, and keeps the arrow keys, which would otherwise turn the page of the book.
"use strict";

const KINDS = { ".picture": "Picture", ".frames": "Pictures", ".formula": "Formula", ".table-wrapper": "Table", "pre > code": "Code" };

function look(box) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("scrolls", scrolls);
    for (const [name, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": box.dataset.kind })) {
        if (scrolls) box.setAttribute(name, value);
        else box.removeAttribute(name);
    }
}

const watcher = new ResizeObserver((entries) => entries.forEach((entry) => look(entry.target)));

/** Looks after a box from now on. What a page draws later can ask for it, too. */
function watch(box, name) {
    box.dataset.kind = name;
    box.addEventListener("keydown", (event) => {
        if (box.classList.contains("scrolls") && event.key.startsWith("Arrow")) event.stopPropagation();
    });
    watcher.observe(box);
}

for (const [kind, name] of Object.entries(KINDS)) {
    for (const box of document.querySelectorAll(`main ${kind}`)) watch(box, name);
}
