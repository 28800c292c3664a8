// Finds the browser that the system has.

import { existsSync } from "node:fs";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

/** The system's browser. */
export function executable() {
    const folders = (process.env.PATH ?? "").split(":");
    const candidates = BROWSERS.flatMap((name) => folders.map((folder) => `${folder}/${name}`));
    const found = candidates.find((candidate) => existsSync(candidate));
    if (!found) throw new Error(`none of ${BROWSERS.join(", ")} is installed`);
    return found;
}
