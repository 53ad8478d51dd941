
(function () { // the calculator: `decide` above is the rule itself, as `crystalogic export` writes it
  "use strict";
  const MOST_TRIALS = 60000; // rows that one search may try
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const needed = data.needed === null ? null : data.needed.number; // points, of a rule that has them
  const find = (id) => document.getElementById(id);
  const isChecked = (id) => find(id) !== null && find(id).checked;

  const controls = data.controls.map(function (control, index) {
    const id = "c" + index;
    return Object.assign({ id: id, main: find(id), number: find(id + "-number"), missing: find(id + "-missing") }, control);
  });

  function valueOf(control) { // what the control says: a text, or null for a missing value
    if (!control.isSlider) return control.main.value === "-1" ? null : control.tried[Number(control.main.value)];
    if (control.missing !== null && control.missing.checked) return null;
    return control.number.value === "" ? null : control.number.value;
  }

  function setValue(control, value) {
    if (!control.isSlider) {
      control.main.value = value === null ? "-1" : String(control.tried.indexOf(value));
      return;
    }
    if (control.missing !== null) control.missing.checked = value === null;
    if (value !== null) {
      control.number.value = value;
      control.main.value = value;
    }
  }

  function rowOf(values) {
    const row = Object.create(null);
    controls.forEach((control, index) => { row[control.column] = values[index]; });
    return row;
  }

  const judge = (values) => (typeof decide_risk === "function" ? decide_risk : decide)(rowOf(values));

  function classText(decision) { // as the rest of the page writes it
    const index = data.classes === null ? -1 : data.decisions.indexOf(decision);
    return index < 0 ? String(decision) : data.classes[index];
  }

  function degreeText(degree, most) { // two decimals, more where they would hide on which side of 1/2 it is, ~ if rounded
    let text = "";
    for (let digits = 2; digits <= most; digits += 1) {
      text = degree.toFixed(digits);
      if (Number(text) >= 0.5 === degree >= 0.5) break;
    }
    return (Number(text) === degree ? "" : "~") + text;
  }

  function numberText(number, mark) { // points: whole, or decimals that do not hide on which side of the mark they are
    const isNear = (other) => Math.abs(other - number) < 1e-9; // points times degrees are rounded, too
    if (isNear(Math.round(number))) return String(Math.round(number));
    let text = number.toFixed(2);
    for (let digits = 3; digits <= 9 && mark !== null && Number(text) >= mark !== number >= mark; digits += 1) {
      text = number.toFixed(digits);
    }
    return (isNear(Number(text)) ? "" : "~") + text;
  }

  const countText = (number) => number + (number === 1 ? " point" : " points");

  function sumOf(element) { // the points that the lines of a list bring
    const lines = element.closest("li").querySelectorAll(":scope > ul > li > output[data-points]");
    return Array.from(lines).reduce((sum, line) => sum + line.dataset.points * line.dataset.degree, 0);
  }

  function worthText(element, degree, most) { // what a part brings of its points, or has of those of its lines, or its degree
    const { points, most: all } = element.dataset;
    if (points !== undefined) return numberText(points * degree, null) + " of " + countText(Number(points));
    if (all !== undefined) return numberText(sumOf(element), needed) + " of " + countText(Number(all));
    return degreeText(degree, most);
  }

  function showDegree(element, degree, most) {
    element.textContent = degree === null ? "" : worthText(element, degree, most);
    element.dataset.degree = degree === null ? "" : String(degree);
    element.classList.toggle("is-true", degree === 1);
    element.classList.toggle("is-false", degree === 0);
  }

  function sideText(degree) {
    return "the degree " + degreeText(degree, 16) + " is " + (degree >= 0.5 ? "at least" : "below") + " 0.50";
  }

  function reasonText(result) {
    if (data.classes === null) return "";
    if (data.needed !== null) return "at least " + data.needed.words + (needed === 1 ? " is needed" : " are needed");
    if (data.outputs.length === 1) return sideText(result.degrees[0]);
    if (data.isList) return "the first rule that applies, tried in the order " + data.order.join(", ");
    const largest = Math.max(...result.degrees);
    const isTie = result.degrees.filter((degree) => degree === largest).length > 1;
    return isTie ? "several degrees are equally large; then the first of " + data.order.join(", ") : "the largest degree";
  }

  const rest = (share) => 1 - share; // as the library computes it
  const percentText = function (share) { // a share of 10,000 in whole percent
    const percent = Math.floor((200 * share + data.risk.outOf) / (2 * data.risk.outOf));
    return percent === 0 ? "under 1 %" : percent === 100 ? "over 99 %" : percent + " %";
  };

  function scoreOf(rule, parts) { // what its facts add up to
    const degree = (name) => name === "" ? 0 : parts[name];
    return rule.points.reduce((sum, [name, negated, worth]) => sum + worth * (negated ? rest(degree(name)) : degree(name)), 0);
  }

  function showRisk(result) { // the risk of two classes, its interval and whether to ask
    const isDecided = result.decision !== null, [rule] = data.risk.rules, told = find("risk");
    const score = isDecided ? scoreOf(rule, result.parts) : null, share = isDecided ? rule.shares[score] : 0;
    const line = data.risk.lines.find((each) => each.low <= score && score <= each.high);
    const [low, high] = isDecided && line.ends !== null ? line.ends : [0, 0];
    const say = (id, text) => { find(id).textContent = isDecided ? text() : ""; };
    Object.assign(told.dataset, { share: isDecided ? share : "", score: isDecided ? score : "", low: low, high: high });
    say("risk", () => percentText(share));
    say("risk-words", () => "risk that " + data.target + " is " + data.classes[1]
      + (line.interval === "" ? "" : " (" + data.risk.level + " interval " + line.interval + " %)") + ", at");
    say("degree-0", () => data.risk.scores[score]);
    say("stored", () => share / data.risk.outOf);
    find("risk-fill").setAttribute("width", String(100 * share / data.risk.outOf));
    find("risk-between").setAttribute("x", String(100 * low));
    find("risk-between").setAttribute("width", String(100 * (high - low)));
    if (!isDecided) return;
    find("reason").textContent = line.asks ? "Without asking, " + find("decision").textContent + "." : "";
    if (line.asks) find("decision").textContent = "Ask a person";
  }

  function update() {
    const values = controls.map(valueOf);
    const result = judge(values);
    const isDecided = result.decision !== null;
    const decision = find("decision");
    decision.classList.toggle("none", !isDecided);
    decision.dataset.decision = isDecided ? classText(result.decision) : "";
    if (isDecided) {
      decision.textContent = data.classes === null ? data.target : data.target + " is " + classText(result.decision);
      find("reason").textContent = reasonText(result);
    } else {
      const needed = controls.filter((control, index) => values[index] === null && !control.mayBeMissing);
      decision.textContent = "No decision";
      find("reason").textContent = "Enter a number for " + needed.map((control) => control.column).join(", ") + ".";
    }
    const parts = Array.from(document.querySelectorAll("[data-part]")).reverse(); // lines before their lists
    parts.forEach(function (element) {
      const part = isDecided ? result.parts[element.dataset.part] : null;
      showDegree(element, part === null ? null : "negated" in element.dataset ? 1 - part : part, 4);
    });
    const likely = isDecided && "probabilities" in result ? result.probabilities : null;
    data.outputs.forEach(function (name, index) {
      const degree = isDecided ? result.degrees[index] : null;
      const list = needed === null ? null : document.querySelector("[data-most]"), total = find("degree-" + index);
      showDegree(total, degree, 16);
      if (list !== null) total.textContent = list.textContent;
      const share = likely !== null ? likely[index] : list === null || degree === null ? degree : sumOf(list) / list.dataset.most;
      if (likely !== null) {
        total.textContent = percentText(Math.round(data.risk.outOf * share));
        total.dataset.share = String(share);
      }
      if (find("fill-" + index) !== null) find("fill-" + index).setAttribute("width", share === null ? "0" : String(100 * share));
    });
    if (find("risk") !== null) showRisk(result);
    if (find("change") !== null) later(() => showChange(values, result.decision));
  }

  let waiting = null;
  function later(work) { // once the hand rests
    window.clearTimeout(waiting);
    find("change").dataset.state = "waiting";
    waiting = window.setTimeout(work, 150);
  }

  function cost(index, before, after) { // in ranges of the column; a value without an order is a whole range away
    const control = controls[index];
    const place = (value) => control.isSlider ? value / control.span : control.places[control.tried.indexOf(value)];
    if (before === null || control.span === 0) return 1;
    const distance = Math.abs(place(after) - place(before));
    return Number.isFinite(distance) ? distance : 1;
  }

  function changed(values, changes) {
    const copy = values.slice();
    changes.forEach(([index, value]) => { copy[index] = value; });
    return copy;
  }

  function search(values, decision) { // the cheapest change of one column or, if there is none, of two
    let trials = 0;
    const flips = function (changes) {
      trials += 1;
      const found = judge(changed(values, changes)).decision;
      return found !== null && found !== decision;
    };
    const price = (changes) => changes.reduce((sum, [index, value]) => sum + cost(index, values[index], value), 0);
    const options = [];
    controls.forEach(function (control, index) {
      if (!isChecked(control.id + "-keep")) {
        options.push(control.tried.filter((value) => value !== values[index]).map((value) => [index, value]));
      }
    });
    let best = null;
    const consider = function (changes) {
      if (trials < MOST_TRIALS && (best === null || price(changes) < price(best)) && flips(changes)) best = changes;
    };
    options.forEach((list) => list.forEach((change) => consider([change])));
    if (best === null) {
      options.forEach((list, place) => options.slice(place + 1).forEach((others) =>
        list.forEach((one) => others.forEach((other) => consider([one, other])))));
    }
    return best === null ? null : closer(best, values, flips);
  }

  function closer(changes, values, flips) { // numbers moved back towards where they were, as far as the effect stays
    const best = changes.slice();
    changes.forEach(function ([index, value], place) {
      const control = controls[index], before = values[index];
      if (!control.isSlider || before === null) return;
      const step = Number(control.main.step), digits = (control.main.step.split(".")[1] || "").length;
      const back = (steps) => [index, (Number(value) - Math.sign(value - before) * steps * step).toFixed(digits)];
      let works = 0, fails = Math.ceil(Math.abs(value - before) / step); // steps back from the value that was found
      while (fails - works > 1) {
        const middle = Math.floor((works + fails) / 2);
        const trial = best.slice();
        trial[place] = back(middle);
        if (flips(trial)) works = middle; else fails = middle;
      }
      if (works > 0) best[place] = back(works);
    });
    return best;
  }

  function showChange(values, decision) {
    const place = find("change");
    place.replaceChildren();
    place.dataset.state = "done";
    const say = function (text) {
      const paragraph = document.createElement("p");
      paragraph.textContent = text;
      place.append(paragraph);
    };
    if (decision === null) return say("There is no decision to change yet.");
    const changes = search(values, decision);
    if (changes === null) return say("No change of one or two columns that was tried leads to another decision.");
    const list = document.createElement("ul");
    changes.forEach(function ([index, value]) {
      const control = controls[index], item = document.createElement("li");
      const unit = control.unit === "" ? "" : " " + control.unit;
      item.textContent = control.column + " from " + (values[index] === null ? "missing" : values[index]) + " to " + value + unit;
      list.append(item);
    });
    place.append(list);
    const after = judge(changed(values, changes));
    place.dataset.changes = JSON.stringify(changes.map(([index, value]) => [controls[index].column, value]));
    return say("Then " + data.target + " is " + classText(after.decision) + ".");
  }

  controls.forEach(function (control) {
    control.main.addEventListener("input", function () {
      if (control.isSlider) setValue(control, control.main.value);
      update();
    });
    if (control.number !== null) {
      control.number.addEventListener("input", function () {
        if (control.missing !== null) control.missing.checked = false;
        if (control.number.value !== "") control.main.value = control.number.value;
        update();
      });
    }
    [control.missing, find(control.id + "-keep")].forEach((box) => box !== null && box.addEventListener("input", update));
  });

  document.querySelectorAll("[data-load]").forEach((button) => button.addEventListener("click", function () {
    const row = data.rows[Number(button.dataset.load)];
    controls.forEach((control, index) => setValue(control, row[index]));
    update();
    find("calculator").focus();
    find("calculator").scrollIntoView();
  }));

  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", function () {
    const source = find(button.dataset.copy);
    const said = (text) => { find("copied").textContent = text; };
    const done = () => said("Copied.");
    const byHand = function () { // select it, so that the keyboard can copy it
      window.getSelection().selectAllChildren(source);
      if (document.execCommand("copy")) done(); else said("Selected; press Ctrl+C to copy.");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, byHand);
    else byHand();
  }));

  document.querySelectorAll(".needs-script").forEach((element) => { element.hidden = false; });
  if (find("controls") !== null) {
    find("controls").addEventListener("submit", (event) => event.preventDefault());
    find("calculator-body").hidden = false;
    find("no-script").hidden = true;
    update();
  }
})();
