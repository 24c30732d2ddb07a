"use strict";
(() => {
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
      const button = make("button", { type: "button", textContent: head.textContent });
      head.replaceChildren(button);
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

  // Charts, drawn when they come into view.
  const HEIGHT = 250;
  const ink = (name) => {
    // Canvas does not know light-dark(): ask an element what it comes to.
    const probe = document.body.appendChild(make("i"));
    probe.style.color = `var(--${name})`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  const paths = {
    step: () => uPlot.paths.stepped({ align: 1 }),
    "step-before": () => uPlot.paths.stepped({ align: -1 }),
    points: () => () => null,
  };
  const series = (spec) => (line, i) => {
    const kind = spec.kinds[i];
    return {
      label: line.name,
      stroke: () => spec[isDark() ? "dark" : "light"][i],
      width: 1.6,
      dash: kind === "points" ? undefined : spec.dashes[i],
      paths: paths[kind]?.(),
      points: { show: kind === "points" || line.x.length < 60, size: 5 },
    };
  };
  const zoom = (plot, factor) => {
    const { min, max } = plot.scales.x;
    const log = plot.scales.x.distr === 3;
    const [from, to] = log ? [Math.log(min), Math.log(max)] : [min, max];
    const middle = (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    const ends = [middle - half, middle + half].map((v) => (log ? Math.exp(v) : v));
    plot.setScale("x", { min: ends[0], max: ends[1] });
  };
  const tools = (plot, [first, last]) => {
    const bar = make("div", { className: "tools" });
    const add = (text, label, onclick) => {
      const button = make("button", { type: "button", textContent: text, title: label, onclick });
      button.setAttribute("aria-label", label);
      bar.append(button);
    };
    add("+", "Zoom in", () => zoom(plot, 0.5));
    add("−", "Zoom out", () => zoom(plot, 2));
    add("all", "Show everything", () => plot.setScale("x", { min: first, max: last }));
    return bar;
  };
  const draw = (chart) => {
    const spec = JSON.parse(chart.querySelector("script").textContent);
    const place = chart.querySelector(".plot");
    const axis = (label) => ({
      label, labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui",
      stroke: () => ink("ink"), grid: { stroke: () => ink("rule"), width: 1 },
      ticks: { stroke: () => ink("rule"), width: 1 },
    });
    const options = {
      width: place.clientWidth, height: HEIGHT,
      scales: { x: { time: false, distr: spec.log ? 3 : 1 } },
      axes: [{ ...axis(spec.x), size: 34 }, { ...axis(spec.y), size: 62 }],
      series: [{ label: spec.x }, ...spec.lines.map(series(spec))],
      cursor: { sync: { key: chart.closest("section").id }, drag: { x: true, y: false } },
    };
    const data = uPlot.join(spec.lines.map((line) => [line.x, line.y]));
    place.textContent = "";
    const plot = new uPlot(options, data, place);
    const xs = data[0];
    chart.querySelector(".head").append(tools(plot, [xs[0], xs[xs.length - 1]]));
    redraws.push(() => plot.redraw(false, true));
    new ResizeObserver(() => {
      if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }).observe(place);
    chart.dataset.drawn = "";
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || target.clientWidth === 0) continue;
      seen.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "300px" });
  all(".chart").forEach((chart) => seen.observe(chart));

  // On paper there is no hovering: what was never in view is drawn now.
  addEventListener("beforeprint", () =>
    all(".chart:not([data-drawn])").filter((c) => c.clientWidth > 0).forEach(draw));
  root.dataset.ready = "";
})();
