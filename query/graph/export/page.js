"use strict";

function folded(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// Places of the nodes whose name or alias holds all words asked for; names that begin so come first.
function matching(nodes, asked, most) {
  const words = folded(asked).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  nodes.forEach((node, place) => {
    const name = folded(node.name);
    const all = folded([node.name, ...node.also].join("\n"));
    if (words.every((word) => all.includes(word))) {
      found.push([name.startsWith(words[0]) ? 0 : 1, -node.strength, place]);
    }
  });
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return found.slice(0, most).map((one) => one[2]);
}

// Which labels can stand without covering another: boxes are tried in the order given.
function apart(boxes, cell = 6) {
  const taken = new Set();
  return boxes.filter(([x, y, width, height]) => {
    const cells = [];
    for (let i = Math.floor(x / cell); i <= (x + width) / cell; i++) {
      for (let j = Math.floor(y / cell); j <= (y + height) / cell; j++) {
        const key = i * 65536 + j;
        if (taken.has(key)) return false;
        cells.push(key);
      }
    }
    cells.forEach((key) => taken.add(key));
    return true;
  });
}

function bounds(nodes) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of nodes) {
    box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y);
  }
  return nodes.length ? box : [-1, -1, 1, 1];
}

function colour(group, named, dark) {
  if (!named) return dark ? "#8b919c" : "#8a8f99";
  return `hsl(${(group * 137.5 + 205) % 360} ${dark ? 55 : 60}% ${dark ? 62 : 45}%)`;
}

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (name) made.className = name;
  return made;
}

class Picture {
  constructor(data, canvas) {
    this.data = data;
    this.nodes = data.nodes;
    this.edges = data.edges;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.scale = 1; this.x = 0; this.y = 0;
    this.selected = -1; this.under = -1;
    const most = Math.max(1, ...this.nodes.map((node) => node.strength));
    this.nodes.forEach((node) => { node.size = 0.16 + 0.42 * Math.sqrt(node.strength / most); });
    this.order = this.nodes.map((_, place) => place);
    this.order.sort((a, b) => this.nodes[b].strength - this.nodes[a].strength || a - b);
    this.beside = this.nodes.map(() => []);
    this.edges.forEach(([from, to], place) => {
      this.beside[from].push(place);
      if (to !== from) this.beside[to].push(place);
    });
    this.waiting = false;
  }

  fit() {
    const [left, top, right, bottom] = bounds(this.nodes);
    const wide = this.canvas.clientWidth, high = this.canvas.clientHeight;
    this.scale = Math.min(wide / (right - left + 4), high / (bottom - top + 4), 90);
    this.x = wide / 2 - this.scale * (left + right) / 2;
    this.y = high / 2 - this.scale * (top + bottom) / 2;
    this.redraw();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(Math.max(this.scale * factor, 0.5), 400);
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.redraw();
  }

  move(dx, dy) { this.x += dx; this.y += dy; this.redraw(); }

  show(place) {
    this.scale = Math.max(this.scale, 45);
    this.x = this.canvas.clientWidth / 2 - this.scale * this.nodes[place].x;
    this.y = this.canvas.clientHeight / 2 - this.scale * this.nodes[place].y;
    this.redraw();
  }

  at(x, y) {
    let best = -1, least = Infinity;
    this.nodes.forEach((node, place) => {
      const away = Math.hypot(this.x + this.scale * node.x - x, this.y + this.scale * node.y - y);
      const reach = Math.max(this.radius(node) + 4, 8);
      if (away < reach && away / reach < least) { best = place; least = away / reach; }
    });
    return best;
  }

  radius(node) { return Math.min(Math.max(node.size * this.scale, 1.5), 26); }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const { canvas, context } = this, sharp = window.devicePixelRatio || 1;
    const wide = canvas.clientWidth, high = canvas.clientHeight;
    if (canvas.width !== Math.round(wide * sharp) || canvas.height !== Math.round(high * sharp)) {
      canvas.width = Math.round(wide * sharp); canvas.height = Math.round(high * sharp);
    }
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, wide, high);
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const style = getComputedStyle(document.documentElement);
    this.inks = { text: style.getPropertyValue("--text"), back: style.getPropertyValue("--back"), line: style.getPropertyValue("--line") };
    this.near = new Set();
    const focus = this.selected >= 0 ? this.selected : this.under;
    if (focus >= 0) {
      this.near.add(focus);
      this.beside[focus].forEach((edge) => this.edges[edge].slice(0, 2).forEach((n) => this.near.add(n)));
    }
    this.lines(focus);
    this.dots(focus);
    this.labels(focus, wide, high);
  }

  lines(focus) {
    const { context } = this;
    const path = (places) => {
      context.beginPath();
      for (const place of places) {
        const [from, to] = this.edges[place];
        context.moveTo(this.x + this.scale * this.nodes[from].x, this.y + this.scale * this.nodes[from].y);
        context.lineTo(this.x + this.scale * this.nodes[to].x, this.y + this.scale * this.nodes[to].y);
      }
      context.stroke();
    };
    context.strokeStyle = this.inks.line;
    context.lineWidth = 0.7;
    context.globalAlpha = (focus >= 0 ? 0.08 : 0.28) * Math.min(1, 0.35 + this.scale / 40);
    path(this.edges.keys());
    if (focus >= 0) {
      context.globalAlpha = 0.85; context.lineWidth = 1.4;
      path(this.beside[focus]);
    }
    context.globalAlpha = 1;
  }

  dots(focus) {
    const { context } = this;
    for (const place of [...this.order].reverse()) {
      const node = this.nodes[place];
      context.globalAlpha = focus < 0 || this.near.has(place) ? 1 : 0.18;
      context.fillStyle = colour(node.group, this.data.groups[node.group], this.dark);
      context.beginPath();
      context.arc(this.x + this.scale * node.x, this.y + this.scale * node.y, this.radius(node), 0, 7);
      context.fill();
      if (place === this.selected) { context.lineWidth = 2.5; context.strokeStyle = this.inks.text; context.stroke(); }
    }
    context.globalAlpha = 1;
  }

  labels(focus, wide, high) {
    const { context } = this;
    const boxes = [];
    const first = this.order.filter((place) => this.near.has(place));
    const rest = focus >= 0 ? [] : this.order;
    for (const place of [focus, ...first, ...rest]) {
      const node = this.nodes[place];
      if (!node || boxes.length > 900) continue;
      const x = this.x + this.scale * node.x, y = this.y + this.scale * node.y;
      if (x < -100 || y < -20 || x > wide + 20 || y > high + 20) continue;
      const size = Math.round(Math.min(11 + node.size * 7, 15));
      context.font = `${place === focus ? 600 : 400} ${size}px system-ui, sans-serif`;
      const text = node.name.length > 40 ? node.name.slice(0, 39) + "…" : node.name;
      const left = x + this.radius(node) + 3;
      boxes.push([left, y - size / 2, context.measureText(text).width, size, text, context.font, y]);
    }
    context.textBaseline = "middle";
    context.lineWidth = 3; context.lineJoin = "round";
    context.strokeStyle = this.inks.back; context.fillStyle = this.inks.text;
    this.shown = apart(boxes);
    for (const [left, , , , text, font, y] of this.shown) {
      context.font = font;
      context.strokeText(text, left, y);
      context.fillText(text, left, y);
    }
  }
}

if (typeof module !== "undefined") module.exports = { folded, matching, apart, bounds, Picture };
