const Picture = (function () { // all rules as dots: reached with the mouse, or with Tab and the arrow keys
  "use strict";
  const HEIGHT = 340, LEFT = 58, RIGHT = 24, TOP = 14, BOTTOM = 44;
  const box = document.getElementById("picture");

  function element(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function steps(low, high, most) { // round numbers between two ends
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
    const found = [];
    for (let at = Math.ceil(low / step); at * step <= high + 1e-9; at += 1) found.push(at * step);
    return found;
  }

  function scale(values, axis, from, to) {
    const all = values.filter((value) => value !== null);
    let low = Math.min(...all), high = Math.max(...all);
    const pad = axis.isWhole && axis.isShort ? 0.5 : Math.max((high - low) * 0.08, axis.isWhole ? 1 : 0.01);
    low -= pad;
    high += pad;
    if (axis.most !== undefined) high = Math.min(high, axis.most + pad / 2);
    const most = axis.isShort ? Math.min(10, Math.ceil(high - low)) : 6;
    const ticks = steps(low, high, most).filter((each) => !axis.isWhole || Number.isInteger(each));
    return { at: (value) => from + ((value - low) / (high - low)) * (to - from), ticks: ticks, unit: Math.abs(to - from) / (high - low) };
  }

  function spread(dots, room) { // dots at one place are put beside each other, as far as there is room; gives the step
    let least = 13;
    const groups = new Map();
    dots.forEach((dot) => { const at = Math.round(dot.x) + " " + Math.round(dot.y); groups.set(at, [...(groups.get(at) || []), dot]); });
    groups.forEach(function (group) {
      const step = Math.min(13, room / group.length);
      least = Math.min(least, step);
      group.forEach((dot, place) => { dot.x += (place - (group.length - 1) / 2) * step; });
    });
    return least;
  }

  function shape({ x, y }, radius, kind) {
    if (kind !== "front") return element("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: kind === "edited" ? 6 : radius });
    return element("path", { d: "M" + [x, y - 7.5, x + 7.5, y, x, y + 7.5, x - 7.5, y].map((each) => each.toFixed(1)).join(" ") + "Z" });
  }

  function draw(items, across, up, handlers) { // items: { rule, passes, kind, isBest, slot, label }
    const width = Math.max(280, box.clientWidth);
    const label = "Rules, " + up.name + " against " + across.name, view = "0 0 " + width + " " + HEIGHT;
    const svg = element("svg", { viewBox: view, width: width, height: HEIGHT, class: "chart", role: "group", "aria-label": label });
    const shown = items.filter((item) => across.of(item.rule) !== null && up.of(item.rule) !== null);
    if (shown.length === 0) { box.replaceChildren(document.createTextNode("There are no figures to draw; make the page with a table.")); return; }
    const x = scale(shown.map((item) => across.of(item.rule)), across, LEFT, width - RIGHT);
    const y = scale(shown.map((item) => up.of(item.rule)), up, HEIGHT - BOTTOM, TOP);
    y.ticks.forEach(function (value) {
      svg.append(element("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y.at(value), y2: y.at(value) }));
      svg.append(element("text", { x: LEFT - 8, y: y.at(value) + 4, "text-anchor": "end" }, up.text(value)));
    });
    x.ticks.forEach((value) => svg.append(element("text", { x: x.at(value), y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, across.text(value))));
    svg.append(element("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }));
    svg.append(element("text", { x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, across.name));
    svg.append(element("text", { transform: "translate(13 " + (TOP + HEIGHT - BOTTOM) / 2 + ") rotate(-90)", "text-anchor": "middle" }, up.name));
    const dots = shown.map((item) => ({ item: item, x: x.at(across.of(item.rule)), y: y.at(up.of(item.rule)) }));
    if (across.isShort) svg.append(element("polyline", { class: "line", points: frontier(dots).map((dot) => dot.x + "," + dot.y).join(" ") }));
    const step = spread(dots, across.isShort ? x.unit * 0.86 : 24);
    const radius = Math.max(3.6, Math.min(5.5, 0.42 * step, up.isWhole ? 0.45 * y.unit : 5.5)); // many dots are smaller
    const rank = (dot) => (dot.item.slot ? 3 : dot.item.passes ? (dot.item.kind === "front" ? 2 : 1) : 0); // what matters is drawn last, on top
    dots.slice().sort((a, b) => rank(a) - rank(b)).forEach((dot) => svg.append(mark(dot, radius, handlers)));
    const passing = dots.filter((dot) => dot.item.passes).sort((a, b) => a.x - b.x || a.y - b.y);
    svg.addEventListener("keydown", (event) => move(event, passing));
    const first = passing.find((dot) => dot.item.slot === "one") || passing[0];
    if (first) first.node.setAttribute("tabindex", "0");
    const hadFocus = box.contains(document.activeElement);
    box.replaceChildren(svg);
    if (hadFocus && first) first.node.focus();
  }

  function frontier(dots) { // the most of each size, as long as more facts give more
    const best = new Map();
    dots.forEach((dot) => { if (!best.has(dot.x) || dot.y < best.get(dot.x).y) best.set(dot.x, dot); });
    const sorted = [...best.values()].sort((a, b) => a.x - b.x);
    return sorted.filter((dot, place) => sorted.slice(0, place).every((before) => before.y > dot.y));
  }

  function mark(dot, radius, handlers) {
    const { item } = dot;
    const kinds = ["dot", item.kind, item.passes ? "" : "out", item.isBest ? "best" : "", item.slot];
    const node = element("g", { class: kinds.filter(Boolean).join(" "), role: "button", "aria-label": item.label });
    if (item.slot) node.append(element("circle", { class: "ring", cx: dot.x.toFixed(1), cy: dot.y.toFixed(1), r: 11 }));
    node.append(shape(dot, radius, item.kind), element("title", {}, item.label));
    dot.node = node;
    if (!item.passes) { node.setAttribute("aria-hidden", "true"); return node; }
    node.setAttribute("tabindex", "-1");
    node.addEventListener("click", () => handlers.take(item.rule));
    node.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      handlers.take(item.rule);
    });
    ["focus", "mouseenter"].forEach((each) => node.addEventListener(each, () => handlers.look(item)));
    return node;
  }

  function move(event, dots) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const here = dots.findIndex((dot) => dot.node === document.activeElement);
    if (step === undefined || here < 0) return;
    event.preventDefault();
    const next = dots[(here + step + dots.length) % dots.length].node;
    dots[here].node.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  return { draw };
})();
