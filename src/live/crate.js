// The book's own crate, compiled to WebAssembly, in a worker: a page asks, and never waits for the answer.
//
// A request goes into the module as JSON, and all numbers come out of it as JSON. The first page, "Try it" and "Watch it learn" use this.
"use strict";

/** What `live/module.js` and `live/model.js` fill in when they are loaded. */
const live = {};

/** An element with these attributes and children. A string among the children becomes text, never HTML. */
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
}

/** The same for a part of a picture. */
function shape(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
}

function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value);
    }
}

/** A text as people write it: an entity becomes its character, and a letter and its accent become one. */
function plainText(text) {
    const parsed = () => new DOMParser().parseFromString(text.replaceAll("<", "&lt;"), "text/html").body.textContent;
    return (text.includes("&") ? parsed() : text).toWellFormed().normalize("NFC");
}

/** Loads a script of the book. A page from a folder may not read other files, but it may run scripts: so these have the bytes. */
function load(name) {
    return new Promise((done, failed) => {
        const missing = () => failed(new Error(`The file live/${name}.js is missing.`));
        document.head.append(make("script", { src: `live/${name}.js`, onload: done, onerror: missing }));
    });
}

/** The bytes of a text in base64. A loop, because `Uint8Array.from` takes a second for a model. */
function decode(base64) {
    const characters = atob(base64);
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
    return bytes;
}

/** All that the worker does. Its text becomes a script, since a page from a folder may not start one from a file. */
function work() {
    /** The module: what it exports, and JSON in and out through its memory. */
    class Module {
        constructor(exports) {
            this.exports = exports;
        }

        /** Gives the module these bytes, for its next call. If they are too many, its reply will say so. */
        write(bytes) {
            const at = this.exports.room(bytes.length);
            if (at !== 0) new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
        }

        /** The module's reply, still as JSON: a text reaches the page sooner than what it says. The memory may have grown and moved, so it is
         *  asked for anew each time. */
        read(length) {
            return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, this.exports.reply(), length));
        }

        /** Gives the module the files of the model. */
        start(files) {
            const all = new Uint8Array(files.reduce((sum, file) => sum + file.length, 0));
            let at = 0;
            for (const file of files) {
                all.set(file, at);
                at += file.length;
            }
            this.write(all);
            return this.read(this.exports.start(...files.map((file) => file.length)));
        }

        /** Its reply to a request: `answer` is for the model that it was given, `learn` for one that learns. */
        ask(request, call) {
            const bytes = new TextEncoder().encode(JSON.stringify(request));
            this.write(bytes);
            return this.read(this.exports[call](bytes.length));
        }
    }

    let module;
    onmessage = async ({ data: { id, bytes, files, request, call } }) => {
        try {
            if (bytes) module = new Module((await WebAssembly.instantiate(bytes, {})).instance.exports);
            postMessage({ id, reply: files ? module.start(files) : bytes ? "{}" : module.ask(request, call) });
        } catch (error) {
            postMessage({ id, reply: JSON.stringify({ error: `${error.message}.` }) });
        }
    };
}

/** The crate with its model. */
class Crate {
    constructor() {
        const script = new Blob([`"use strict";(${work})();`], { type: "text/javascript" });
        this.worker = new Worker(URL.createObjectURL(script));
        this.worker.onmessage = ({ data: { id, reply } }) => {
            this.waiting.get(id)(JSON.parse(reply));
            this.waiting.delete(id);
        };
        this.waiting = new Map();
        this.asked = 0;
    }

    /** Asks the worker, and promises its reply. */
    send(message, moved = []) {
        this.asked += 1;
        const id = this.asked;
        return new Promise((done) => {
            this.waiting.set(id, done);
            this.worker.postMessage({ id, ...message }, moved);
        });
    }

    /** The reply to a request: an answer or an error. */
    ask(request, call = "answer") {
        return this.send({ request, call });
    }

    /** The crate without a model. */
    static async empty() {
        await load("module");
        const crate = new Crate();
        const bytes = decode(live.module);
        const { error } = await crate.send({ bytes }, [bytes.buffer]);
        if (error) throw new Error(error);
        return crate;
    }

    /** Loads the module and the model. Returns the crate, ready to be asked, and what the model is. */
    static async start() {
        await Promise.all([load("module"), load("model")]);
        const crate = new Crate();
        const bytes = decode(live.module);
        const files = ["config.toml", "merges.txt", "model.safetensors"].map((file) => decode(live.model[file]));
        const { ready, error } = await crate.send({ bytes, files }, [bytes.buffer]);
        if (error) throw new Error(error);
        return { crate, ready };
    }
}
