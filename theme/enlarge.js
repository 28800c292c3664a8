// A picture that is wider than the page can be looked at by itself, as large as it is: a tap opens it, and a tap or Escape closes it.
"use strict";

function enlarge(picture) {
    const dialog = Object.assign(document.createElement("dialog"), { className: "enlarged", ariaLabel: "The picture, enlarged" });
    const copy = picture.cloneNode(true);
    copy.removeAttribute("tabindex");
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
    const whole = Object.assign(document.createElement("div"), { className: "whole" });
    whole.append(copy);
    watch(whole, "The picture, enlarged");
    dialog.append(close, whole);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    // The arrow keys scroll the picture, and do not turn the page of the book.
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    document.body.append(dialog);
    dialog.showModal();
}

for (const picture of document.querySelectorAll("main .picture")) {
    picture.addEventListener("click", (event) => {
        const narrower = picture.clientWidth < picture.querySelector("svg").viewBox.baseVal.width;
        if (narrower && !event.target.closest("a, button, input, [role=button], .key")) enlarge(picture);
    });
}
