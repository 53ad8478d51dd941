(function () { // the page: filters, the list, two rules side by side, the editor, and saving
  "use strict";
  const find = (id) => document.getElementById(id);
  const { plural } = Rules;
  const hasRows = data.bits !== null, isCounted = data.rows !== null;
  const state = { one: null, other: null, before: null };

  function make(name, properties, ...children) { // an element; texts are texts, whatever they hold
    const made = Object.assign(document.createElement(name), properties || {});
    made.append(...children.filter((each) => each !== null));
    return made;
  }

  const percent = (part, all) => (all ? ((100 * part) / all).toFixed(1) + " %" : "–");
  const share = (value) => (value === null ? "–" : (100 * value).toFixed(1) + " %");

  const figuresOf = new Map(); // by the key of a rule
  function figures(rule) { // null for what is not known
    const key = Rules.key(rule);
    if (!figuresOf.has(key)) {
      const counts = Rules.counts(rule), known = Rules.find(rule);
      const [found, missed, alarms, left] = counts || [0, 0, 0, 0];
      figuresOf.set(key, {
        counts: counts,
        right: counts ? found + left : known && known.front ? known.front.training : null,
        sensitivity: counts && found + missed ? found / (found + missed) : null,
        specificity: counts && alarms + left ? left / (alarms + left) : null,
      });
    }
    return figuresOf.get(key);
  }

  // What is known of a rule being best

  const listed = data.rules.filter((rule) => rule.isListed);
  const isProved = data.good !== null && data.good.is_complete;
  const bestRight = isProved && isCounted && data.isTraining ? Math.max(...listed.map((rule) => figures(rule).right)) : null;
  const isBest = (rule) => bestRight !== null && rule.isListed && figures(rule).right === bestRight;
  const within = data.good === null ? "" : data.good.margin ? "within " + plural(data.good.margin, "row") + " of the best" : "as good as the best";

  function beaten(rule) { // whether another rule of the page is plainly better
    if (!isCounted) return "";
    const others = data.rules.filter((each) => Rules.size(each) <= Rules.size(rule));
    const more = Math.max(...others.map((each) => figures(each).right)) - figures(rule).right;
    return more > 0 ? " Another rule here, with no more facts, is right about " + plural(more, "more row") + "." : "";
  }

  function proof(rule) {
    const known = Rules.find(rule);
    if (known === null) {
      const promised = data.promises.length ? " Nor is what was declared for the model (" + data.promises.join("; ") + ")." : "";
      return "Edited by hand: nothing is proved about it being best." + promised + beaten(rule);
    }
    if (isBest(known)) return "Proved best: of all " + data.good.scope + ", none is right about more of the rows that they were learned from.";
    if (known.isListed && isProved) {
      const among = "Found by the solver among all " + data.good.scope + ": one of the " + data.good.rules + " that are " + within;
      return among + ". That there are no others is proved." + beaten(rule);
    }
    const origin = known.isListed ? "Found by the solver among " + data.good.scope + "."
      : known.front ? "From the front of the model: what its search found for this size." : "The rule of the model.";
    return origin + " That no other is better is not proved." + beaten(rule);
  }

  function statement() {
    const own = "These are the rules of the model's front: for each size the one that its search found.";
    if (data.good === null) return own + " There may be others as good, or better.";
    const n = data.good.rules.toLocaleString("en"), front = " The rules of the model's front are shown with them.";
    if (isProved) {
      const all = "The list is complete, and that is proved: of all " + data.good.scope + ", " + n + " are " + within;
      return all + " on the rows that they were learned from, and no others." + front;
    }
    return "Of all " + data.good.scope + ", " + n + " were found that are " + within + ". There may be others." + front;
  }

  // Filters

  const columnFilters = data.columns.map(function (column, index) {
    const menu = (label, texts) => make("select", { ariaLabel: label }, ...texts.map(([value, text]) => make("option", { value: value, textContent: text })));
    const use = menu(column.name + " is", [["", "either"], ["must", "used"], ["not", "not used"]]);
    const ways = [["", "any"], ["1", "never falls"], ["-1", "never rises"]];
    const way = column.hasOrder ? menu("as " + column.name + " rises, the score", ways) : null;
    const isRead = data.rules.some((rule) => Rules.columns(rule).has(index)); // others matter to the editor alone
    const name = make("th", { scope: "row", className: "name", textContent: column.name });
    return { use: use, way: way, row: make("tr", { hidden: !isRead }, name, make("td", {}, use), make("td", {}, way)) };
  });

  const limit = (id) => (find(id).value === "" ? null : Number(find(id).value));

  function passes(rule) {
    const { sensitivity, specificity } = figures(rule), used = Rules.columns(rule), most = limit("most");
    const reaches = (value, least) => !least || (value !== null && 100 * value >= least - 1e-9);
    return (most === null || Rules.size(rule) <= most) &&
      reaches(sensitivity, limit("sensitivity")) && reaches(specificity, limit("specificity")) &&
      columnFilters.every(({ use, way }, column) =>
        (use.value !== "must" || used.has(column)) && (use.value !== "not" || !used.has(column)) &&
        (way === null || way.value === "" || Rules.goes(rule, column, Number(way.value))));
  }

  function passingText(passing) {
    const all = data.rules.length, most = (rules) => Math.max(...rules.map((rule) => figures(rule).right));
    if (passing.length === all) return "All " + plural(all, "rule") + ".";
    if (passing.length === 0) {
      const unknown = " The list need not be complete: there may be such a rule that was not found.";
      const proved = isProved ? " The list is complete, and that is proved: none of all " + data.good.scope + " that are " + within + " passes." : unknown;
      return "None of the " + all + " rules passes." + proved;
    }
    const complete = isProved ? " The list is complete: no other of the " + data.good.scope + " that is " + within + " passes." : "";
    const right = most(passing), fewer = most(data.rules) - right;
    const cost = fewer === 0 ? " The best of them is as good as the best of all."
      : " The best of them is right about " + plural(right, "row") + ", " + fewer.toLocaleString("en") + " fewer than the best of all.";
    return passing.length + " of " + all + " rules pass." + (isCounted ? cost : "") + complete;
  }

  // The picture and the list

  const rightName = isCounted ? "right rows" : "share right in training";
  const whole = (value) => Math.round(100 * value) + " %";
  const AXES = {
    size: { name: "facts in the rule", of: Rules.size, text: String, isWhole: true, isShort: true },
    right: { name: rightName, of: (rule) => figures(rule).right, text: isCounted ? String : whole, isWhole: isCounted, most: isCounted ? data.rows.n : 1 },
    sensitivity: { name: "sensitivity", of: (rule) => figures(rule).sensitivity, text: whole, most: 1 },
    specificity: { name: "specificity", of: (rule) => figures(rule).specificity, text: whole, most: 1 },
  };

  const rightText = (rule) => (isCounted ? figures(rule).right + " of " + data.rows.n : share(figures(rule).right));
  const inLine = (rule) => (Rules.heading(rule) ? Rules.heading(rule) + ": " : "") + Rules.lines(rule).join("; ");
  const isIn = (slot, rule) => state[slot] !== null && Rules.key(rule) === Rules.key(state[slot]);
  const slotOf = (rule) => (isIn("one", rule) ? "one" : isIn("other", rule) ? "other" : "");

  function kindOf(rule) { const known = Rules.find(rule); return known === null ? "edited" : known.front || known.isOwn ? "front" : "list"; }

  function showPicture(passing) {
    const all = Rules.find(state.one) === null ? [...data.rules, state.one] : data.rules;
    const items = all.map((rule) => ({
      rule: rule, passes: passing.has(rule) || Rules.find(rule) === null, kind: kindOf(rule), isBest: isBest(rule), slot: slotOf(rule),
      label: plural(Rules.size(rule), "fact") + ", " + rightText(rule) + " right: " + inLine(rule),
    }));
    const slot = () => document.querySelector("input[name=slot]:checked").value;
    Picture.draw(items, AXES[find("across").value], AXES[find("up").value], {
      take: (rule) => take(rule, slot()),
      look: (item) => { find("under").textContent = item.label; },
    });
  }

  function tags(rule) {
    const known = Rules.find(rule), made = make("span", { className: "tags" });
    const tag = (text, kind) => made.append(make("span", { className: "verdict " + kind, textContent: text }));
    if (known === null) tag("edited", "edited");
    else {
      if (isBest(known)) tag("proved best", "best");
      if (known.isOwn) tag("the model's rule", "own");
      else if (known.front) tag("front", "own");
    }
    return made;
  }

  function showList(passing) {
    const ordered = [...passing].sort((a, b) => figures(b).right - figures(a).right || Rules.size(a) - Rules.size(b));
    find("list").replaceChildren(...ordered.map(function (rule) {
      const { sensitivity, specificity } = figures(rule), slot = slotOf(rule);
      const said = (text, place) => ({ type: "button", textContent: text, ariaPressed: String(slot === place), ariaLabel: text + ": " + inLine(rule) });
      const button = (text, place) => make("button", { ...said(text, place), onclick: () => take(rule, place) });
      const cell = (label, text) => { const made = make("td", { className: "number" }, text); made.dataset.label = label; return made; };
      return make("tr", { className: slot },
        cell("facts", String(Rules.size(rule))),
        make("td", { className: "words" }, make("span", { textContent: inLine(rule) }), " ", tags(rule)),
        cell(rightName, rightText(rule)),
        isCounted ? cell("sensitivity", share(sensitivity)) : null,
        isCounted ? cell("specificity", share(specificity)) : null,
        make("td", { className: "take" }, button("This one", "one"), button("Compare", "other")));
    }));
  }

  // Two rules side by side

  function ruleWords(rule) {
    const head = Rules.heading(rule), lines = Rules.lines(rule), when = data.target + " is " + data.classes[1] + " if ";
    const says = make("div", { className: "says" });
    if (head === "") says.append(make("p", { className: "when", textContent: when + lines[0] }));
    else {
      says.append(make("p", { className: "when", textContent: when + head + ":" }));
      says.append(make("ul", {}, ...lines.map((line) => make("li", { textContent: line }))));
    }
    says.append(make("p", { className: "otherwise", textContent: "otherwise " + data.target + " is " + data.classes[0] }));
    return says;
  }

  function figureTable(rule) {
    const { counts, right } = figures(rule), known = Rules.find(rule), table = make("table", { className: "figures-of" });
    const line = function (name, text, detail) {
      const cell = make("td", {}, make("strong", { textContent: text }), " ", make("span", { className: "small", textContent: detail || "" }));
      table.append(make("tr", {}, make("th", { scope: "row", textContent: name }), cell));
    };
    if (counts) {
      const [found, missed, alarms, left] = counts;
      line("right rows", right + " of " + data.rows.n, percent(right, data.rows.n));
      line("sensitivity", percent(found, found + missed), found + " of " + (found + missed) + " found, " + missed + " missed");
      line("specificity", percent(left, alarms + left), left + " of " + (alarms + left) + " left alone");
      line("false alarms", String(alarms), "of " + plural(found + alarms, "alarm"));
      table.dataset.counts = counts.join();
    } else line(rightName, share(right));
    if (known && known.front && known.front.validated !== null) line(data.judgedBy, share(known.front.validated), "told by the model file");
    return table;
  }

  function showSlot(id, rule) {
    if (rule === null) find(id).replaceChildren(make("p", { className: "small", textContent: "Take a second rule from the picture or the list." }));
    else find(id).replaceChildren(tags(rule), ruleWords(rule), figureTable(rule), make("p", { className: "small proof-words", textContent: proof(rule) }));
  }

  function showDifference() {
    const { one, other } = state, box = find("difference");
    box.hidden = other === null;
    if (other === null) return;
    const only = function (name, rule, without) {
      const columns = [...Rules.columns(rule)].filter((column) => !Rules.columns(without).has(column));
      return columns.length ? "Only " + name + " reads " + columns.map((column) => data.columns[column].name).join(", ") + ". " : "";
    };
    const told = only("this one", one, other) + only("the other one", other, one) || "Both read the same columns.";
    const heading = make("h3", { textContent: "Where they differ" }), reads = make("p", { textContent: told.trim() });
    if (!hasRows) {
      const why = "On which rows they differ, only a page that holds rows can tell (--rows).";
      box.replaceChildren(heading, reads, make("p", { className: "small", textContent: why }));
      return;
    }
    const [first, second] = Rules.difference(one, other), all = first + second;
    const which = "differently: this one is right about " + first + " of them, the other about " + second + ".";
    const decided = all === 0 ? "They decide all " + data.rows.n + " rows alike." : "They decide " + plural(all, "row") + " of " + data.rows.n + " " + which;
    box.replaceChildren(heading, make("p", { id: "differ", textContent: decided }), reads);
    box.dataset.differ = first + "," + second;
  }

  // The editor

  const clone = (rule) => ({ facts: rule.facts.map((each) => each.slice()), threshold: rule.threshold });

  function edit(change) {
    const rule = clone(state.one);
    change(rule);
    if (rule.facts.length === 1) rule.facts[0][2] = 1; // one fact decides alone, whatever it is worth
    rule.threshold = Math.min(Math.max(1, rule.threshold), Rules.total(rule));
    state.one = rule;
    find("saved").hidden = true;
    show();
  }

  function options(rule, place) { // all facts that no other line of the rule speaks of, true and false
    const taken = new Set(rule.facts.map((each) => each[0]));
    taken.delete(rule.facts[place][0]);
    const groups = new Map();
    data.facts.forEach(function (fact, index) {
      if (taken.has(index)) return;
      const name = fact.columns.map((column) => data.columns[column].name).join(", ");
      if (!groups.has(name)) groups.set(name, make("optgroup", { label: name }));
      [1, 0].forEach((holds) => groups.get(name).append(make("option", { value: index + (holds ? "+" : "-"), textContent: fact.words[holds] })));
    });
    return [...groups.values()];
  }

  function neighbour(rule, place, step) { // the next cut of the same column that no other line speaks of
    const [fact, holds] = rule.facts[place], ladder = Rules.ladder(fact);
    const rungs = [...data.facts.keys()].filter((index) => Rules.ladder(index) === ladder);
    rungs.sort((a, b) => data.facts[a].at - data.facts[b].at);
    const next = rungs[rungs.indexOf(fact) + step];
    return next === undefined || rule.facts.some((each) => each[0] === next) ? null : [next, holds];
  }

  function part(rule, place) {
    const [fact, holds, worth] = rule.facts[place], words = Rules.words(rule.facts[place]);
    const select = make("select", { ariaLabel: "fact " + (place + 1), id: "fact-" + place }, ...options(rule, place));
    select.value = fact + (holds ? "+" : "-");
    select.onchange = () => edit((changed) => { changed.facts[place] = [parseInt(select.value, 10), select.value.endsWith("+"), worth]; });
    const shift = (step, text, label) => {
      const next = neighbour(rule, place, step);
      const id = "shift-" + place + (step < 0 ? "-down" : "-up");
      const button = make("button", { type: "button", id: id, textContent: text, ariaLabel: label + ": " + words, disabled: next === null });
      button.onclick = () => edit((changed) => { changed.facts[place] = [next[0], next[1], worth]; });
      return button;
    };
    const isAlone = rule.facts.length === 1, about = { ariaLabel: "points if " + words, disabled: isAlone };
    const points = make("input", { type: "number", id: "points-" + place, min: 1, max: 999, value: worth, ...about });
    points.onchange = () => edit((changed) => { changed.facts[place][2] = Math.min(999, Math.max(1, Math.round(Number(points.value)) || 1)); });
    const remove = make("button", { type: "button", textContent: "Remove", ariaLabel: "Remove: " + words, disabled: isAlone });
    remove.onclick = () => edit((changed) => { changed.facts.splice(place, 1); });
    const shifts = () => [shift(-1, "◂ lower cut", "lower cut"), shift(1, "higher cut ▸", "higher cut")];
    const cuts = Rules.ladder(fact) === null ? null : make("span", { className: "cuts" }, ...shifts());
    return make("li", {}, select, make("div", { className: "part-tools" }, make("label", {}, "points ", points), cuts, remove));
  }

  function showEditor() {
    const rule = state.one, active = document.activeElement && document.activeElement.id;
    find("parts").replaceChildren(...rule.facts.map((_, place) => part(rule, place)));
    find("needed-words").textContent = Rules.hasPoints(rule) ? "points needed" : "facts needed";
    find("threshold").value = rule.threshold;
    find("threshold").max = Rules.total(rule);
    find("total").textContent = "of " + Rules.total(rule);
    find("undo").disabled = Rules.key(rule) === Rules.key(state.before);
    const next = active && find(active);
    if (next && find("parts").contains(next)) next.focus();
    const known = Rules.find(rule), told = known && known.front && known.front.risk, table = find("scores");
    find("told-note").hidden = !told;
    const head = ["score", "rows", data.target + " is " + data.classes[1], "share", ...(told ? ["told"] : [])];
    const body = [...Rules.byScore(rule)].map(([score, [rows, having]]) => make("tr", { className: score >= rule.threshold ? "reached" : "" },
      make("th", { scope: "row", textContent: String(score) }),
      ...[String(rows), String(having), percent(having, rows), ...(told ? [share(told[score] / 10000)] : [])].map((text) => make("td", { textContent: text }))));
    table.replaceChildren(make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", textContent: text })))), make("tbody", {}, ...body));
  }

  // All together

  function take(rule, slot) {
    state[slot] = clone(rule);
    if (slot === "one") { state.before = state.one; find("saved").hidden = true; }
    show();
  }

  function show() {
    const passing = data.rules.filter(passes);
    find("passing").textContent = passingText(passing);
    showPicture(new Set(passing));
    showList(passing);
    showSlot("one", state.one);
    showSlot("other", state.other);
    showDifference();
    if (hasRows) showEditor();
    find("chosen").replaceChildren(ruleWords(state.one));
    find("proof").textContent = proof(state.one);
  }

  function choice() {
    const facts = state.one.facts.map(([fact, holds, worth]) => ({ fact: data.facts[fact].text, holds: Boolean(holds), points: worth }));
    const said = { who: find("who").value.trim(), why: find("why").value.trim() };
    return { format: "crystalogic choice", version: 1, model: data.model, facts: facts, threshold: state.one.threshold, ...said };
  }

  function save() {
    const chosen = choice(), lacking = !chosen.who ? "who" : !chosen.why ? "why" : null;
    find("lacking").textContent = lacking === null ? "" : lacking === "who" ? "Please say who chooses it." : "Please say why.";
    if (lacking !== null) { find(lacking).focus(); return; }
    const address = URL.createObjectURL(new Blob([JSON.stringify(chosen, null, 1) + "\n"], { type: "application/json" }));
    make("a", { href: address, download: "choice.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    find("saved").hidden = false;
  }

  function addFact() {
    const taken = new Set(state.one.facts.map((each) => each[0]));
    const next = data.facts.findIndex((_, index) => !taken.has(index));
    if (next >= 0) edit((rule) => { rule.facts.push([next, true, 1]); });
  }

  find("n-rules").textContent = plural(data.rules.length, "rule");
  find("statement").textContent = statement();
  find("right-head").textContent = rightName;
  find("columns").append(...columnFilters.map((each) => each.row));
  document.querySelectorAll(".counted").forEach((each) => { each.hidden = !isCounted; });
  find("list-key").hidden = data.good === null;
  find("best-key").hidden = bestRight === null;
  find("no-rows").hidden = hasRows;
  find("editor").hidden = !hasRows;
  const choices = isCounted ? { up: ["right", "sensitivity"], across: ["size", "specificity"] } : { up: ["right"], across: ["size"] };
  Object.entries(choices).forEach(function ([id, names]) {
    find(id).append(...names.map((name) => make("option", { value: name, textContent: AXES[name].name })));
    find(id).onchange = show;
  });
  find("filters").addEventListener("input", show);
  find("clear").onclick = () => { find("filters").querySelectorAll("input, select").forEach((each) => { each.value = ""; }); show(); };
  find("threshold").onchange = () => edit((rule) => { rule.threshold = Math.round(Number(find("threshold").value)) || 1; });
  find("add").onclick = addFact;
  find("undo").onclick = () => take(state.before, "one");
  find("take").onclick = save;
  find("no-script").hidden = true;
  find("main").hidden = false;
  let drawn = window.innerWidth;
  window.addEventListener("resize", () => { if (window.innerWidth !== drawn) { drawn = window.innerWidth; show(); } });
  take(data.rules.find((rule) => rule.isOwn) || data.rules[data.rules.length - 1], "one");
})();
