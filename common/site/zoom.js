/* A click on a figure, or Enter, shows it in the whole window; another click, or Escape, closes it. */
function zoom(figure) {
    const dialog = document.createElement("dialog"), large = new Image();
    dialog.className = "zoom";
    large.src = figure.src;
    large.alt = figure.alt;
    dialog.append(large);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
for (const figure of document.querySelectorAll("article img")) {
    if (figure.closest("a"))
        continue;
    figure.tabIndex = 0;
    figure.classList.add("zooms");
    figure.addEventListener("click", () => zoom(figure));
    figure.addEventListener("keydown", (event) => { if (event.key === "Enter") zoom(figure); });
}
/* SPDX-License-Identifier: MIT */
