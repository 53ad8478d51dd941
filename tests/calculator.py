"""The calculator of a report page, set to rows as a person would set it."""

from random import Random

from crystalogic.report.controls import controls

# Sets the controls of many rows one after the other, as a person would, and collects what the page says of each.
SET_ROWS = """
(rows) => rows.map((row) => {
  const set = (element, name, value) => {
    if (element[name] === value) return;
    element[name] = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  row.forEach((cell, index) => {
    const main = document.getElementById("c" + index);
    const missing = document.getElementById("c" + index + "-missing");
    if (main.tagName === "SELECT") set(main, "value", String(cell));
    else if (cell === null) set(missing, "checked", true);
    else {
      if (missing !== null) set(missing, "checked", false);
      set(document.getElementById("c" + index + "-number"), "value", cell);
    }
  });
  const shown = [...document.querySelectorAll(".total")];
  return {
    decision: document.getElementById("decision").dataset.decision,
    degrees: shown.map((each) => each.dataset.degree),
    texts: shown.map((each) => each.textContent),
  };
})
"""


def random_rows(model, n_rows):
    """Rows as the library reads them, and as the controls of the page are set to them."""
    draw = Random(7)
    made = []
    for _ in range(n_rows):
        row, cells = {}, []
        for control in controls(model, {}):
            if control.may_be_missing and draw.random() < 0.2:
                value, cell = None, None if control.is_slider else -1
            elif control.is_slider:
                low, high = float(control.low), float(control.high)
                value = cell = draw.choice(
                    [control.low, control.high, *control.tried, repr(draw.uniform(low - 1, high + 1))]
                )
            else:
                cell = draw.randrange(len(control.values))
                value = control.values[cell]
            row[control.column] = value
            cells.append(cell)
        made.append((row, cells))
    return made
