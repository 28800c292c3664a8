// What is looked at within a page. Playwright sends these functions to the browser one by one, so each stands for itself.

/** Opens all folds: what is hidden cannot be looked at. */
export function openFolds() {
    for (const fold of document.querySelectorAll("main details")) fold.open = true;
}

/** Lets the observers of sizes do their work. */
export function afterLayout() {
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

/** Texts of pictures with a contrast below 4.5 to what is painted under their middle. */
export function faintTexts() {
    const rgb = (text) => text.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => {
        const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const wrong = [];
    let looked = 0;
    const paper = rgb(getComputedStyle(document.querySelector(".page-wrapper")).backgroundColor).slice(0, 3);
    for (const svg of document.querySelectorAll("main .picture svg")) {
        const parts = [...svg.querySelectorAll("path, rect, polygon, circle, text")];
        parts.forEach((text, index) => {
            if (text.tagName !== "text") return;
            if (!text.shapesBelow) {
                const box = text.getBBox();
                const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
                text.shapesBelow = parts.slice(0, index).filter(
                    (shape) => shape.tagName !== "text" && shape.getAttribute("fill") !== "none" && shape.isPointInFill(middle),
                );
            }
            const under = text.shapesBelow.reduce((ground, shape) => {
                const opacity = Number(shape.getAttribute("opacity") ?? 1);
                return rgb(getComputedStyle(shape).fill).slice(0, 3).map((c, i) => opacity * c + (1 - opacity) * ground[i]);
            }, paper);
            const ratio = contrast(rgb(getComputedStyle(text).fill).slice(0, 3), under);
            looked += 1;
            if (ratio < 4.5) wrong.push(`${ratio.toFixed(2)} for "${text.textContent.trim()}" in ${svg.querySelector("title").textContent}`);
        });
    }
    return { looked, wrong };
}

/** Colours of lines with a contrast below 3 to the page. */
export function faintHues() {
    const luminance = (colour) => {
        const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const probe = document.body.appendChild(document.createElement("i"));
    const shade = (colour) => {
        probe.style.color = colour;
        return luminance(getComputedStyle(probe).color.match(/[\d.]+/g).map(Number).slice(0, 3));
    };
    const hues = ["blue", "orange", "green", "purple", "yellow", "sky", "here", "rule"];
    const paper = shade("var(--bg)");
    const ratio = (hue) => {
        const [dark, light] = [shade(`var(--${hue})`), paper].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const wrong = hues.filter((hue) => ratio(hue) < 3).map((hue) => `${hue} ${ratio(hue).toFixed(2)}`);
    probe.remove();
    return { looked: hues.length, wrong };
}

/** What sticks out of the page. */
export function tooWide() {
    const sheet = document.querySelector("main");
    return sheet.scrollWidth > sheet.clientWidth + 1 ? [`${sheet.scrollWidth} in ${sheet.clientWidth}`] : [];
}

/** Pictures that a phone does not show whole. A tap enlarges them, but what they mean is seen without. */
export function cutPictures() {
    const boxes = [...document.querySelectorAll("main .picture")].filter((box) => box.clientWidth > 0);
    const cut = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1);
    return { looked: boxes.length, wrong: cut.map((box) => `${box.scrollWidth} in ${box.clientWidth}: ${box.querySelector("title").textContent}`) };
}

/** Captions that name a colour, which another theme shows otherwise. What is in italics is quoted. */
export function colourWords() {
    const captions = [...document.querySelectorAll("main figcaption")];
    const wrong = captions.flatMap((caption) => {
        const own = caption.cloneNode(true);
        for (const quoted of own.querySelectorAll("em, code, a")) quoted.remove();
        return own.textContent.match(/\b(blue|orange|green|purple|yellow|grey|black|white|dark|darker|red)\b/gi) ?? [];
    });
    return { looked: captions.length, wrong };
}

/** Maps with many strengths of a colour, and neither numbers in their cells nor a scale. */
export function mapsWithoutScale() {
    const strengths = (svg) => new Set([...svg.querySelectorAll("path[opacity]")].map((path) => `${path.getAttribute("fill")} ${path.getAttribute("opacity")}`));
    const maps = [...document.querySelectorAll("main .picture svg")].filter((svg) => strengths(svg).size > 14);
    const numbers = (svg) => [...svg.querySelectorAll("text")].filter((text) => /^[−-]?[\d.,]+$/.test(text.textContent.trim()));
    return { looked: maps.length, wrong: maps.filter((svg) => numbers(svg).length < 2).map((svg) => svg.querySelector("title").textContent) };
}

/** Colours in pictures that are not of the theme. */
export function ownColours() {
    const parts = [...document.querySelectorAll("main .picture svg [fill], main .picture svg [stroke]")];
    const colours = parts.flatMap((part) => [part.getAttribute("fill"), part.getAttribute("stroke")]).filter(Boolean);
    const wrong = colours.filter((colour) => !/^(none|currentColor|var\(--(ink|rule|blue|orange|green|purple|yellow|sky|here)\b.*\))$/.test(colour));
    return { looked: colours.length, wrong: [...new Set(wrong)] };
}

/** The pages that links in pictures lead to. */
export function linksOfPictures(place) {
    return [...document.querySelectorAll(`main ${place} a`)].map((link) => link.getAttribute("href"));
}

/** Pictures whose letters have less than 8.8 pixels. */
export function smallPictures() {
    const pictures = [...document.querySelectorAll("main svg[role=img]")].filter((svg) => svg.getBoundingClientRect().width > 0);
    const size = (svg) => (svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) * parseFloat(svg.getAttribute("font-size"));
    const small = pictures.filter((svg) => size(svg) < 8.75);
    return { looked: pictures.length, wrong: small.map((svg) => `${size(svg).toFixed(1)} in ${svg.querySelector("title").textContent}`) };
}
