"use strict";
// What the parts of the page share.
const Page = (() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (name, properties = {}) => Object.assign(document.createElement(name), properties);

  // Light or dark: the system's choice until the reader makes one.
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const redraws = [];
  const theme = make("button", { type: "button", className: "theme" });
  const themed = () => {
    theme.textContent = isDark() ? "light" : "dark";
    theme.setAttribute("aria-label", `Show in ${theme.textContent} colours`);
    redraws.forEach((redraw) => redraw());
  };
  theme.onclick = () => { root.dataset.theme = isDark() ? "light" : "dark"; themed(); };
  system.addEventListener("change", themed);
  document.querySelector("header").append(theme);
  themed();

  // Tables: a click on a heading sorts, another turns the order round. Empty cells stay last.
  const value = (row, i) => {
    const cell = row.cells[i];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = Number.parseFloat(text);
    return text === "" ? null : Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (table, i, head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    all("thead th", table).forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, i), row]);
    rows.sort(([a], [b]) =>
      a === null || b === null ? (a === null) - (b === null) : (down ? -1 : 1) * compare(a, b));
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of all("table.sortable")) {
    all("thead th", table).forEach((head, i) => {
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.onclick = () => sort(table, i, head);
      const cell = table.tBodies[0]?.rows[0]?.cells[i];
      if (cell?.classList.contains("number")) head.classList.add("number");
    });
  }

  // Claims: by verdict and by words.
  const filter = document.querySelector(".filter");
  if (filter) {
    const buttons = all("button", filter);
    const search = filter.querySelector("input");
    const found = filter.querySelector("output");
    const rows = all("#claims tbody tr");
    let verdict = "";
    const apply = () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of rows) {
        const fits = (!verdict || row.dataset.verdict === verdict)
          && row.textContent.toLowerCase().includes(wanted);
        row.hidden = !fits;
      }
      const count = rows.filter((row) => !row.hidden).length;
      found.textContent = count === rows.length ? "" : `${count} of ${rows.length} shown`;
    };
    for (const button of buttons) {
      button.onclick = () => {
        verdict = button.dataset.verdict;
        buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
        apply();
      };
    }
    search.oninput = apply;
  }

  // Canvas does not know light-dark(): ask an element what a colour comes to.
  const ink = (name) => {
    const probe = document.body.appendChild(make("i"));
    probe.style.color = `var(--${name})`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  // A row of buttons beside a chart's title.
  const tools = (chart, buttons) => {
    const bar = make("div", { className: "tools" });
    for (const [text, label, onclick] of buttons) {
      const button = make("button", { type: "button", textContent: text, title: label, onclick });
      button.setAttribute("aria-label", label);
      bar.append(button);
    }
    chart.querySelector(".head").append(bar);
    return bar;
  };
  const resized = (place, act) => new ResizeObserver(() => {
    if (place.clientWidth > 0) act(place.clientWidth);
  }).observe(place);
  return { all, make, isDark, redraws, ink, tools, resized, drawings: {} };
})();
