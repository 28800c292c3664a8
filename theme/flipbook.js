// Lays the frames of each flip-book on one another, under a slider that turns them.
"use strict";

for (const book of document.querySelectorAll(".flipbook")) {
    const frames = [...book.querySelectorAll(".frame")];
    const figure = book.querySelector("figcaption b").textContent.replace(/\.$/, "");
    const slider = Object.assign(document.createElement("input"), {
        type: "range", min: 1, max: frames.length, value: 1, ariaLabel: `Frame of ${figure}`,
    });
    const place = document.createElement("output");
    const row = document.createElement("div");
    row.className = "turner";
    row.append(slider, place);

    function turn() {
        frames.forEach((frame, index) => { frame.hidden = index + 1 !== Number(slider.value); });
        const title = frames[slider.value - 1].querySelector("title").textContent;
        slider.setAttribute("aria-valuetext", title);
        place.textContent = `${slider.value} of ${frames.length}`;
    }

    slider.addEventListener("input", turn);
    // The arrow keys turn this book's frames, not the pages of the book around it.
    slider.addEventListener("keydown", (event) => event.stopPropagation());
    book.classList.add("turning");
    book.querySelector(".frames").after(row);
    turn();
}
