/* The timeline: a row for each warp, a column for each step; above it, all of the block at once. */

class Timeline {
  constructor(pane, canvas) {
    this.pane = pane;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.dragging = null;
    this.rows = pane.block.time.rows;
    canvas.addEventListener("pointerdown", event => {
      this.dragging = event.offsetY < this.overview + 2 ? "overview" : "rows";
      canvas.setPointerCapture(event.pointerId);
      this.point(event);
    });
    canvas.addEventListener("pointermove", event => { if (this.dragging) this.point(event); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { this.dragging = null; });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /* Sizes, for what the pane shows now. */
  measure() {
    const warps = this.pane.block.time.warps, width = this.canvas.clientWidth || 600, columns = this.pane.app.columns;
    const zoom = this.zoom = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    this.overview = 12;
    this.left = Math.round((this.rows.length > 0 ? 92 : 60) * zoom);
    this.rowHeight = Math.round((warps > 16 ? 10 : warps > 8 || width < 480 ? 14 : 20) * zoom);
    this.meanwhileHeight = Math.round(15 * zoom);
    this.rowsEnd = this.overview + 4 + warps * this.rowHeight;
    this.height = this.rowsEnd + (this.rows.length ? 4 : 0) + this.rows.length * this.meanwhileHeight + 2;
    this.cell = Math.max(12, Math.min(26, (width - this.left) / columns.count / zoom)) * zoom;
    this.visible = Math.max(1, Math.floor((width - this.left) / this.cell));
    this.scale = Math.min(this.cell, (width - this.left) / columns.count); /* of the overview */
    this.width = width;
    const furthest = Math.max(0, columns.count - this.visible);
    const wanted = this.dragging === "rows" && this.from !== undefined ? this.from : this.pane.app.column - Math.floor(this.visible / 2);
    this.from = Math.max(0, Math.min(furthest, wanted));
  }

  point(event) {
    const app = this.pane.app;
    const overview = this.dragging === "overview";
    const column = overview ? (event.offsetX - this.left) / this.scale : (event.offsetX - this.left) / this.cell + this.from;
    const row = Math.floor((event.offsetY - this.overview - 4) / this.rowHeight);
    if (!overview && row >= 0 && row < this.pane.block.time.warps) app.warp = row;
    app.go(Math.floor(column));
  }

  colour(name) {
    return this.colours[name] || (this.colours[name] = colourOf(name));
  }

  draw() {
    const {pane, context} = this, {block, app} = pane, ratio = window.devicePixelRatio || 1;
    this.colours = {};
    this.measure();
    const width = Math.round(this.width * ratio), height = Math.round(this.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.style.height = this.height + "px";
      this.canvas.width = width;
      this.canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawOverview();
    context.save();
    context.beginPath();
    context.rect(0, this.overview + 4, this.width, this.height);
    context.clip();
    for (let warp = 0; warp < block.time.warps; warp++) this.drawRow(warp);
    this.rows.forEach((row, i) => drawMeanwhile(this, row, this.rowsEnd + 4 + i * this.meanwhileHeight));
    this.drawCursor();
    context.restore();
    this.describe();
  }

  /* All steps of the warp, as an image that is kept until another warp, size or colour comes. */
  drawOverview() {
    const {context} = this, {app} = this.pane, columns = app.columns, scale = this.scale, ratio = window.devicePixelRatio || 1;
    const key = [app.warp, this.width, ratio, this.colour("--page")].join();
    if (this.overviewKey !== key || this.overviewColumns !== columns) {
      this.overviewKey = key;
      this.overviewColumns = columns;
      this.overviewImage = document.createElement("canvas");
      this.overviewImage.width = Math.round(this.width * ratio);
      this.overviewImage.height = Math.round(this.overview * ratio);
      const image = this.overviewImage.getContext("2d");
      image.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.fillOverview(image);
    }
    context.drawImage(this.overviewImage, 0, 0, this.overviewImage.width / ratio, this.overview);
    context.strokeStyle = this.colour("--text");
    context.lineWidth = 2;
    context.strokeRect(this.left + this.from * scale + 1, 1, Math.max(3, Math.min(columns.count, this.visible) * scale - 2), this.overview - 2);
  }

  fillOverview(context) {
    const {block, app} = this.pane, columns = app.columns, scale = this.scale;
    context.fillStyle = this.colour("--off");
    context.fillRect(this.left, 0, columns.count * scale, this.overview);
    const step = Math.max(1, Math.floor(1 / scale));
    for (let column = 0; column < columns.count; column += step) {
      const what = stepAt(block, columns, app.warp, column);
      if (what === "waits" || what === "sleeps" || what === "done") continue;
      context.fillStyle = this.colour(lookOf(block, what).colour);
      context.fillRect(this.left + column * scale, 0, Math.max(1, scale * step), this.overview);
    }
  }

  drawRow(warp) {
    const {context, cell, left, rowHeight} = this, {block, app} = this.pane, columns = app.columns;
    const top = this.overview + 4 + warp * rowHeight, isNow = warp === app.warp;
    context.font = `${isNow ? "bold " : ""}${Math.min(12 * this.zoom, rowHeight - 1)}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillStyle = this.colour(isNow ? "--text" : "--dim");
    context.fillText(`${isNow ? "▸" : " "}${rowHeight < 12 * this.zoom ? "" : "warp "}${warp}`, 1, top + rowHeight / 2);
    if (block.full && block.time.phases.every(phase => phase[warp].length === 0)) context.fillText("left out", left + 4, top + rowHeight / 2);
    for (let column = this.from; column < Math.min(columns.count, this.from + this.visible + 1); column++) {
      const what = stepAt(block, columns, warp, column), x = left + (column - this.from) * cell;
      if (what === "done") continue;
      if (what === "waits" || what === "sleeps") {
        context.fillStyle = this.colour("--line");
        context.fillRect(x, top + rowHeight / 2, cell, 1);
        continue;
      }
      const look = lookOf(block, what);
      context.fillStyle = this.colour(look.colour);
      if (what === "barrier") {
        context.fillRect(x + cell / 2 - 2, top, 4, rowHeight);
        continue;
      }
      /* Where a lane is off, the block is lower; a costly step has a bar on top, the higher, the costlier. */
      const share = what[0] === STOP ? 1 : Math.max(.25, countLanes(lanesOf(what)) / WARP), height = (rowHeight - 3) * share;
      context.fillRect(x + 1, top + rowHeight - 1 - height, cell - 2, height);
      if (rowHeight >= 14 * this.zoom && cell >= 11 && height > 9 * this.zoom) {
        context.fillStyle = inkOn(this.colour(look.colour));
        context.textAlign = "center";
        context.font = `${Math.min(11 * this.zoom, cell - 2)}px system-ui, sans-serif`;
        context.fillText(look.letter, x + cell / 2, top + rowHeight - 1 - height / 2);
      }
      if (!app.isHidden() && costOf(block, what) > 1) {
        context.fillStyle = this.colour("--text");
        context.fillRect(x + 1, top, (cell - 2) * Math.min(1, Math.log2(costOf(block, what)) / 5 + .2), 3);
      }
    }
  }

  drawCursor() {
    const {context, cell, left} = this, {app} = this.pane, x = left + (app.column - this.from) * cell;
    context.strokeStyle = this.colour("--text");
    context.lineWidth = 1;
    context.strokeRect(x + .5, this.overview + 4.5, cell - 1, this.height - this.overview - 6);
    context.lineWidth = 3;
    context.strokeRect(x, this.overview + 4 + app.warp * this.rowHeight, cell, this.rowHeight);
  }

  describe() {
    const {app, block} = this.pane, canvas = this.canvas;
    canvas.setAttribute("aria-valuemin", 1);
    canvas.setAttribute("aria-valuemax", app.columns.count);
    canvas.setAttribute("aria-valuenow", app.column + 1);
    canvas.setAttribute("aria-valuetext", `Step ${app.column + 1} of ${app.columns.count}, warp ${Math.min(app.warp, block.time.warps - 1)}`);
  }
}

/* What the colours are, for those kinds that the block has. */
function legendOf(block) {
  const looks = new Map();
  for (const step of block.steps) {
    if (isElsewhere(step)) continue;
    const look = step[0] === BARRIER ? LOOKS.barrier : lookOf(block, step);
    looks.set(look, (looks.get(look) || 0) + 1);
  }
  return [...looks].map(([look, count]) => `<span><i style="background: var(${look.colour})"></i>${look.letter ? `<b>${escapeText(look.letter)}</b> ` : ""}${look.name} (${number(count)})</span>`).join("");
}
