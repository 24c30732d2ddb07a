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
      if (head.classList.contains("plain")) return;
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.onclick = () => sort(table, i, head);
      const cells = [...(table.tBodies[0]?.rows ?? [])].slice(0, 9).map((row) => row.cells[i]);
      if (cells.some((cell) => cell?.classList.contains("number"))) head.classList.add("number");
    });
  }

  // Claims by verdict and by a phrase; rows with keys by words, of which one such as ratio=4 is a
  // key and every other stands anywhere in the row.
  for (const filter of all(".filter")) {
    const buttons = all("button", filter);
    const search = filter.querySelector("input");
    const found = filter.querySelector("output");
    const rows = all(filter.dataset.rows);
    let verdict = "";
    const texts = new Map(rows.map((row) => [row, [...row.cells]
      .filter((cell) => !cell.classList.contains("again"))
      .map((cell) => cell.textContent).concat(row.dataset.keys ?? "").join(" ").toLowerCase()]));
    const has = (row, word) => (row.dataset.keys !== undefined && word.includes("=")
      ? row.dataset.keys.toLowerCase().split("\n").includes(word)
      : texts.get(row).includes(word));
    const apply = () => {
      const wanted = search.value.trim().toLowerCase();
      // Claims are sentences: what is looked for in them is a phrase.
      const words = rows[0]?.dataset.keys === undefined ? [wanted] : wanted.split(/\s+/);
      for (const row of rows) {
        row.hidden = (verdict && row.dataset.verdict !== verdict)
          || !words.every((word) => has(row, word));
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

  // A link into the page opens what its target is folded in, and the target itself.
  const arrive = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (const details of all(":scope > details:first-child", target)) details.open = true;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", arrive);
  if (location.hash) arrive();

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
