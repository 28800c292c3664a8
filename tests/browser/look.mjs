// What is looked at within a page. Playwright sends these functions to the browser one by one, so each stands for itself.

/** Opens all folds: what is hidden cannot be looked at. */
export function openFolds() {
    for (const fold of document.querySelectorAll("main details")) fold.open = true;
}

/** Closes all folds, as a page begins. */
export function closeFolds() {
    for (const fold of document.querySelectorAll("main details")) fold.open = false;
}

/**
 * Hides each listing that has only words like those of listings before it: in elements of the same classes, within boxes and folds of the
 * same classes, so that no theme can give them another colour or another ground.
 */
export function hideListingsLikeOthers() {
    const way = (element) => (element.tagName === "MAIN" ? "" : `${way(element.parentElement)} > ${element.tagName}.${element.className}`);
    const met = new Set();
    for (const listing of document.querySelectorAll("main pre")) {
        const words = [listing, ...listing.querySelectorAll("code, code *")].map(way);
        listing.hidden = words.every((word) => met.has(word));
        words.forEach((word) => met.add(word));
    }
}

/** Shows all listings again. */
export function showListings() {
    for (const listing of document.querySelectorAll("main pre")) listing.hidden = false;
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

/** Controls that are too low for a finger: less than 32 pixels, of a radio button with its words. */
export function lowControls() {
    const places = "main form :is(button, select, input:not([type=radio])), main form label:has([type=radio]), main .turner :is(button, input)";
    const controls = [...document.querySelectorAll(places)];
    const shown = controls.filter((control) => control.getClientRects().length > 0);
    const low = shown.filter((control) => control.getBoundingClientRect().height < 31.9);
    return { looked: shown.length, wrong: low.map((control) => `${control.getBoundingClientRect().height} of ${control.name ?? control.textContent.trim()}`) };
}

/** Frames of a row that are not in the map whose row they mark. */
export function framesOutside() {
    const frames = [...document.querySelectorAll(".row-of-step")].filter((frame) => frame.getClientRects().length > 0);
    const outside = (frame) => {
        const [own, map] = [frame, frame.parentElement].map((box) => box.getBoundingClientRect());
        return own.height < 5 || own.top < map.top - 1 || own.bottom > map.bottom + 1;
    };
    return { looked: frames.length, wrong: frames.filter(outside).map((frame) => `at ${frame.style.top}`) };
}

/** What can be scrolled sideways and does not show it at its edge. */
export function scrollsUnseen() {
    const boxes = [...document.querySelectorAll("main .scrolls")].filter((box) => box.getClientRects().length > 0);
    const wrong = boxes.filter((box) => !getComputedStyle(box).backgroundImage.includes("gradient"));
    return { looked: boxes.length, wrong: wrong.map((box) => `${box.dataset.kind} ${box.className}`) };
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

/** The dictionary of colours, as the page on notation draws it: the hue of each role. */
export function dictionary() {
    const hues = {};
    let hue = null;
    for (const part of document.querySelectorAll("main .picture svg > :is(polygon, text)")) {
        if (part.tagName === "polygon") hue = part.getAttribute("fill");
        else hues[part.textContent.trim()] = hue;
    }
    return hues;
}

/** Parts of pictures whose name has a role, and another colour than its role's: names of lines, blocks of queries, keys and values,
 *  and the cells of maps that say that they are of attention. */
export function otherHues(hues) {
    const LINES = {
        training: "What is measured on the training data.", validation: "What is measured on the validation data.",
        "gradient descent": "Plain gradient descent.", SGD: "Plain gradient descent.", momentum: "Descent with momentum.", Adam: "Adam.",
    };
    const BLOCKS = { Q: "Queries.", K: "Keys.", V: "Values." };
    const wrong = [];
    let looked = 0;
    for (const svg of document.querySelectorAll("main .picture svg")) {
        const say = (name, found, expected) => {
            looked += 1;
            if (found !== expected) wrong.push(`${name} is ${found}, not ${expected}, in ${svg.querySelector("title").textContent}`);
        };
        for (const text of svg.querySelectorAll("text")) {
            const name = text.textContent.trim();
            const line = text.previousElementSibling;
            const isMark = line?.tagName === "polyline" && line.points.numberOfItems === 2 && line.points[0].y === line.points[1].y;
            if (name in LINES && isMark) say(name, line.getAttribute("stroke"), hues[LINES[name]]);
            const role = hues[BLOCKS[name.match(/^([QKV])\d$/)?.[1]]];
            const block = line?.tagName === "polyline" ? line.previousElementSibling : null;
            if (role && block?.tagName === "polygon") say(name, block.getAttribute("fill"), role);
        }
        const isAttention = [...svg.querySelectorAll("text")].some((text) => /\bkeys\b.*→$/.test(text.textContent.trim()));
        const cells = isAttention ? [...svg.querySelectorAll("path[fill]:not([fill=none])")] : [];
        const others = cells.map((cell) => cell.getAttribute("fill")).filter((fill) => fill !== hues["Attention weights."]);
        if (isAttention) say("a map of attention", others[0] ?? hues["Attention weights."], hues["Attention weights."]);
    }
    return { looked, wrong };
}

/** Texts of pictures that lie on one another, or that a line runs through. A single sign may mark a place on a line. */
export function collisions() {
    const wrong = [];
    let looked = 0;
    const frames = [...document.querySelectorAll("main .frame[hidden]")];
    for (const frame of frames) frame.hidden = false;
    for (const svg of document.querySelectorAll("main .picture svg")) {
        const within = (part) => svg.getScreenCTM().inverse().multiply(part.getScreenCTM());
        // The letters themselves have no room above and below.
        const letters = (text) => {
            const { x, y, width, height } = text.getBBox();
            const corners = [[x, y + 0.22 * height], [x + width, y + 0.85 * height]];
            const [one, other] = corners.map(([x, y]) => new DOMPoint(x, y).matrixTransform(within(text)));
            const [left, right] = [one.x, other.x].sort((a, b) => a - b);
            const [top, bottom] = [one.y, other.y].sort((a, b) => a - b);
            return { left, right, top, bottom, text: text.textContent.trim() };
        };
        const boxes = [...svg.querySelectorAll("text")].map(letters).filter(({ text, left, right }) => text.length > 1 && right > left);
        const say = (fault) => wrong.push(`${fault} in ${svg.querySelector("title").textContent}`);
        boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => {
            const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
            if (across > 1 && down > 1) say(`"${one.text}" and "${other.text}"`);
        }));
        for (const line of svg.querySelectorAll("[stroke]:not([stroke=none])")) {
            const [length, matrix] = [line.getTotalLength(), within(line)];
            // An error bar can have no length: it is a point, and looked at once.
            const steps = Math.max(1, Math.ceil(length / 1.5));
            const met = new Set();
            for (let step = 0; step <= steps; step += 1) {
                const { x, y } = line.getPointAtLength((length * step) / steps).matrixTransform(matrix);
                const isIn = ({ left, right, top, bottom }) => left - 1 < x && x < right + 1 && top < y && y < bottom;
                for (const box of boxes) if (isIn(box)) met.add(box.text);
            }
            for (const text of met) say(`a line through "${text}"`);
        }
        looked += boxes.length;
    }
    for (const frame of frames) frame.hidden = true;
    return { looked, wrong };
}

/** Code of more than a screen without a sentence between, outside of folds. */
export function longCode(screen) {
    const wrong = [];
    let [looked, run] = [0, []];
    const end = () => {
        if (run.length === 0) return;
        const height = run.at(-1).getBoundingClientRect().bottom - run[0].getBoundingClientRect().top;
        if (height > screen) wrong.push(`${Math.round(height)} pixels from "${run[0].textContent.trim().slice(0, 40).replaceAll("\n", " ")}"`);
        looked += 1;
        run = [];
    };
    const walk = (parent) => {
        for (const part of parent.children) {
            const isCode = part.matches("pre") || (!part.matches("details") && part.querySelector(":scope > pre"));
            if (isCode && part.getClientRects().length > 0) run.push(part);
            else if (part.matches("div, section") && part.querySelector("pre")) walk(part);
            else if (part.getClientRects().length > 0) end();
        }
    };
    walk(document.querySelector("main"));
    end();
    return { looked, wrong };
}

/** Captions that name a colour, which another theme shows otherwise. What is in italics is quoted. */
export function colourWords() {
    const captions = [...document.querySelectorAll("main figcaption")];
    const wrong = captions.flatMap((caption) => {
        const own = caption.cloneNode(true);
        for (const quoted of own.querySelectorAll("em, code, a")) quoted.remove();
        return own.textContent.match(/\b(blue|orange|green|purple|yellow|ochre|pink|red|gr[ea]y|black|white|bright|pale|(?:dark|light)(?:er|est)?)\b/gi) ?? [];
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

/** Boxes: each kind has a look of its own, and all are written in the ink of the page. */
export function boxes() {
    const shown = [...document.querySelectorAll("main .box")].filter((box) => box.getClientRects().length > 0);
    const ink = getComputedStyle(document.querySelector("main p")).color;
    const looks = new Map();
    const wrong = [];
    for (const box of shown) {
        const { borderInlineStartColor, borderTopWidth } = getComputedStyle(box.querySelector("blockquote"));
        const [look, kind] = [`${borderInlineStartColor} ${borderTopWidth}`, box.className];
        if (getComputedStyle(box.querySelector("p")).color !== ink) wrong.push(`${kind} is not in full ink`);
        if (looks.has(look) && looks.get(look) !== kind) wrong.push(`${kind} looks like ${looks.get(look)}`);
        looks.set(look, kind);
    }
    return { looked: shown.length, wrong };
}

/** Pictures whose letters have less than 8.8 pixels. */
export function smallPictures() {
    const pictures = [...document.querySelectorAll("main svg[role=img]")].filter((svg) => svg.getBoundingClientRect().width > 0);
    const size = (svg) => (svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) * parseFloat(svg.getAttribute("font-size"));
    const small = pictures.filter((svg) => size(svg) < 8.75);
    return { looked: pictures.length, wrong: small.map((svg) => `${size(svg).toFixed(1)} in ${svg.querySelector("title").textContent}`) };
}
