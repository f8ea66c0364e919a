/* Opened from a disk (file:), a page may start no worker, which the search runs in. This one runs in
 * an invisible frame instead. */
if (location.protocol === "file:") {
    window.IFrameWorker = class extends EventTarget {
        constructor(address) {
            super();
            this.onmessage = this.onerror = null;
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            document.body.append(this.frame);
            addEventListener("message", (event) => {
                if (event.source !== this.frame.contentWindow)
                    return;
                const message = new MessageEvent("message", {data: event.data});
                this.dispatchEvent(message);
                if (this.onmessage)
                    this.onmessage(message);
            });
            this.ready = new Promise((done) => {
                this.frame.addEventListener("load", done, {once: true});
            });
            const page = this.frame.contentDocument;
            page.open();
            page.write(`<!DOCTYPE html><script>
                postMessage = (data) => parent.postMessage(data, "*");
                importScripts = (...addresses) => addresses.reduce((before, address) => before.then(
                    () => new Promise((done, failed) => {
                        const script = document.createElement("script");
                        script.src = address;
                        script.onload = done;
                        script.onerror = failed;
                        document.body.append(script);
                    })), Promise.resolve());
                <\/script><body><script src="${address}"><\/script></body>`);
            page.close();
        }
        postMessage(data) {
            this.ready.then(() => {
                this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data}));
            });
        }
        terminate() {
            this.frame.remove();
        }
    };
    window.Worker = window.IFrameWorker;
}
/* SPDX-License-Identifier: MIT */
