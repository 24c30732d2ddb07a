// Charts over time: lines, and bars of states. Both zoom along x, and share a pointer.
(() => {
  const { make, isDark, redraws, ink, tools, resized, drawings } = Page;
  const HEIGHT = 250;
  const colour = (spec, i) => spec[isDark() ? "dark" : "light"][i];

  // Charts of a section share a pointer if their axes mean the same.
  const together = (chart, spec) => `${chart.closest("section").id} ${spec.x}`;

  const zoom = (plot, factor) => {
    const { min, max } = plot.scales.x;
    const log = plot.scales.x.distr === 3;
    const [from, to] = log ? [Math.log(min), Math.log(max)] : [min, max];
    const middle = (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    const ends = [middle - half, middle + half].map((v) => (log ? Math.exp(v) : v));
    plot.setScale("x", { min: ends[0], max: ends[1] });
  };
  const axis = (label) => ({
    label, labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui",
    stroke: () => ink("ink"), grid: { stroke: () => ink("rule"), width: 1 },
    ticks: { stroke: () => ink("rule"), width: 1 },
  });
  const place = (chart, options, data) => {
    const within = chart.querySelector(".plot");
    const { height } = options;
    within.textContent = "";
    const plot = new uPlot({ width: within.clientWidth, ...options }, data, within);
    const [first, last] = [data[0][0], data[0][data[0].length - 1]];
    tools(chart, [
      ["+", "Zoom in", () => zoom(plot, 0.5)],
      ["−", "Zoom out", () => zoom(plot, 2)],
      ["all", "Show everything", () => plot.setScale("x", { min: first, max: last })],
    ]);
    redraws.push(() => plot.redraw(false, true));
    resized(within, (width) => plot.setSize({ width, height }));
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
      stroke: () => colour(spec, i),
      width: 1.6,
      dash: kind === "points" ? undefined : spec.dashes[i],
      paths: paths[kind]?.(),
      points: { show: kind === "points" || line.x.length < 60, size: 5 },
    };
  };
  // From zero, and a peak beyond the scale, as long as everything is in view.
  const range = (spec, count) => (plot, low, high) => {
    if (low === null) return [0, 1];
    // The scales themselves are not yet told of a zoom.
    const [from, to] = plot.series[0].idxs ?? [0, count - 1];
    if (low >= 0 && from <= 0 && to >= count - 1) return [0, spec.top ?? (high * 1.05 || 1)];
    return uPlot.rangeNum(low, high, 0.1, true);
  };
  drawings.lines = (chart, spec) => {
    const data = uPlot.join(spec.lines.map((line) => [line.x, line.y]));
    place(chart, {
      height: HEIGHT,
      scales: { x: { time: false, distr: spec.log ? 3 : 1 }, y: { range: range(spec, data[0].length) } },
      axes: [{ ...axis(spec.x), size: 34 }, { ...axis(spec.y), size: 62 }],
      series: [{ label: spec.x }, ...spec.lines.map(series(spec))],
      cursor: { sync: { key: together(chart, spec) }, drag: { x: true, y: false } },
    }, data);
  };

  // Of many rows each is lower, and the legend names those only in which there is something.
  const ROW = 34, LOW = 22, MANY = 12;
  // The state of a row at each of the times: the number of its bar, or nothing.
  const over = (times, row) => {
    let i = -1;
    return times.map((t) => {
      while (i + 1 < row.start.length && row.start[i + 1] <= t) i += 1;
      return i >= 0 && t < row.end[i] ? i : null;
    });
  };
  const told = (spec, row) => (plot, at) => {
    if (at === null || at === undefined) return "none";
    const [from, to] = [row.start[at], row.end[at]].map((v) => `${v} ${spec.unit}`);
    const about = row.about ? ` ${spec.abouts[row.about[at]]}` : "";
    return `${spec.states[row.state[at]]}${about}, ${from} to ${to}`;
  };
  const contrast = (hex) => {
    const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
    return 0.3 * r + 0.59 * g + 0.11 * b > 140 ? "#000" : "#fff";
  };
  const bars = (spec) => (plot) => {
    const { ctx } = plot;
    const { left, top, width, height } = plot.bbox;
    const size = height / spec.rows.length;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = `${11 * devicePixelRatio}px system-ui`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    spec.rows.forEach((row, r) => row.state.forEach((state, i) => {
      const from = Math.max(plot.valToPos(row.start[i], "x", true), left);
      const to = Math.min(plot.valToPos(row.end[i], "x", true), left + width);
      if (to <= from) return;
      ctx.fillStyle = colour(spec, state);
      const part = spec.heights[state];
      ctx.fillRect(from, top + (r + (1 - part) / 2) * size, Math.max(to - from, 1), part * size);
      const name = spec.states[state];
      if (ctx.measureText(name).width + 8 * devicePixelRatio > to - from) return;
      ctx.fillStyle = contrast(colour(spec, state));
      ctx.fillText(name, from + 4 * devicePixelRatio, top + (r + 0.5) * size);
    }));
    ctx.restore();
  };
  const key = (spec) => {
    const list = make("ul", { className: "key" });
    spec.states.forEach((state, i) => {
      const item = make("li");
      const patch = item.appendChild(make("i"));
      const paint = () => { patch.style.background = colour(spec, i); };
      paint();
      redraws.push(paint);
      item.append(state);
      list.append(item);
    });
    return list;
  };
  const fewer = (plot) => {
    const entries = [...plot.root.querySelectorAll(".u-legend .u-series")].slice(1);
    for (const entry of entries) {
      const value = entry.querySelector(".u-value").textContent;
      entry.hidden = value === "none" || value === "--";
    }
  };
  drawings.bars = (chart, spec) => {
    const rows = spec.rows, many = rows.length > MANY;
    const times = [...new Set(rows.flatMap((row) => [...row.start, ...row.end]))];
    times.sort((a, b) => a - b);
    const longest = Math.max(...rows.map((row) => row.name.length));
    place(chart, {
      height: (many ? LOW : ROW) * rows.length + 90,
      scales: { x: { time: false }, y: { range: () => [0, rows.length] } },
      axes: [{ ...axis(spec.x), size: 34 }, {
        ...axis(""), labelSize: 0, size: Math.min(160, Math.max(62, 8 * longest + 16)),
        splits: () => rows.map((_, r) => rows.length - r - 0.5),
        values: () => rows.map((row) => row.name), grid: { show: false },
      }],
      series: [{ label: spec.x }, ...rows.map((row) => ({
        label: row.name, paths: () => null, points: { show: false }, value: told(spec, row),
      }))],
      legend: { markers: { show: false } },
      hooks: { draw: [bars(spec)], setLegend: many ? [fewer] : [] },
      cursor: {
        sync: { key: together(chart, spec) }, drag: { x: true, y: false },
        points: { show: false }, y: false,
        // The bar under the pointer, not the one that begins nearest to it.
        dataIdx: (plot, _, near, x) => (plot.data[0][near] > x && near > 0 ? near - 1 : near),
      },
    }, [times, ...rows.map((row) => over(times, row))]);
    chart.querySelector(".plot").before(key(spec));
  };
})();
