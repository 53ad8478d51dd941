// What exported rules call, each after its name; $NAMES are put in when they are written.
// @ strip

  const EDGES = /^[$WHITESPACE]+|[$WHITESPACE]+$/g;
  function strip(text) {
    return text.replace(EDGES, "");
  }
// @ shown

  const SHOWN = { true: "True", false: "False", Infinity: "inf", "-Infinity": "-inf" };
  function shown(value) {
    return typeof value === "string" ? strip(value) : SHOWN[String(value)] || String(value);
  }
// @ missing

  const MISSING = $MISSING_TEXTS;
  function missing(value, words = MISSING) {
    return value === null || value === undefined || value !== value || words.includes(shown(value)) ? 1.0 : 0.0;
  }
// @ DECIMAL

  const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
// @ number

  function number(value) { // the value as a finite number, NaN if it is none
    const isNumber = typeof value === "string" ? DECIMAL.test(strip(value)) : /^(number|bigint)$/.test(typeof value);
    const found = isNumber ? Number(typeof value === "string" ? strip(value) : value) : NaN;
    return Number.isFinite(found) ? found : NaN;
  }
// @ same

  function same(value, wanted) { // whether the value counts what is wanted, or is the text that is wanted
    if (missing(value, [])) return 0.0;
    if (typeof value === "number" && typeof wanted !== "string") return value == wanted ? 1.0 : 0.0;
    const found = shown(value);
    if (typeof wanted === "string") return found === wanted ? 1.0 : 0.0;
    if (!DECIMAL.test(found) || /^[+-]?0\d/.test(found)) return 0.0; // 007 is a code
    const isWhole = /^[+-]?\d{1,$MOST_DIGITS}$/.test(found);
    return (isWhole ? BigInt(found.replace("+", "")) : Number(found)) == wanted ? 1.0 : 0.0;
  }
// @ given

  function given(value, isMissing) {
    return isMissing ? NaN : value;
  }
// @ unread

  function unread(number) {
    return number !== number ? 1.0 : 0.0;
  }
// @ between

  function between(number, low, high, width) {
    return number >= high ? 1.0 : number > low ? (number - low) / width : 0.0;
  }
// @ reaches

  function reaches(number, cut) {
    return number >= cut ? 1.0 : 0.0;
  }
// @ least

  function least(x, y) {
    return x < y ? x : y;
  }
// @ greatest

  function greatest(x, y) {
    return x > y ? x : y;
  }
// @ alike

  function alike(x, y) {
    return 1.0 - Math.abs(x - y);
  }
// @ at_least_0

  function at_least_0(x) {
    return x > 0.0 ? x : 0.0;
  }
// @ at_most_1

  function at_most_1(x) {
    return x < 1.0 ? x : 1.0;
  }
// @ column

  function column(row, name) {
    if (!Object.prototype.hasOwnProperty.call(row, name)) throw new Error("the rule needs the column " + name);
    return row[name];
  }
// @ shareOut

  function shareOut(told, order, place) { // each rule has its share of what is left; no class is likelier than the decision
    const found = order.map(() => 0.0);
    let left = 1.0;
    told.forEach(function (share, rule) {
      found[order[rule]] = left * share;
      left *= 1.0 - share;
    });
    found[order[order.length - 1]] = left;
    const lacking = Math.max(...found) - found[place];
    const moved = lacking > 0.0 ? lacking / (1.0 + lacking) + $LEVEL : 0.0;
    return found.map((share, index) => share * (1.0 - moved) + (index === place ? moved : 0.0));
  }
