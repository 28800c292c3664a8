// Lays the frames of each flip-book on one another, under a slider that turns them and a button that plays them. It begins with the
// frame that tells most, where the page names one.
"use strict";

for (const book of document.querySelectorAll(".flipbook")) {
    const frames = [...book.querySelectorAll(".frame")];
    const figure = book.querySelector("figcaption b").textContent.replace(/\.$/, "");
    const slider = Object.assign(document.createElement("input"), {
        type: "range", min: 1, max: frames.length, value: book.dataset.first ?? 1, ariaLabel: `Frame of ${figure}`,
    });
    const place = document.createElement("output");
    const row = document.createElement("div");
    row.className = "turner";
    const player = Object.assign(document.createElement("button"), { type: "button", className: "player" });
    row.append(player, slider, place);
    let playing = null;

    function turn() {
        frames.forEach((frame, index) => { frame.hidden = index + 1 !== Number(slider.value); });
        const title = frames[slider.value - 1].querySelector("title").textContent;
        slider.setAttribute("aria-valuetext", title);
        place.textContent = `${slider.value} of ${frames.length}: ${title}`;
    }

    function stop() {
        clearInterval(playing);
        playing = null;
        player.textContent = "▶";
        player.ariaLabel = `Play ${figure}`;
    }

    /** Turns to the next frame every second, from the first one on if the last is open, and stops at the last. */
    function play() {
        if (Number(slider.value) === frames.length) slider.value = 1;
        turn();
        player.textContent = "❚❚";
        player.ariaLabel = `Stop ${figure}`;
        playing = setInterval(() => {
            slider.value = Number(slider.value) + 1;
            turn();
            if (Number(slider.value) === frames.length) stop();
        }, 1000);
    }

    player.addEventListener("click", () => (playing === null ? play() : stop()));

    slider.addEventListener("input", () => {
        stop();
        turn();
    });
    // The arrow keys turn this book's frames, not the pages of the book around it.
    slider.addEventListener("keydown", (event) => event.stopPropagation());
    book.classList.add("turning");
    book.querySelector(".frames").after(row);
    stop();
    turn();
}
