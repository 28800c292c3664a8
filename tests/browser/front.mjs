// Looks at the first page, and at the list of chapters beside every page, as somebody who has never seen the book.

/** What must be seen without scrolling, on a screen of 1280 by 900: where one types, and the top of the picture. */
const ABOVE = { field: "form.first [name=text]", picture: ".first-picture .picture" };

/** What others show of a link to a page. */
const TAGS = ["og:title", "og:description", "og:image"];

async function firstPage(page, record, chapters) {
    const count = (what, wrong) => record("index.html", `first page: ${what}`, 1, wrong);
    for (const [what, place] of Object.entries(ABOVE)) {
        const box = await page.locator(place).boundingBox();
        count("above the fold", box && box.y + Math.min(box.height, 200) < 900 ? [] : [what]);
    }
    const lines = await page.locator(".contents li").evaluateAll((lines) => lines.map((line) => ({
        to: line.querySelector("a").getAttribute("href"), says: line.querySelector("span")?.textContent.trim() ?? "",
    })));
    const without = chapters.filter((chapter) => !lines.some(({ to, says }) => to === chapter && says.length > 10));
    record("index.html", "first page: a line for each chapter", chapters.length, without);
    count("one click to the hundred lines", await page.locator("main a[href='plain.html']").count() > 0 ? [] : ["no link"]);
    for (const tag of TAGS) {
        const content = await page.locator(`meta[property='${tag}']`).getAttribute("content").catch(() => null);
        count("preview tags", content ? [] : [tag]);
    }
}

/** Each part folds and unfolds its chapters, and what comes after the last is the appendix. */
async function sidebar(page, record) {
    const parts = await page.locator("#mdbook-sidebar button.part").all();
    const names = await Promise.all(parts.map((part) => part.textContent()));
    record("index.html", "parts that fold", 0, names.includes("Appendix") ? [] : ["no appendix"]);
    const shown = () => page.locator("#mdbook-sidebar .chapter-item:visible").count();
    for (const [index, part] of parts.entries()) {
        const before = await shown();
        await part.click();
        const folded = await shown();
        await part.click();
        const fine = folded < before && await shown() === before;
        record("index.html", "parts that fold", 1, fine ? [] : [`${names[index]}: ${before}, ${folded}, ${await shown()}`]);
    }
}

/** A numbered chapter says its number in its heading. */
async function headings(open, record, chapters) {
    for (const index of [0, chapters.length - 1]) {
        const page = await open(chapters[index]);
        const number = await page.locator("main h1 .number").first().textContent().catch(() => "none");
        record(chapters[index], "numbered headings", 1, number.trim() === `${index + 1}` ? [] : [`${number} for ${index + 1}`]);
        await page.close();
    }
}

/** `open` opens a page, `record` counts, `chapters` are the numbered ones in their order. */
export async function checkFront({ open, record, chapters }) {
    const page = await open("index.html");
    await firstPage(page, record, chapters);
    await sidebar(page, record);
    await page.close();
    await headings(open, record, chapters);
}
