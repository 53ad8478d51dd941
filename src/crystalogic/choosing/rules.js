const data = JSON.parse(document.getElementById("page-data").textContent);

const Rules = (function () { // what a rule says and counts; a rule is { facts: [[fact, holds, points], …], threshold }
  "use strict";
  const known = new Map();
  const rows = data.rows === null ? 0 : data.rows.n;
  const truths = new Map(); // of facts, unpacked when they are first asked for

  function unpack(text) {
    const bytes = atob(text);
    return Uint8Array.from({ length: rows }, (_, row) => (bytes.charCodeAt(row >> 3) >> (row & 7)) & 1);
  }

  const labels = data.bits === null ? null : unpack(data.bits.labels);

  function truth(fact) {
    if (!truths.has(fact)) truths.set(fact, unpack(data.bits.facts[fact]));
    return truths.get(fact);
  }

  const key = (rule) => rule.facts.map((each) => each[0] + (each[1] ? "+" : "-") + each[2]).sort().join() + ">" + rule.threshold;
  data.rules.forEach((rule) => known.set(key(rule), rule));
  const find = (rule) => known.get(key(rule)) || null;
  const size = (rule) => rule.facts.reduce((sum, each) => sum + data.facts[each[0]].size, 0); // facts, those inside of parts too
  const total = (rule) => rule.facts.reduce((sum, each) => sum + each[2], 0);
  const hasPoints = (rule) => rule.facts.length > 1 && rule.facts.some((each) => each[2] > 1);

  function scores(rule) {
    const found = new Int32Array(rows);
    for (const [fact, holds, worth] of rule.facts) {
      const bits = truth(fact), wanted = holds ? 1 : 0;
      for (let row = 0; row < rows; row += 1) if (bits[row] === wanted) found[row] += worth;
    }
    return found;
  }

  const counts = (rule) => (find(rule) ? find(rule).counts : recount(rule)); // null where there are no figures

  function recount(rule) { // found, missed, false alarms, rightly left alone
    const found = [0, 0, 0, 0];
    scores(rule).forEach(function (score, row) {
      const says = score >= rule.threshold;
      found[labels[row] === 1 ? (says ? 0 : 1) : says ? 2 : 3] += 1;
    });
    return found;
  }

  function byScore(rule) { // for each score that can occur: rows, and rows with the class
    const reachable = new Set([0]);
    for (const each of rule.facts) [...reachable].forEach((sum) => reachable.add(sum + each[2]));
    const found = new Map([...reachable].sort((a, b) => a - b).map((score) => [score, [0, 0]]));
    scores(rule).forEach((score, row) => { const line = found.get(score); line[0] += 1; line[1] += labels[row]; });
    return found;
  }

  function difference(one, other) { // rows decided differently: one is right, the other is right
    const found = [0, 0], first = scores(one), second = scores(other);
    for (let row = 0; row < rows; row += 1) {
      const says = first[row] >= one.threshold;
      if (says !== second[row] >= other.threshold) found[says === (labels[row] === 1) ? 0 : 1] += 1;
    }
    return found;
  }

  const ladder = (fact) => (data.facts[fact].at === null ? null : data.facts[fact].columns[0]); // the column that it is a cut of
  const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");

  function heading(rule) { // as `crystalogic explain` words it
    const m = rule.facts.length, k = rule.threshold;
    if (hasPoints(rule)) return "at least " + plural(k, "point");
    if (m === 1) return "";
    if (k === m) return m === 2 ? "both of these" : "all of these " + m;
    return k === 1 ? "at least one of these " + m : "at least " + k + " of these " + m;
  }

  function arranged(rule) { // the most points first, and cuts of one column next to each other, ascending
    const group = (each) => (ladder(each[0]) === null ? "f" + each[0] : "c" + ladder(each[0]));
    const most = new Map();
    rule.facts.forEach((each) => most.set(group(each), Math.max(each[2], most.get(group(each)) || 0)));
    const place = [...most.keys()];
    const at = (each) => (data.facts[each[0]].at || 0);
    const order = (a, b) => most.get(group(b)) - most.get(group(a)) || place.indexOf(group(a)) - place.indexOf(group(b)) || at(a) - at(b);
    return rule.facts.slice().sort(order);
  }

  const words = (each) => data.facts[each[0]].words[each[1] ? 1 : 0];

  function lines(rule) { // one for each fact; of facts with points, one for all cuts of a column that go one way
    if (!hasPoints(rule)) return rule.facts.map(words);
    const runs = [];
    for (const each of arranged(rule)) {
      const last = runs[runs.length - 1], run = ladder(each[0]) === null ? null : ladder(each[0]) + (each[1] ? "+" : "-");
      if (run !== null && last && last.run === run) last.facts.push(each);
      else runs.push({ run, facts: [each] });
    }
    return runs.map(function ({ facts }) { // cuts that are to be missed are told from the last on
      const told = facts[0][1] ? facts : facts.reverse(), points = plural(told[0][2], "point") + " if ";
      if (told.length === 1) return points + words(told[0]);
      const rungs = told.map((each) => data.facts[each[0]].rungs[each[1] ? 1 : 0]);
      let sum = 0;
      const sums = told.map((each) => (sum += each[2]));
      const more = rungs.slice(1).map(([, later, last], place) => ", " + sums[place + 1] + " " + (place + 2 < rungs.length ? later : last));
      return points + rungs[0][0] + more.join("");
    });
  }

  const columns = (rule) => new Set(rule.facts.flatMap((each) => data.facts[each[0]].columns));

  function goes(rule, column, sign) { // whether more of a column never lowers (1) or never raises (-1) the score
    return rule.facts.every(function ([fact, holds]) {
      const { columns: read, way } = data.facts[fact];
      return !read.includes(column) || way === null || (holds ? way : -way) === sign;
    });
  }

  return { key, find, size, total, hasPoints, counts, recount, byScore, difference, heading, lines, words, columns, goes, ladder, plural };
})();
