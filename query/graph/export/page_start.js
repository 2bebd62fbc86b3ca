"use strict";

function marked(text, names) {
  const line = element("p");
  const lower = text.toLowerCase();
  let at = 0;
  while (at < text.length) {
    let next = -1, long = 0;
    for (const name of names) {
      const place = lower.indexOf(name.toLowerCase(), at);
      if (place >= 0 && (next < 0 || place < next || (place === next && name.length > long))) {
        next = place; long = name.length;
      }
    }
    if (next < 0) break;
    line.append(text.slice(at, next), element("mark", text.slice(next, next + long)));
    at = next + long;
  }
  line.append(text.slice(at));
  return line;
}

function sourced([place, text], names) {
  const box = element("div", "", "source");
  box.append(element("span", place, "place"), marked(text, names));
  return box;
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("picture"), panel = document.getElementById("panel");
  const search = document.getElementById("search"), list = document.getElementById("found");
  const picture = new Picture(data, canvas);
  document.title = data.title;
  document.getElementById("title").textContent = data.title;
  const left = data.leftOut ? `; ${data.leftOut} less central entities left out` : "";
  document.getElementById("counts").textContent =
    `${data.nodes.length} entities, ${data.edges.length} relations${left}`;

  function relation(place, edge) {
    const [from, to, , said, source] = data.edges[edge];
    const other = data.nodes[from === place ? to : from];
    const box = element("div", "", "relation"), button = element("button");
    const arrow = !said ? "" : from === place ? `${said} → ` : `← ${said} `;
    button.append(element("span", arrow, "soft"), element("span", other.name));
    button.onclick = () => select(from === place ? to : from);
    box.append(button);
    if (source) box.append(sourced(source, [data.nodes[place].name, other.name]));
    return box;
  }

  function tell(place) {
    const node = data.nodes[place], names = [node.name, ...node.also].filter((name) => name.length > 1);
    const close = element("button", "×", "close");
    close.title = "Close (Esc)";
    close.onclick = () => select(-1);
    const counted = `${node.mentions} ${node.mentions === 1 ? "mention" : "mentions"}`;
    panel.replaceChildren(close, element("h2", node.name));
    panel.append(element("p", [node.type, counted].filter(Boolean).join(" · "), "soft"));
    if (node.about) panel.append(element("p", node.about));
    if (node.also.length) panel.append(element("p", `also: ${node.also.join(", ")}`, "soft"));
    if (data.groups[node.group]) panel.append(element("p", `community: ${data.groups[node.group]}`, "soft"));
    panel.append(element("h3", "Sources"));
    node.sources.forEach((source) => panel.append(sourced(source, names)));
    const edges = [...picture.beside[place]].sort((a, b) => data.edges[b][2] - data.edges[a][2]);
    panel.append(element("h3", edges.length ? "Relations" : "No relations"));
    edges.slice(0, 60).forEach((edge) => panel.append(relation(place, edge)));
    if (edges.length > 60) panel.append(element("p", `and ${edges.length - 60} more`, "soft"));
    panel.scrollTop = 0;
  }

  function select(place, near = false) {
    picture.selected = place;
    panel.hidden = place < 0;
    if (place >= 0) tell(place);
    history.replaceState(null, "", place < 0 ? "#" : "#" + encodeURIComponent(data.nodes[place].name));
    if (place >= 0 && !near) picture.show(place); else picture.redraw();
  }

  function find() {
    const found = matching(data.nodes, search.value, 30);
    list.replaceChildren(...found.map((place) => {
      const item = element("li"), button = element("button", data.nodes[place].name);
      button.onclick = () => select(place);
      item.append(button);
      return item;
    }));
    return found;
  }

  search.oninput = find;
  search.onkeydown = (event) => {
    if (event.key === "Enter") { const [first] = find(); if (first !== undefined) select(first); }
    if (event.key === "Escape") { search.value = ""; find(); canvas.focus(); }
  };
  document.getElementById("in").onclick = () => picture.zoom(1.4);
  document.getElementById("out").onclick = () => picture.zoom(1 / 1.4);
  document.getElementById("fit").onclick = () => picture.fit();
  window.onresize = () => picture.redraw();
  window.onhashchange = chosen;
  matchMedia("(prefers-color-scheme: dark)").onchange = () => picture.redraw();
  hands(picture, canvas, select);
  keys(picture, search, select);

  function chosen() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const place = data.nodes.findIndex((node) => node.name === name);
    if (place >= 0 && place !== picture.selected) select(place);
  }
  picture.fit();
  chosen();
  window.picture = picture;
}

function hands(picture, canvas, select) {
  const down = new Map();
  let moved = 0;
  const gap = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.x - b.x, a.y - b.y) || 1;
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (down.size === 1) moved = 0;
  };
  canvas.onpointermove = (event) => {
    const x = event.offsetX, y = event.offsetY, before = down.get(event.pointerId);
    if (!before) {
      const under = picture.at(x, y);
      canvas.style.cursor = under >= 0 ? "pointer" : "";
      if (under !== picture.under) { picture.under = under; picture.redraw(); }
      return;
    }
    const was = down.size === 2 ? gap() : 0;
    down.set(event.pointerId, { x, y });
    moved += Math.hypot(x - before.x, y - before.y);
    if (down.size === 2) picture.zoom(gap() / was, x, y);
    else picture.move(x - before.x, y - before.y);
  };
  canvas.onpointerup = (event) => {
    const alone = down.size === 1;
    down.delete(event.pointerId);
    if (alone && moved < 5) select(picture.at(event.offsetX, event.offsetY), true);
  };
  canvas.onpointercancel = (event) => down.delete(event.pointerId);
  canvas.onwheel = (event) => {
    event.preventDefault();
    picture.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.offsetX, event.offsetY);
  };
}

function keys(picture, search, select) {
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  document.addEventListener("keydown", (event) => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    if (event.key === "Escape") select(-1);
    if (event.key === "+" || event.key === "=") picture.zoom(1.4);
    if (event.key === "-") picture.zoom(1 / 1.4);
    if (event.key === "0") picture.fit();
    if (steps[event.key] && event.target === picture.canvas) picture.move(...steps[event.key]);
  });
}

start();
